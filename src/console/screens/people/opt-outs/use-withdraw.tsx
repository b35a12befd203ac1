// Asks why a person may be messaged again, and withdraws the opt-out.
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../../api/use-command.ts';
import { useConfirm } from '../../../parts/confirm.tsx';
import type { Who } from '../who.ts';

export function useWithdraw() {
  const { t } = useTranslation('opt-outs');
  const confirm = useConfirm();
  const [busy, setBusy] = useState<Who | null>(null);
  const command = useCommand('POST /opt-outs/{account}/withdraw', {
    topics: ['people'],
    done: () => t('withdraw.done'),
  });
  return {
    isWithdrawing: ({ account, person }: Who) =>
      command.isPending && busy?.account === account && busy.person === person,
    async withdraw({ account, person }: Who): Promise<void> {
      const answer = await confirm({
        title: t('withdraw.title'),
        effects: (
          <Stack gap="xs">
            <Text>{t('withdraw.effect')}</Text>
            <Text>{t('withdraw.tag')}</Text>
          </Stack>
        ),
        verb: t('withdraw.button'),
        reason: 'required',
        reasonLabel: t('withdraw.reason'),
      });
      if (answer === null) return;
      setBusy({ account, person });
      // The id stands for the number, which nobody sees here.
      command.run({ account, number: person, reason: answer.reason });
    },
  };
}
