// A dry run: its progress, then what the next run would do, what it would cost, and which rows would not pass.
import { Button } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Output } from '../../api/client.ts';
import { useCall, usePages } from '../../api/use-call.ts';
import { useCommand } from '../../api/use-command.ts';
import { useUrlState } from '../../app/use-url-state.ts';
import { useFormat } from '../../format/use-format.ts';
import { Diff } from '../../parts/diff/diff.tsx';
import listStyles from '../../parts/list.module.css';
import { Section } from '../../parts/page.tsx';
import { RunProgress } from '../../parts/progress.tsx';
import { Original } from '../../parts/reason/original.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import textStyles from '../../parts/text.module.css';
import { None } from '../../parts/values.tsx';
import { type DryRun, type PlanReport, shown } from './data.ts';
import { MissingTags } from './missing-tags.tsx';
import classes from './syncs.module.css';
import { Tiles } from './tiles.tsx';
import { useLine } from './use-line.ts';
import { usePlace } from './use-place.ts';

const EVERY_MS = 1500;

export function DryRunPanel({ plan }: { readonly plan: string }) {
  const { t } = useTranslation('syncs');
  const [, change] = useUrlState();
  const query = useCall('GET /plans/{plan}', { plan }, { everyMs: EVERY_MS });
  const stop = useCommand('POST /plans/{plan}/cancel', { onDone: () => void query.refetch() });
  const isRunning = query.data?.state === 'running';
  return (
    <Section
      title={t('plan.title')}
      about={t('plan.about')}
      actions={
        isRunning ? (
          <Button variant="default" size="compact-sm" onClick={() => stop.run({ plan })}>
            {t('plan.stop')}
          </Button>
        ) : (
          <Button variant="default" size="compact-sm" onClick={() => change({ plan: null })}>
            {t('plan.close')}
          </Button>
        )
      }
    >
      <Loaded of={query}>{(now) => <DryRunState now={now} />}</Loaded>
    </Section>
  );
}

function DryRunState({ now }: { readonly now: DryRun }) {
  const { t, i18n } = useTranslation('syncs');
  const format = useFormat();
  const { state, read, share, report, lines, error } = now;
  if (error !== null)
    return (
      <p className={classes.notice} data-tone="bad" role="alert">
        {i18n.language === 'en' ? (
          error.message
        ) : (
          <>
            {t('plan.failed')}
            <Original text={error.message} />
          </>
        )}
      </p>
    );
  if (state === 'cancelled') return <p className={classes.notice}>{t('plan.cancelled')}</p>;
  if (report === null || state === 'running')
    return (
      <div className={classes.stack}>
        <div className={textStyles.small}>{t('plan.running', { rows: format.count(read) })}</div>
        <RunProgress
          label={t('plan.bar')}
          done={read}
          total={share === null || share === 0 ? null : Math.round(read / share)}
        />
      </div>
    );
  return (
    <div className={classes.stack}>
      <Result report={report} lines={lines} />
      {now.listed === 0 ? (
        <p className={textStyles.small}>{t('plan.noProblems')}</p>
      ) : (
        <Problems plan={now.plan} />
      )}
    </div>
  );
}

function Result({ report, lines }: { readonly report: PlanReport; readonly lines: DryRun['lines'] }) {
  const { t } = useTranslation('syncs');
  const lineOf = useLine();
  const format = useFormat();
  const { calls, pace, fields, samples, warnings } = report;
  const range = (min: number, max: number, text: (value: number) => string) =>
    min === max ? text(min) : `${text(min)} – ${text(max)}`;
  return (
    <>
      <Tiles
        tiles={[
          ...(['read', 'create', 'update', 'move', 'unchanged', 'merged', 'rejected'] as const).map(
            (name) => [t(`plan.${name}`), format.count(report[name])] as const,
          ),
          [t('plan.calls'), range(calls.min, calls.max, format.count)],
          [
            t('plan.takes', { pace: format.count(Math.round(pace.callsPerMinute)) }),
            pace.minSeconds === pace.maxSeconds
              ? format.duration(pace.maxSeconds)
              : t('plan.upTo', { time: format.duration(pace.maxSeconds) }),
          ],
        ]}
      />
      <FieldCounts title={t('plan.fields')} counts={fields.update} />
      <FieldCounts title={t('plan.fieldsNew')} counts={fields.create} />
      <MissingTags tags={report.tags} lines={lines} />
      {warnings.map(({ step, code, reason }) => (
        <p key={`${step} ${code} ${reason}`} className={classes.notice}>
          <Reason code={code} reason={reason} />
        </p>
      ))}
      {calls.steps.length > 0 && (
        <details>
          <summary>{t('plan.steps')}</summary>
          <ul className={listStyles.list}>
            {calls.steps.map(({ what, min, max, why }) => (
              <li key={what} className={classes.row}>
                <span className={classes.grow}>
                  <code>{what}</code>
                  <div className={textStyles.small}>{why}</div>
                </span>
                <span>{range(min, max, format.count)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {samples.length > 0 && (
        <details>
          <summary>{t('plan.samples')}</summary>
          <div className={classes.stack}>
            {samples.map(({ row, key, action, changes }) => (
              <div key={`${row} ${key}`}>
                <div>
                  {t('plan.sample', { row: lineOf(row, lines), action: t(`plan.action.${action}`) })} · {key}
                </div>
                <Diff
                  label={t('plan.sample', { row: lineOf(row, lines), action: t(`plan.action.${action}`) })}
                  changes={changes.map(({ field, was, now }) => ({ field, before: was, after: shown(now) }))}
                />
              </div>
            ))}
          </div>
        </details>
      )}
    </>
  );
}

function FieldCounts({ title, counts }: { title: string; counts: Readonly<Record<string, number>> }) {
  const format = useFormat();
  const placeOf = usePlace();
  const entries = Object.entries(counts).sort(([, a], [, b]) => b - a);
  if (entries.length === 0) return null;
  return (
    <div>
      <span className={textStyles.small}>{title}: </span>
      {entries.map(([field, count]) => `${placeOf(field)} ${format.count(count)}`).join(', ')}
    </div>
  );
}

type Problem = Output<'GET /plans/{plan}/problems'>['problems'][number];

function Problems({ plan }: { readonly plan: string }) {
  const { t } = useTranslation('syncs');
  const placeOf = usePlace();
  const lineOf = useLine();
  const pages = usePages('GET /plans/{plan}/problems', { plan, limit: 200 }, 'problems', { cursor: 'after' });
  const { pages: parts } = pages;
  const lines = useMemo(
    () => Object.assign({}, ...parts.map((part) => part.lines)) as DryRun['lines'],
    [parts],
  );
  const columns = useMemo<readonly Column<Problem>[]>(
    () => [
      { id: 'row', header: t('rows.row'), width: '6rem', cell: ({ row }) => lineOf(row, lines) },
      {
        id: 'outcome',
        header: t('rows.outcome'),
        width: '9rem',
        cell: ({ outcome }) => (
          <Status of={outcome === 'warning' ? 'degraded' : outcome} label={t(`outcome.${outcome}`)} />
        ),
      },
      {
        id: 'where',
        header: t('problems.where'),
        width: '12rem',
        cell: ({ where, column }) =>
          column === undefined ? placeOf(where) : t('problems.column', { where: placeOf(where), column }),
      },
      { id: 'value', header: t('plan.value'), width: '10rem', cell: ({ value }) => value ?? <None /> },
      {
        id: 'reason',
        header: t('rows.reason'),
        width: 'minmax(16rem, 2fr)',
        cell: ({ code, reason, params }) => <Reason code={code} reason={reason} params={params} />,
      },
    ],
    [t, lineOf, lines, placeOf],
  );
  return (
    <DataTable
      label={t('plan.problems')}
      pages={pages}
      columns={columns}
      rowId={({ row, where, code, reason }) => `${row} ${where} ${code} ${reason}`}
      empty={{ title: t('plan.noProblems') }}
    />
  );
}
