// Parts of the system that do not work, as needs of the overview.
import type { Health, Need, RunningRun, WaitingWork } from '../../../contracts/operator/overview.ts';
import { NO_SERVER } from './probes.ts';

type Outage = Pick<Need, 'account' | 'name' | 'since' | 'code' | 'reason'> & {
  readonly kind: Extract<
    Need['kind'],
    'failing-calls' | 'waiting-sink' | 'no-worker' | 'temporal-away' | 'kafka-away'
  >;
};

/** Fewer calls than this in five minutes say nothing about the service. */
const MIN_CALLS = 3;

interface Seen {
  readonly health: Health;
  readonly running: readonly RunningRun[];
  readonly waiting: readonly WaitingWork[];
}

export function outagesOf({ health, running, waiting }: Seen): Outage[] {
  const { api, sinks, temporal, kafka, workers } = health;
  const away = (kind: Outage['kind'], name: string, reason: string | null): Outage => ({
    kind,
    account: null,
    name,
    since: null,
    code: null,
    reason,
  });
  const isNeeded = hasWork({ health, running, waiting });
  return [
    // Sluice may stay stopped while there is nothing to do.
    ...(temporal === null || temporal.ok || (temporal.detail === NO_SERVER && !isNeeded)
      ? []
      : [away('temporal-away', 'Temporal', temporal.detail)]),
    ...(kafka === null || kafka.ok ? [] : [away('kafka-away', 'Kafka', kafka.detail)]),
    ...(workers.alive === 0 && isNeeded
      ? [{ ...away('no-worker', 'worker', null), since: workers.lastSeenAt }]
      : []),
    ...api
      .filter(({ calls, failed }) => failed >= MIN_CALLS && failed === calls)
      .map(({ account, lastSuccessAt, lastCode }): Outage => {
        const call = { name: account, since: lastSuccessAt, code: lastCode, reason: null };
        return { kind: 'failing-calls', account, ...call };
      }),
    ...sinks
      .filter(({ circuit, waiting: count }) => circuit === 'open' && count > 0)
      .map(({ sink, code }): Outage => ({ ...away('waiting-sink', sink, null), code })),
  ];
}

/** Something waits for a worker: a run that is not paused, a poller, or anything that is due. */
function hasWork({ health, running, waiting }: Seen): boolean {
  return (
    waiting.length > 0 ||
    running.some(({ paused, state }) => paused === null && state !== 'planned') ||
    health.pollers.some(({ state }) => state === 'polling')
  );
}
