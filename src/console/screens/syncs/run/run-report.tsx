// The report of one run: figures, why rows did not pass, and warnings.
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../../api/use-call.ts';
import { useUrlState } from '../../../app/use-url-state.ts';
import { useFormat } from '../../../format/use-format.ts';
import listStyles from '../../../parts/list.module.css';
import { Section } from '../../../parts/page.tsx';
import { Reason } from '../../../parts/reason/reason.tsx';
import { EmptyState, Loaded } from '../../../parts/states.tsx';
import { Status } from '../../../parts/status.tsx';
import textStyles from '../../../parts/text.module.css';
import type { Report } from '../data.ts';
import classes from '../syncs.module.css';
import { Tiles } from '../tiles.tsx';
import { usePlace } from '../use-place.ts';
import { RetryCode } from './retry.tsx';
import { RunWarnings } from './run-warnings.tsx';

interface RunReportProps {
  readonly sync: string;
  readonly run: string;
  /** Whether the viewer may correct rejected rows, and the source is a file that has them. */
  readonly canFix: boolean;
}

export function RunReport({ sync, run, canFix }: RunReportProps) {
  const { t } = useTranslation('syncs');
  const query = useCall('GET /syncs/{sync}/runs/{run}', { sync, run }, { everyMs: 10_000 });
  return (
    <>
      <Section title={t('report.title', { run })}>
        <Loaded of={query}>{({ report }) => <Figures report={report} />}</Loaded>
      </Section>
      {query.data !== undefined && (query.data.report.read > 0 || query.data.report.totals.length > 0) && (
        <Section
          title={t('problems.title')}
          actions={canFix && query.data.report.rejected > 0 && <FixButton />}
          flush
        >
          <Problems sync={sync} report={query.data.report} />
        </Section>
      )}
      {query.data !== undefined && (
        <RunWarnings sync={sync} run={run} warnings={query.data.report.warnings} />
      )}
    </>
  );
}

function FixButton() {
  const { t } = useTranslation('syncs');
  const [, change] = useUrlState();
  return (
    <Button size="compact-sm" onClick={() => change({ view: 'fix' }, { replace: false })}>
      {t('fix.open')}
    </Button>
  );
}

function Figures({ report }: { readonly report: Report }) {
  const { t } = useTranslation('syncs');
  const format = useFormat();
  const placeOf = usePlace();
  const { read, calls, cards, seconds, stoppedSteps, snapshots = [] } = report;
  return (
    <div className={classes.stack}>
      <Tiles
        tiles={[
          [t('report.read'), format.count(read)],
          ...(['created', 'updated', 'unchanged', 'merged', 'rejected', 'failed', 'unknown'] as const).map(
            (outcome) => [t(`outcome.${outcome}`), format.count(report[outcome])] as const,
          ),
          [t('report.cards'), format.count(cards)],
          [t('report.calls'), format.count(calls)],
          [t('report.took'), format.duration(Math.round(seconds))],
        ]}
      />
      {stoppedSteps.length > 0 && (
        <p className={classes.notice} data-tone="bad">
          {t('report.stopped')}: {stoppedSteps.map(placeOf).join(', ')}
        </p>
      )}
      {snapshots.map(({ of, read: pagesRead, pages, single }) => (
        <div key={of} className={textStyles.small}>
          {t(of === 'contacts' ? 'report.snapshotContacts' : 'report.snapshotCards', {
            read: format.count(pagesRead),
            pages: format.count(pages),
            single: format.count(single),
          })}
        </div>
      ))}
    </div>
  );
}

function Problems({ sync, report }: { readonly sync: string; readonly report: Report }) {
  const { t } = useTranslation(['syncs', 'outcomes']);
  const format = useFormat();
  const [, change] = useUrlState();
  const placeOf = usePlace();
  if (report.totals.length === 0) return <EmptyState title={t('problems.none')} />;
  return (
    <ul className={listStyles.list} aria-label={t('problems.label')}>
      {report.totals.map(({ outcome, where, column, code, rows, reason, params, varied }) => (
        <li key={`${outcome} ${where} ${column} ${code}`} className={classes.row}>
          <div className={classes.grow}>
            <div className={classes.line}>
              <Status
                of={outcome === 'warning' ? 'degraded' : outcome}
                label={t(`outcomes:${outcome}`, { count: rows, shown: format.count(rows) })}
              />
              <span>
                {column === undefined
                  ? placeOf(where)
                  : t('problems.column', { where: placeOf(where), column })}
              </span>
            </div>
            <div className={textStyles.small}>
              {varied && t('problems.example')} <Reason code={code} reason={reason} params={params} />
            </div>
          </div>
          <div className={classes.line}>
            {outcome !== 'warning' && (
              <Button
                variant="default"
                size="compact-sm"
                aria-label={t('problems.show', { code })}
                onClick={() => change({ outcome, code, row: null })}
              >
                {t('rows.title')}
              </Button>
            )}
            {(outcome === 'failed' || outcome === 'unknown') && (
              <RetryCode sync={sync} code={code} outcome={outcome} rows={rows} />
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
