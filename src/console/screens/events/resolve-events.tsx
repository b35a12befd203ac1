// What happened to events whose outcome is unknown: an operator says that they took effect.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCommand } from '../../api/use-command.ts';
import { useConfirm } from '../../parts/confirm.tsx';
import type { EventRow } from './state.tsx';

/** Nothing where none of the events is unknown. */
export function ResolveEvents({ rows, clear }: { readonly rows: readonly EventRow[]; clear?(): void }) {
  const { t } = useTranslation('events');
  const confirm = useConfirm();
  const resolve = useCommand('POST /events/resolve', {
    done: ({ resolved }) => t('resolve.done', { count: resolved.length }),
    onDone: () => clear?.(),
  });
  const unknown = rows.filter(({ outcome }) => outcome === 'unknown');
  if (unknown.length === 0) return null;
  const ask = async () => {
    const answer = await confirm({
      title: t('resolve.ask'),
      effects: t('resolve.effect', { count: unknown.length }),
      verb: t('resolve.verb'),
      reason: 'required',
    });
    if (answer !== null) resolve.run({ ids: unknown.map(({ id }) => id), reason: answer.reason });
  };
  return (
    <Button size="compact-sm" variant="default" loading={resolve.isPending} onClick={() => void ask()}>
      {t('resolve.verb')}
    </Button>
  );
}
