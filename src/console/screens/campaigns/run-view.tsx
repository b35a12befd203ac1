// A run: progress, what remains beside the plan, waves; at the side pace, funnel, outcomes and stop rules.
import { useTranslation } from 'react-i18next';
import { useCall } from '../../api/use-call.ts';
import { useFormat } from '../../format/use-format.ts';
import { Columns, Section } from '../../parts/page.tsx';
import { RunProgress } from '../../parts/progress.tsx';
import { BurnDown } from './burn-down.tsx';
import { type Now, type Report, sumOf } from './data.ts';
import { Funnel } from './funnel.tsx';
import { Outcomes } from './outcomes.tsx';
import { Pace } from './pace.tsx';
import { StopRules } from './stop-rules.tsx';
import { useSpending } from './use-spending.ts';
import { Waves } from './waves.tsx';

interface RunViewProps {
  readonly report: Report;
  readonly now: Now | null;
  /** It is the newest run, which commands apply to. */
  readonly canSteer: boolean;
}

export function RunView({ report, now, canSteer }: RunViewProps) {
  const { t } = useTranslation('campaigns');
  const format = useFormat();
  const rules = useCall('GET /campaigns/{campaign}/rules', { campaign: report.run });
  const { total, campaign, state, paused, calls } = report;
  const share = useSpending()(report);
  const counts = now?.progress?.counts ?? null;
  const parts = [
    { name: t('progress.triggered'), count: counts?.triggered ?? total.triggered, tone: 'good' as const },
    { name: t('progress.skipped'), count: counts?.skipped ?? sumOf(total.skipped), tone: 'idle' as const },
    { name: t('progress.failed'), count: counts?.failed ?? sumOf(total.failed), tone: 'bad' as const },
    { name: t('progress.unknown'), count: counts?.unknown ?? total.unknown, tone: 'warn' as const },
    { name: t('progress.cancelled'), count: counts?.cancelled ?? total.cancelled, tone: 'idle' as const },
  ];
  const isRunning = state === 'running';
  const about = [
    ...(now?.progress?.wave ? [t('run.wave', { wave: format.count(now.progress.wave) })] : []),
    ...(isRunning && now !== null
      ? [t('run.pace', { pace: format.count(Math.round(now.pacePerMinute)) })]
      : []),
    t('run.calls', { count: calls, shown: format.count(calls) }),
    ...(share === null || !canSteer ? [] : [t('run.share', { share: format.percent(share) })]),
  ].join(' · ');
  return (
    <Columns
      main={
        <>
          <Section title={t('progress.title')} about={about}>
            <RunProgress
              label={t('progress.label', { campaign })}
              done={now?.done ?? parts.reduce((sum, { count }) => sum + count, 0)}
              total={now?.total ?? total.eligible}
              parts={parts}
              eta={now?.etaAt ?? null}
              isPaused={isRunning && paused !== null}
            />
          </Section>
          <BurnDown run={report.run} />
          <Waves report={report} />
        </>
      }
      side={
        <>
          {canSteer && (isRunning || state === 'planned') && rules.data !== undefined && (
            <Pace key={String(rules.data.pace)} run={report.run} rules={rules.data} />
          )}
          <Funnel total={total} deliveries={report.deliveries} replies={report.replies} />
          <Outcomes report={report} />
          {rules.data !== undefined && <StopRules rules={rules.data} waves={report.waves} />}
        </>
      }
    />
  );
}
