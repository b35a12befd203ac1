// Events that a sink did not take and that were given up, with retry and discard.

import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useMay } from '../../api/session.tsx';
import { useCall, usePages } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { Section } from '../../parts/page.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Filters, ValueFilter } from '../../parts/table/filters.tsx';
import { countColumn, timeColumn } from '../../parts/table/makers.tsx';

type Entry = Output<'GET /outbox'>['events'][number];

export function DeadEvents() {
  const { t } = useTranslation('conversations');
  const [{ sink }] = useUrlState();
  const may = useMay('operator');
  const input = { states: ['dead' as const], sinks: sink === undefined ? undefined : [sink] };
  const pages = usePages('GET /outbox', input, 'events', { cursor: 'after' });
  const known = useCall('GET /sinks', {});
  const columns: readonly Column<Entry>[] = [
    { id: 'type', header: t('dead.type'), cell: ({ type }) => type, width: 'minmax(9rem, 1fr)' },
    { id: 'sink', header: t('dead.sink'), cell: (entry) => entry.sink },
    {
      id: 'why',
      header: t('dead.why'),
      cell: ({ code, reason }) => <Reason code={code} reason={reason} />,
      width: 'minmax(14rem, 3fr)',
    },
    countColumn('attempts', t('dead.attempts'), { width: '6rem', wideOnly: true }),
    timeColumn('createdAt', t('dead.since'), { width: '9rem' }),
  ];
  return (
    <Section title={t('dead.title')} about={t('dead.about')} flush>
      <Filters pages={pages}>
        <ValueFilter
          param="sink"
          label={t('dead.sink')}
          values={known.data?.sinks.map((each) => each.sink) ?? []}
        />
      </Filters>
      <DataTable
        label={t('dead.title')}
        pages={pages}
        columns={columns}
        rowId={({ id }) => id}
        empty={{ title: t('dead.none'), text: t('dead.noneText') }}
        bulk={may ? (rows, clear) => <Bulk rows={rows} clear={clear} /> : undefined}
      />
    </Section>
  );
}

function Bulk({ rows, clear }: { readonly rows: readonly Entry[]; clear(): void }) {
  const { t } = useTranslation('conversations');
  const retry = useCommand('POST /outbox/retry', {
    done: ({ count }) => t('dead.retried', { count }),
    onDone: clear,
  });
  const discard = useCommand('POST /outbox/discard', {
    done: ({ count }) => t('dead.discarded', { count }),
    onDone: clear,
  });
  const ids = rows.map(({ id }) => id);
  const ask = () =>
    discard.ask((reason) => ({ ids, reason }), {
      title: t('dead.askDiscard', { count: ids.length }),
      effects: t('dead.effectDiscard'),
      verb: t('dead.discard'),
      dangerous: true,
      reason: 'optional',
    });
  return (
    <>
      <Button size="compact-sm" loading={retry.isPending} onClick={() => retry.run({ ids })}>
        {t('dead.retry')}
      </Button>
      <Button variant="danger" size="compact-sm" loading={discard.isPending} onClick={ask}>
        {t('dead.discard')}
      </Button>
    </>
  );
}
