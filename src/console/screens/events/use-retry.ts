// Tries events again. The question before it says what could happen twice.
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../api/use-command.ts';
import type { EventRow } from './state.tsx';

export function useRetry(onDone: () => void = () => undefined) {
  const { t } = useTranslation('events');
  const command = useCommand('POST /events/retry', {
    done: ({ retried, continued, left }) =>
      t('retry.done', { count: retried.length + continued.length, left: left.length }),
    onDone,
  });
  const ask = (rows: readonly EventRow[]) => {
    const unknown = rows.filter(({ outcome }) => outcome === 'unknown').length;
    command.ask((reason) => ({ ids: rows.map(({ id }) => id), reason }), {
      title: t('retry.ask', { count: rows.length }),
      effects: unknown > 0 ? t('retry.unknown', { count: unknown }) : t('retry.effect'),
      verb: t('retry.verb'),
      dangerous: unknown > 0,
      reason: 'optional',
    });
  };
  return { ask, isPending: command.isPending };
}
