// Is all well? What stands still, what needs a person, and where the calls go.
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { useCall } from '../../api/use-call.ts';
import { useFormat } from '../../format/use-format.ts';
import { Columns, Page, Section } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { CallsChart } from './calls-chart.tsx';
import type { Overview } from './data.ts';
import { HealthList } from './health.tsx';
import { NeedList } from './needs.tsx';
import { standsStill } from './stands-still.ts';
import { TokenList } from './tokens.tsx';

// Below the first look, so it comes after it.
const Budget = lazy(() => import('./budget.tsx'));
const Failures = lazy(async () => ({ default: (await import('./budget.tsx')).Failures }));
const RunningList = lazy(async () => ({ default: (await import('./budget.tsx')).RunningList }));

/** Budgets move with every call, which no change announces. */
const EVERY_MS = 10_000;

export default function OverviewScreen() {
  const { t } = useTranslation('overview');
  const answer = useCall('GET /overview', {}, { everyMs: EVERY_MS });
  const { error, refetch } = answer;
  // An old answer could say that all is well while the database is gone.
  const overview = { data: error === null ? answer.data : undefined, error, refetch };
  return (
    <Page
      title={t('title')}
      lead={
        overview.data === undefined ? (
          <Away error={error} readAt={answer.dataUpdatedAt} failedAt={answer.errorUpdatedAt} />
        ) : (
          <Verdict overview={overview.data} />
        )
      }
    >
      <Loaded of={overview}>
        {({ at, needs, more, health, tokens, running, waiting, starts }) => (
          <Columns
            main={
              <>
                <Section title={t('needs.title')} about={t('needs.about')} flush>
                  <NeedList at={at} needs={needs} more={more} />
                </Section>
                <Suspense>
                  <Failures />
                </Suspense>
                <CallsChart />
                <Suspense>
                  <Budget waiting={waiting} />
                </Suspense>
                <Section title={t('running.title')} flush>
                  <Suspense>
                    <RunningList runs={running} starts={starts} needs={needs} />
                  </Suspense>
                </Section>
              </>
            }
            side={
              <>
                <Section title={t('health.title')} flush>
                  <HealthList health={health} tokens={tokens} />
                </Section>
                <Section title={t('tokens.title')} about={t('tokens.about')} flush>
                  <TokenList tokens={tokens} />
                </Section>
              </>
            }
          />
        )}
      </Loaded>
    </Page>
  );
}

/** Without the database nothing can be shown; what was under way waits for it. */
function Away({
  error,
  readAt,
  failedAt,
}: Readonly<Record<'readAt' | 'failedAt', number>> & { readonly error: Error | null }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  if ((error as { readonly code?: string } | null)?.code !== 'LEDGER') return null;
  // Since its last answer; without one, since this page asked first.
  return t('verdict.noDatabase', { since: format.clock(new Date(readAt || failedAt).toISOString()) });
}

/** One sentence that answers the question of the screen. */
function Verdict({ overview }: { readonly overview: Overview }) {
  const { t } = useTranslation('overview');
  const format = useFormat();
  const { needs, calmSince, at, health } = overview;
  // Nobody can do anything about a service that is down.
  const away = needs.filter(({ kind }) => kind === 'service-away');
  const others = needs.filter(({ kind }) => kind !== 'service-away');
  const critical = others.filter(standsStill).length;
  // Without work it is no need, but the next work would stand still.
  const isIdle = health.workers.alive === 0 && needs.every(({ kind }) => kind !== 'no-worker');
  const rest =
    critical > 0
      ? [
          t('verdict.critical', { count: critical }),
          ...(others.length > critical ? [t('verdict.check', { count: others.length - critical })] : []),
        ].join(' ')
      : others.length > 0
        ? t(away.length > 0 || isIdle ? 'verdict.more' : 'verdict.needs', { count: others.length })
        : null;
  if (isIdle && away.length === 0) return [t('verdict.idle'), rest].filter(Boolean).join(' ');
  if (away.length === 0) return rest ?? t('verdict.well', { since: format.moment(calmSince ?? at) });
  const names = away.map(({ name }) => name).join(', ');
  const [first = at] = away.flatMap(({ since }) => since ?? []).toSorted();
  return [t('verdict.away', { names, since: format.moment(first) }), rest].filter(Boolean).join(' ');
}
