// The runs of a sync, newest first. Opening one shows its report and rows below.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { usePages } from '../../../api/use-call.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import { Section } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status.tsx';
import type { Column } from '../../../parts/table/columns.ts';
import { DataTable } from '../../../parts/table/data-table.tsx';
import { countColumn, timeColumn } from '../../../parts/table/makers.tsx';
import { Duration } from '../../../parts/values.tsx';
import { BADGE_OF, type RunSummary, secondsBetween } from '../data.ts';
import { Outcomes } from './outcomes.tsx';

const EVERY_MS = 10_000;

interface Props {
  readonly sync: string;
  readonly openRun: string | null;
  /** A run was started that no worker has begun. */
  readonly waits: boolean;
}

export function RunsTable({ sync, openRun, waits }: Props) {
  const { t } = useTranslation('syncs');
  const [, change] = useUrlState();
  const runs = usePages('GET /syncs/{sync}/runs', { sync, limit: 50 }, 'runs', { everyMs: EVERY_MS });
  const columns = useMemo<readonly Column<RunSummary>[]>(
    () => [
      {
        id: 'run',
        header: t('runs.run'),
        width: 'minmax(7rem, 1fr)',
        cell: ({ run, redoes }) =>
          [
            run.split('/').at(-1),
            ...(redoes === null ? [] : [t(`runs.${redoes.what}Of`, { run: redoes.seq ?? '–' })]),
          ].join(' · '),
      },
      {
        id: 'status',
        header: t('runs.status'),
        width: '8rem',
        cell: ({ status }) => <Status of={BADGE_OF[status]} label={t(`runStatus.${status}`)} />,
      },
      timeColumn('startedAt', t('runs.start'), { width: '10rem', as: 'moment' }),
      {
        id: 'took',
        header: t('runs.took'),
        width: '6rem',
        align: 'end',
        cell: ({ startedAt, finishedAt }) => <Duration seconds={secondsBetween(startedAt, finishedAt)} />,
      },
      countColumn('read', t('runs.read'), { width: '6rem' }),
      countColumn('calls', t('runs.calls'), { width: '6rem', wideOnly: true }),
      {
        id: 'result',
        header: t('runs.result'),
        width: 'minmax(14rem, 2fr)',
        cell: (run) => <Outcomes run={run} />,
      },
    ],
    [t],
  );
  return (
    <Section title={t('runs.title')} flush>
      <DataTable
        label={t('runs.label', { sync })}
        pages={runs}
        columns={columns}
        rowId={({ run }) => run}
        openId={openRun}
        onOpen={({ run }) => change({ run, row: null, code: null, outcome: null }, { replace: false })}
        empty={{ title: t(waits ? 'runs.noneBegun' : 'runs.none') }}
      />
    </Section>
  );
}
