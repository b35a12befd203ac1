// Sends a message, and asks first whether it may go to a contact who opted out.
import { useTranslation } from 'react-i18next';
import { OperatorError } from '../../../operator/error.ts';
import type { Input } from '../../api/client.ts';
import { useCommand } from '../../api/use-command.ts';
import { notifyError } from '../../app/notify.ts';
import { useConfirm } from '../../parts/confirm.tsx';

/** @param onAccepted gets the id of the event */
export function useSend(onAccepted: (event: string) => void) {
  const { t } = useTranslation('conversations');
  const { t: common } = useTranslation('common');
  const confirm = useConfirm();
  const { runAsync, isPending } = useCommand('POST /messages', {
    topics: ['conversations', 'events'],
    onDone: ({ event }) => onAccepted(event),
    showsError: true,
  });

  const send = (message: Input<'POST /messages'>): Promise<unknown> =>
    runAsync(message).catch(async (error: Error) => {
      if (!(error instanceof OperatorError && error.code === 'OPTED_OUT')) return notifyError(error, common);
      const answer = await confirm({
        title: t('answer.optedOut.title'),
        effects: t('answer.optedOut.effect'),
        verb: t('answer.optedOut.verb'),
      });
      if (answer !== null) await send({ ...message, toOptedOut: true });
    });

  return { run: (message: Input<'POST /messages'>) => void send(message), isPending };
}
