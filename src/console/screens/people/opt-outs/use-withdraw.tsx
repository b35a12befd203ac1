// Asks why a person may be messaged again, and withdraws the opt-out.
import { Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../../api/use-command.ts';
import type { Who } from '../who.ts';

export function useWithdraw() {
  const { t } = useTranslation('opt-outs');
  const command = useCommand('POST /opt-outs/{account}/withdraw', {
    topics: ['people'],
    done: () => t('withdraw.done'),
  });
  return {
    isWithdrawing: ({ account, person }: Who) =>
      command.isPending && command.input?.account === account && command.input.number === person,
    withdraw({ account, person }: Who) {
      // The id stands for the number, which nobody sees here.
      command.ask((reason) => ({ account, number: person, reason }), {
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
    },
  };
}
