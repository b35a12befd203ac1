// For a user who has lost the second factor. Nobody resets their own: they turn it off with a code.
import { Button } from '@mantine/core';
import { IconShieldOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { User } from '../../../operator/contract/identity.ts';
import { useViewer } from '../../api/session.tsx';
import { useCommand } from '../../api/use-command.ts';

export function ResetSecondFactor({ user: { name, displayName } }: { readonly user: User }) {
  const { t } = useTranslation('settings');
  const isMe = useViewer()?.user.name === name;
  const reset = useCommand('POST /users/{name}/second-factor/reset', {
    done: () => t('users.resetFactorDone', { name: displayName }),
    topics: ['audit', 'sessions'],
  });
  const ask = () =>
    reset.ask((verified) => ({ name, verified }), {
      title: t('users.resetFactorTitle', { name: displayName }),
      effects: t('users.resetFactorText'),
      verb: t('users.resetFactor'),
      dangerous: true,
      reason: 'required',
      reasonLabel: t('users.resetFactorVerified'),
      reasonLength: 200,
    });
  return (
    <Button
      variant="danger"
      leftSection={<IconShieldOff size={14} aria-hidden />}
      loading={reset.isPending}
      disabled={isMe}
      onClick={ask}
    >
      {t('users.resetFactor')}
    </Button>
  );
}
