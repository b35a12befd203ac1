// For a user who has lost the second factor. Nobody resets their own: they turn it off with a code.
import { Button } from '@mantine/core';
import { IconShieldOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../operator/contract/identity.ts';
import { useViewer } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';
import { useConfirm } from '../../parts/confirm.tsx';

export function ResetSecondFactor({ user: { name, displayName } }: { readonly user: User }) {
  const { t } = useTranslation('settings');
  const confirm = useConfirm();
  const isMe = useViewer()?.user.name === name;
  const reset = useCommand('POST /users/{name}/second-factor/reset', {
    done: () => t('users.resetFactorDone', { name: displayName }),
    topics: ['audit', 'sessions'],
  });
  const ask = async () => {
    const answer = await confirm({
      title: t('users.resetFactorTitle', { name: displayName }),
      effects: t('users.resetFactorText'),
      verb: t('users.resetFactor'),
      dangerous: true,
      reason: 'required',
      reasonLabel: t('users.resetFactorVerified'),
      reasonLength: 200,
    });
    if (answer !== null) reset.run({ name, verified: answer.reason });
  };
  return (
    <Button
      variant="danger"
      leftSection={<IconShieldOff size={14} aria-hidden />}
      loading={reset.isPending}
      disabled={isMe}
      onClick={() => void ask()}
    >
      {t('users.resetFactor')}
    </Button>
  );
}
