// Kafka records that no route could process: by page, with replay and discard. A row shows what a replay would come to.
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useMay } from '../../api/session.tsx';
import { useCall, usePages } from '../../api/use-call.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { Section } from '../../parts/page.tsx';
import { Chip } from '../../parts/status.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ChoiceFilter, Filters, ValueFilter } from '../../parts/table/filters.tsx';
import { timeColumn } from '../../parts/table/makers.tsx';
import textStyles from '../../parts/text.module.css';
import { BulkButtons, openIds } from './bulk-buttons.tsx';
import { DeadLetterPanel } from './dead-letter-panel.tsx';
import { reasonColumn } from './refusal-reason.tsx';
import { ReplayState, useDeadLetterCommands } from './replay.tsx';

type Letter = Output<'GET /dead-letters'>['deadLetters'][number];

export function DeadLetters() {
  const { t } = useTranslation('events');
  const may = useMay('operator');
  const [{ cluster: wanted, route, code, resolved, letter }, change] = useUrlState();
  const lag = useCall('GET /kafka/lag', {});
  const names = lag.data?.clusters.map(({ cluster: name }) => name) ?? [];
  const readRoutes =
    lag.data?.clusters.flatMap(({ partitions }) => partitions.map((each) => each.route)) ?? [];
  // The server asks for a name when there are several clusters.
  const cluster = wanted ?? (names.length > 1 ? names[0] : undefined);
  const [replay, setReplay] = useState<string | null>(null);
  const input = {
    cluster,
    route,
    codes: code === undefined ? undefined : [code],
    resolved: resolved === 'all',
  };
  const pages = usePages('GET /dead-letters', input, 'deadLetters', {
    cursor: 'after',
    everyMs: 20_000,
    enabled: wanted !== undefined || lag.data !== undefined || lag.error !== null,
  });
  const columns: readonly Column<Letter>[] = [
    { id: 'code', header: t('refusals.code'), cell: (row) => row.code, width: 'minmax(8rem, 1fr)' },
    { id: 'route', header: t('events.route'), cell: (row) => row.route, width: 'minmax(8rem, 1fr)' },
    reasonColumn(t('refusals.reason')),
    {
      id: 'origin',
      header: t('dead.origin'),
      cell: ({ origin }) => (
        <span className={textStyles.cut}>{`${origin.topic}/${origin.partition}/${origin.offset}`}</span>
      ),
      width: 'minmax(9rem, 1fr)',
      wideOnly: true,
    },
    {
      id: 'state',
      header: t('events.state'),
      cell: ({ resolution }) => t(`dead.state.${resolution?.how ?? 'open'}`),
      width: '7rem',
    },
    timeColumn('failedAt', t('dead.failed'), { width: '8rem' }),
  ];
  const { first } = pages;
  return (
    <Section
      title={t('dead.title')}
      about={t('dead.about')}
      actions={first?.byCode.slice(0, 5).map(({ code: of, count }) => (
        <Chip key={of} tone="warn">
          {of}: {count}
        </Chip>
      ))}
      flush
    >
      {replay !== null && <ReplayState replay={replay} onClose={() => setReplay(null)} />}
      <Filters pages={pages}>
        {(first?.clusters.length ?? 0) > 1 && (
          <ChoiceFilter
            param="cluster"
            label={t('dead.cluster')}
            options={(first?.clusters ?? []).map((value) => ({ value, label: value }))}
          />
        )}
        <ValueFilter
          param="route"
          label={t('events.route')}
          values={[...readRoutes, ...pages.rows.map((each) => each.route)]}
        />
        <ValueFilter
          param="code"
          label={t('events.code')}
          values={[...(first?.byCode ?? []), ...pages.rows].map((each) => each.code)}
        />
        <Checkbox
          size="xs"
          label={t('dead.withResolved')}
          checked={resolved === 'all'}
          onChange={(event) => change({ resolved: event.currentTarget.checked ? 'all' : null })}
        />
      </Filters>
      <DataTable
        label={t('dead.title')}
        pages={pages}
        columns={columns}
        rowId={({ id }) => id}
        openId={letter ?? null}
        onOpen={({ id }) => change({ letter: id }, { replace: false })}
        empty={
          route === undefined && code === undefined
            ? {
                title: t('dead.none'),
                text: first?.clusters.length === 0 ? t('dead.noKafka') : t('dead.noneText'),
              }
            : { title: t('dead.noMatch'), text: t('events.noMatchText') }
        }
        bulk={
          may
            ? (rows, clear) => <Bulk rows={rows} cluster={cluster} clear={clear} onReplay={setReplay} />
            : undefined
        }
      />
      <DeadLetterPanel
        key={letter}
        id={letter ?? ''}
        cluster={cluster}
        onReplay={setReplay}
        onClose={() => change({ letter: null })}
      />
    </Section>
  );
}

interface BulkProps {
  readonly rows: readonly Letter[];
  readonly cluster: string | undefined;
  clear(): void;
  onReplay(replay: string): void;
}

function Bulk({ rows, cluster, clear, onReplay }: BulkProps) {
  const { t } = useTranslation('events');
  const commands = useDeadLetterCommands({
    cluster,
    onReplay(replay) {
      clear();
      onReplay(replay);
    },
    onDiscarded: clear,
  });
  return (
    <BulkButtons
      {...commands}
      ids={openIds(rows)}
      words={{ replay: t('dead.replay'), discard: t('dead.discard') }}
    />
  );
}
