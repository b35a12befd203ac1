// Parts of the system that do not work, as needs of the overview.
import type { Health } from '../../contract/health.ts';
import type { Need, RunningRun, WaitingStart, WaitingWork } from '../../contract/overview.ts';
import { isAwayCode } from './away-code.ts';
import { NO_SERVER } from './probes.ts';

type Outage = Pick<Need, 'account' | 'name' | 'since' | 'code' | 'reason' | 'params'> & {
  readonly kind: Extract<
    Need['kind'],
    | 'failing-calls'
    | 'service-away'
    | 'waiting-sink'
    | 'no-worker'
    | 'temporal-away'
    | 'kafka-away'
    | 'broken-configuration'
  >;
};

/** Fewer calls than this in five minutes say nothing about the service. */
const MIN_CALLS = 3;

/** Without a success for this long, the failures are no hiccup. */
const NO_SUCCESS_MS = 15_000;
/** Seconds. By then an event was tried again, so its receiver was not only busy for a moment. */
const SINK_FAILS_S = 20;

interface Seen {
  /** By the ledger's clock. */
  readonly at: string;
  readonly health: Health;
  readonly running: readonly RunningRun[];
  readonly waiting: readonly WaitingWork[];
  readonly starts: readonly WaitingStart[];
  /** Work was started that no worker has begun. The ledger does not know it yet. */
  readonly hasBacklog: boolean;
  /** No worker is alive. */
  readonly isMissed: boolean;
}

export function outagesOf(seen: Seen): Outage[] {
  const { health, at } = seen;
  const { configuration, api, sinks, temporal, kafka } = health;
  const away = (kind: Outage['kind'], name: string, reason: string | null): Outage => ({
    kind,
    account: null,
    name,
    since: null,
    code: null,
    reason,
  });
  const isNeeded = hasWork(seen);
  return [
    ...brokenConfiguration(configuration),
    // Sluice may stay stopped while there is nothing to do.
    ...(temporal === null || temporal.ok || (temporal.detail === NO_SERVER && !isNeeded)
      ? []
      : [away('temporal-away', 'Temporal', temporal.detail)]),
    ...(kafka === null || kafka.ok ? [] : [away('kafka-away', 'Kafka', kafka.detail)]),
    ...(seen.isMissed && isNeeded ? [missedWorker(seen)] : []),
    ...api
      .filter((account) => failsAlways(account, at))
      .map(({ account, lastSuccessAt, lastCode }): Outage => {
        const isAway = isAwayCode(lastCode);
        return {
          kind: isAway ? 'service-away' : 'failing-calls',
          account,
          name: account,
          since: lastSuccessAt,
          code: lastCode,
          reason: isAway && lastCode?.startsWith('TRANSPORT_') ? 'the service does not answer' : null,
        };
      }),
    ...sinks.filter(takesNothing).map(({ sink, code, reason, lagSeconds }): Outage => {
      const since = lagSeconds === null ? null : before(at, lagSeconds);
      return { ...away('waiting-sink', sink, reason), code, since };
    }),
  ];
}

const before = (at: string, seconds: number) => new Date(Date.parse(at) - seconds * 1000).toISOString();

/** Names of waiting work that a need lists. */
const MOST_NAMED = 5;

/** What waits, and the command that helps: without servers of its own, a ledger has the process that brings them. */
function missedWorker({ health, running, waiting, starts }: Seen): Outage {
  const named = [
    ...starts,
    ...running.filter(isWaiting),
    ...waiting.filter(({ kind }) => kind !== 'records' && kind !== 'members'),
    ...health.pollers
      .filter(({ state }) => state === 'polling')
      .map(({ account, poller }) => ({ account, name: poller })),
  ].map(({ account, name }) => (account === null ? name : `${name} (${account})`));
  const all = [...new Set(named)];
  const work = all.slice(0, MOST_NAMED);
  const more = all.length - work.length;
  const command = health.ledger.kind === 'pglite' ? 'npx sluice dev' : 'npx sluice worker';
  const which = work.length === 0 ? 'some' : more === 0 ? 'named' : 'more';
  const list = `${work.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
  return {
    kind: 'no-worker',
    account: null,
    name: 'worker',
    since: health.workers.lastSeenAt,
    code: 'NO_WORKER',
    reason: `${which === 'some' ? '' : `waiting: ${list}; `}start a worker`,
    params: { which: [which], work, more, command },
  };
}

/** What was changed since is not in use, and no process can start again. */
function brokenConfiguration(state: Health['configuration']): Outage[] {
  if (state === null || state.brokenSince === null) return [];
  // One problem a line, each with its place.
  const [first = '', ...more] = (state.error ?? '').split('\n');
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return [
    {
      kind: 'broken-configuration',
      account: null,
      name: 'sluice.yaml',
      since: state.brokenSince,
      code: null,
      reason: `${first}${others}`,
    },
  ];
}

/** What the service refuses may concern a few records; what it does not answer, or answers with 401, concerns all calls. */
function failsAlways(
  { calls, failed, unanswered, lastSuccessAt }: Health['api'][number],
  at: string,
): boolean {
  if (failed >= MIN_CALLS && failed === calls) return true;
  const calm = lastSuccessAt === null ? Infinity : Date.parse(at) - Date.parse(lastSuccessAt);
  return unanswered >= MIN_CALLS && calm >= NO_SUCCESS_MS;
}

/** Events wait while attempts fail. Sluice leaves a sink alone only after several failures, which a few events take hours for. */
function takesNothing({ circuit, code, waiting, lagSeconds }: Health['sinks'][number]): boolean {
  const keepsFailing = code !== null && (lagSeconds ?? 0) >= SINK_FAILS_S;
  return waiting > 0 && (circuit === 'open' || keepsFailing);
}

/** Something waits for a worker: a run that is not paused, a poller, or anything that is due. */
function hasWork({ health, running, waiting, starts, hasBacklog }: Seen): boolean {
  return (
    hasBacklog ||
    starts.length > 0 ||
    waiting.length > 0 ||
    running.some(isWaiting) ||
    health.pollers.some(({ state }) => state === 'polling')
  );
}

function isWaiting({ paused, state }: RunningRun): boolean {
  return paused === null && state !== 'planned';
}
