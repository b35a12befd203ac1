// Rows of a run: filters in the address, one row in a drawer, all of them as CSV.
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { HINT_COLUMNS, type HintCells, hintCells } from '../../../../jobs/sync/contract/hint-columns.ts';
import { useClient, useMay } from '../../../api/session.tsx';
import { useCall, usePages } from '../../../api/use-call.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import { useFormat } from '../../../format/use-format.ts';
import { Section } from '../../../parts/page.tsx';
import { Reason } from '../../../parts/reason/reason.tsx';
import { Status } from '../../../parts/status.tsx';
import type { Column } from '../../../parts/table/columns.ts';
import { CsvButton } from '../../../parts/table/csv-button.tsx';
import { DataTable } from '../../../parts/table/data-table.tsx';
import { ChoiceFilter, Filters, ValueFilter } from '../../../parts/table/filters.tsx';
import { timeColumn } from '../../../parts/table/makers.tsx';
import { None } from '../../../parts/values.tsx';
import { OUTCOMES, type Row, type RowStatus } from '../data.ts';
import { usePlace } from '../use-place.ts';
import { ResolveRows } from './resolve.tsx';
import { isRetried, RetryRows } from './retry.tsx';
import { RowDrawer } from './row-drawer.tsx';

/** A row as the file of a spreadsheet has it. */
type Saved = Omit<Row, 'missingTags'> &
  HintCells & {
    readonly line: number | null;
    readonly sheetLine: number | null;
    readonly missingTags: string;
  };

const PAGE = 200;
const CSV_PAGE = 5000;
const CSV_COLUMNS = [
  'row',
  'line',
  'sheetLine',
  'status',
  'step',
  'code',
  'reason',
  'column',
  'attempts',
  'endedAt',
  'key',
  'missingTags',
  ...HINT_COLUMNS,
] as const satisfies readonly (keyof Saved)[];

/** @param run null: the last run and its retries */
export function RunRows({ sync, run }: { readonly sync: string; readonly run: string | null }) {
  const { t } = useTranslation('syncs');
  const client = useClient();
  const format = useFormat();
  const placeOf = usePlace();
  const may = useMay('operator');
  const [{ outcome, code, row }, change] = useUrlState();
  const filter = {
    sync,
    run: run ?? undefined,
    statuses: isOutcome(outcome) ? [outcome] : OUTCOMES,
    codes: code === undefined ? undefined : [code],
  };
  const rows = usePages('GET /syncs/{sync}/rows', { ...filter, lines: true, limit: PAGE }, 'rows', {
    cursor: 'after',
  });
  const codes = useCodes(sync, rows.first?.runs ?? [], rows.rows);
  // Somebody on a phone corrects rows too.
  const hasPlaces = rows.rows.some(({ place }) => place !== null);
  const columns = useMemo<readonly Column<Row>[]>(
    () => [
      {
        id: 'row',
        header: t('rows.row'),
        width: '6rem',
        cell: (each) => (each.row === 0 ? t('rows.left') : format.count(each.row)),
      },
      {
        id: 'line',
        header: t('rows.inSheet'),
        width: '6rem',
        wideOnly: !hasPlaces,
        cell: ({ place }) => (place === null ? <None /> : format.count(place.sheetLine)),
      },
      {
        id: 'outcome',
        header: t('rows.outcome'),
        width: '9rem',
        cell: ({ status }) => <Status of={status} />,
      },
      { id: 'person', header: t('rows.person'), width: '10rem', cell: ({ key }) => key ?? <None /> },
      {
        id: 'where',
        header: t('rows.where'),
        width: '10rem',
        wideOnly: true,
        cell: ({ column, step }) => column ?? (step === null ? <None /> : placeOf(step)),
      },
      {
        id: 'reason',
        header: t('rows.reason'),
        width: 'minmax(14rem, 2fr)',
        cell: ({ code: of, reason, params, missingTags }) => (
          <div>
            {of === null && reason === null && missingTags.length === 0 && <None />}
            {(of !== null || reason !== null) && <Reason code={of} reason={reason} params={params} />}
            {missingTags.length > 0 && (
              <div>
                {t('rows.missingTags', { count: missingTags.length, tags: format.list(missingTags) })}
              </div>
            )}
          </div>
        ),
      },
      timeColumn('endedAt', t('rows.ended'), { width: '8rem', wideOnly: true }),
    ],
    [t, format, placeOf, hasPlaces],
  );
  const about = [
    ...(rows.first?.pruned === true ? [t('rows.pruned')] : []),
    ...((outcome === undefined || outcome === 'unchanged') && (rows.first?.same ?? 0) > 0
      ? [t('rows.same', { count: rows.first?.same ?? 0 })]
      : []),
  ].join(' ');
  const csv = (
    <CsvButton
      name={`${sync}-rows.csv`}
      columns={CSV_COLUMNS}
      read={async (after?: string) => {
        const page = await client.call('GET /syncs/{sync}/rows', {
          ...filter,
          lines: true,
          limit: CSV_PAGE,
          after,
        });
        return { rows: page.rows.map(savedRow), next: page.next };
      }}
      cut={(saved) => t('rows.csvCut', { rows: saved })}
    />
  );
  return (
    <Section title={t('rows.title')} about={about} actions={csv} flush>
      <Filters pages={rows}>
        <ChoiceFilter
          param="outcome"
          label={t('rows.status')}
          options={OUTCOMES.map((value) => ({ value, label: t(`outcome.${value}`) }))}
        />
        <ValueFilter param="code" label={t('rows.code')} values={codes} />
      </Filters>
      <DataTable
        label={t('rows.label')}
        pages={rows}
        columns={columns}
        rowId={(each) => `${each.row} ${each.status} ${each.step} ${each.code}`}
        onOpen={(each) => change({ row: String(each.row) }, { replace: false })}
        empty={{ title: t('rows.none'), text: t('rows.noneText') }}
        bulk={
          may && isRetried(outcome)
            ? (chosen, clear) => (
                <>
                  {outcome === 'unknown' && <ResolveRows sync={sync} run={run} rows={chosen} clear={clear} />}
                  <RetryRows sync={sync} run={run} outcome={outcome} rows={chosen} clear={clear} />
                </>
              )
            : undefined
        }
      />
      {row !== undefined && /^\d+$/.test(row) && (
        <RowDrawer sync={sync} run={run} row={Number(row)} onClose={() => change({ row: null })} />
      )}
    </Section>
  );
}

/** Codes of the runs' reports and of the rows in view. Only the first run reads the source; retries go on with its records. */
function useCodes(sync: string, runs: readonly string[], rows: readonly Row[]): (string | null)[] {
  const [newest = '', oldest = newest] = [runs[0], runs.at(-1)];
  const ofRun = { enabled: newest !== '', everyMs: 10_000 };
  const first = useCall('GET /syncs/{sync}/runs/{run}', { sync, run: oldest }, ofRun);
  const last = useCall('GET /syncs/{sync}/runs/{run}', { sync, run: newest }, ofRun);
  const totals = [first, last].flatMap(({ data }) => data?.report.totals ?? []);
  const ofRows = totals.filter(({ outcome }) => outcome !== 'warning');
  return [...ofRows, ...rows].map(({ code }) => code);
}

function savedRow(row: Row): Saved {
  return {
    ...row,
    ...hintCells(row),
    line: row.place?.line ?? null,
    sheetLine: row.place?.sheetLine ?? null,
    missingTags: row.missingTags.join('|'),
  };
}

function isOutcome(text: string | undefined): text is RowStatus {
  return text !== undefined && (OUTCOMES as readonly string[]).includes(text);
}
