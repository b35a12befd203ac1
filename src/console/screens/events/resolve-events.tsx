// What happened to events whose outcome is unknown: an operator says that they took effect.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../api/use-command.ts';
import type { EventRow } from './state.tsx';

/** Nothing where none of the events is unknown. */
export function ResolveEvents({ rows, clear }: { readonly rows: readonly EventRow[]; clear?(): void }) {
  const { t } = useTranslation('events');
  const resolve = useCommand('POST /events/resolve', {
    done: ({ resolved }) => t('resolve.done', { count: resolved.length }),
    onDone: () => clear?.(),
  });
  const unknown = rows.filter(({ outcome }) => outcome === 'unknown');
  if (unknown.length === 0) return null;
  const ask = () =>
    resolve.ask((reason) => ({ ids: unknown.map(({ id }) => id), reason }), {
      title: t('resolve.ask'),
      effects: t('resolve.effect', { count: unknown.length }),
      verb: t('resolve.verb'),
      reason: 'required',
    });
  return (
    <Button size="compact-sm" variant="default" loading={resolve.isPending} onClick={ask}>
      {t('resolve.verb')}
    </Button>
  );
}
