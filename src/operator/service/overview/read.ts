// The one reading of what goes on and what needs a person. The overview shows it, and notices are made of it.

import { laneName } from '../../../core/lanes.ts';
import type { Approval } from '../../../jobs/campaigns/contract/approval.ts';
import type { Health, SinkHealth } from '../../contract/health.ts';
import type { Need, RunningRun, TokenGauge, WaitingStart, WaitingWork } from '../../contract/overview.ts';
import { readHealth, readSinks } from '../../store/overview/health.ts';
import { MOST_OF_A_KIND, type NeedRow, readNeeds } from '../../store/overview/needs.ts';
import { readSuccesses } from '../../store/overview/successes.ts';
import { readTokens } from '../../store/overview/tokens.ts';
import { readRunning, readWaiting } from '../../store/overview/work.ts';
import { readWorkers } from '../../store/overview/workers.ts';
import type { OverviewDeps } from '../deps.ts';
import type { FailingWork } from './failing-work.ts';
import { createFirstSeen } from './first-seen.ts';
import { runNameOf } from './jobs.ts';
import { needsOf } from './needs.ts';
import { outagesOf } from './outages.ts';
import type { OverviewProbes } from './probes.ts';
import { unbegun } from './starts.ts';
import { type ConfiguredToken, createTokenList, keysOf } from './tokens.ts';
import { withCauses } from './waits-for.ts';
import { runningOf, waitingOf } from './work.ts';

export interface OverviewReading {
  /** By the ledger's clock. */
  readonly at: string;
  readonly health: Health;
  readonly tokens: TokenGauge[];
  readonly running: RunningRun[];
  readonly waiting: WaitingWork[];
  readonly starts: WaitingStart[];
  /** All of them, the most severe first. */
  readonly needs: readonly Need[];
  /** Whether a need may still stand although it is not among `needs`: this reading can't know. */
  mayStand(need: Pick<Need, 'kind' | 'account'>): boolean;
}

/** What the reader may do about plans that wait for approval, by run. */
type Approvals = (rows: readonly NeedRow[]) => Promise<ReadonlyMap<string, Approval>>;

/** Without a reader, there is nobody who may approve. */
const NOBODY: Approvals = async () => new Map();

/** Milliseconds after an outage of the ledger in which each worker that is alive reports again. */
const REPORTED_MS = 5000;

/** One reader a process: it remembers since when it has seen what nothing stores. */
export function createOverviewReader(
  deps: OverviewDeps,
  probes: OverviewProbes,
): (account: string | null, approvals?: Approvals) => Promise<OverviewReading> {
  const { db } = deps;
  const firstSeen = createFirstSeen();
  const allTokens = createTokenList(deps);
  let failedAtMs = Number.NEGATIVE_INFINITY;
  const accountOf = (route: string) => deps.config().config.routes[route]?.account ?? null;

  async function gauges(tokens: readonly ConfiguredToken[]): Promise<TokenGauge[]> {
    const rows = new Map((await readTokens(db, keysOf(tokens))).map((row) => [row.token, row]));
    return tokens.map((token) => gaugeOf(token, rows.get(token.token)));
  }

  async function health(account: string | null, sinks: readonly SinkHealth[]): Promise<Health> {
    const began = performance.now();
    await db.query('select 1');
    const roundTripMs = Math.round((performance.now() - began) * 100) / 100;
    const { lastFlushAt, accounts: api, pollers } = await readHealth(db, account);
    const ledger = { kind: db.kind, roundTripMs, lastFlushAt };
    const configuration = configurationOf(deps);
    const workers = await readWorkers(db);
    const [temporal, kafka] = await Promise.all([probes.temporal(), probes.kafka()]);
    return {
      configuration,
      ledger,
      temporal,
      kafka,
      workers: { ...workers, versions: [...workers.versions] },
      api: [...api],
      pollers: [...pollers],
      sinks: [...sinks],
    };
  }

  const read = async (only: string | null, approvalsOf: Approvals): Promise<OverviewReading> => {
    const configured = (await allTokens()).filter(({ account }) => only === null || account === only);
    // One after the other: a refresh takes one connection of the ledger, not five.
    const sinks = await readSinks(db, Object.keys(deps.config().config.sinks));
    const tokens = await gauges(configured);
    const rows = await readRunning(db, only);
    const waiting = await readWaiting(db, only);
    const { at, needs } = await readNeeds(db, only);
    const approvals = await approvalsOf(needs);
    const pauses = await probes.pausedSyncs(rows);
    const estimates = await probes.campaigns(rows);
    const running = rows.map((row) => runningOf(row, pauses.get(row.run), estimates.get(row.run)));
    const failing = await probes.failingWork();
    const work = failing.filter((each) => only === null || each.account === null || each.account === only);
    const letters = probes.deadLetters().flatMap((open) => {
      const of = accountOf(open.route);
      return only === null || of === only ? [{ ...open, account: of }] : [];
    });
    const known = await health(only, sinks);
    const isMissed = known.workers.alive === 0 && performance.now() - failedAtMs > REPORTED_MS;
    const starts = isMissed ? unbegun(await probes.starts(), running) : [];
    const seen = {
      health: known,
      running,
      waiting: waitingOf(running, waiting, sinks),
      starts: starts.filter(({ account }) => only === null || account === only),
    };
    const hasBacklog = isMissed && (await probes.hasBacklog());
    const outages = outagesOf({ ...seen, at, hasBacklog, isMissed });
    const causes = withCauses({ running, waiting: seen.waiting, isMissed, outages });
    const state = { ...seen, ...causes };
    const all = needsOf({
      rows: needs,
      approvals,
      work,
      successes: await successesOf(db, work, known),
      tokens,
      pauses: [...pauses.values()],
      letters,
      outages,
      at,
      accountOf,
      withTimes: (found) => firstSeen(only, found, at),
    }).filter(({ account: of }) => only === null || of === null || of === only);
    const unsure = unsureKinds(state.health, needs);
    const silent = silentAccounts(deps.config().config.accounts, state.health);
    const mayStand: OverviewReading['mayStand'] = ({ kind, account }) =>
      unsure.has(kind) || (BY_CALLS.has(kind) && account !== null && silent.has(account));
    return { at, ...state, tokens, needs: all, mayStand };
  };

  return async (only, approvalsOf = NOBODY) => {
    try {
      return await read(only, approvalsOf);
    } catch (error) {
      failedAtMs = performance.now();
      throw error;
    }
  };
}

/** What succeeded after work failed. Nothing is read while nothing fails. */
async function successesOf(db: OverviewDeps['db'], work: readonly FailingWork[], { api }: Health) {
  const found = await readSuccesses(
    db,
    work.flatMap(({ account, kind, name, failedAt }) => {
      const sync = runNameOf(kind, name);
      return account === null || failedAt === null || sync === null
        ? []
        : [{ account, sync, since: failedAt }];
    }),
  );
  return {
    ofAccount: (account: string) => api.find((each) => each.account === account)?.lastSuccessAt ?? null,
    ofWork: ({ account, kind, name }: FailingWork) =>
      found.find((each) => each.account === account && each.sync === runNameOf(kind, name))?.at ?? null,
  };
}

/** Kinds that only Temporal knows. */
const BY_TEMPORAL = ['paused-sync', 'blocked-sync', 'failing-batch', 'no-worker'] as const;

function unsureKinds({ temporal, kafka }: Health, rows: readonly NeedRow[]): Set<Need['kind']> {
  const counts = new Map<NeedRow['kind'], number>();
  for (const { kind } of rows) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const cut = [...counts].filter(([, count]) => count >= MOST_OF_A_KIND).map(([kind]) => kind);
  return new Set<Need['kind']>([
    ...cut,
    ...(temporal?.ok === false ? BY_TEMPORAL : []),
    ...(kafka?.ok === false ? (['dead-letters'] as const) : []),
  ]);
}

/** Kinds that end when a call of the account succeeds. */
const BY_CALLS: ReadonlySet<Need['kind']> = new Set(['failing-calls', 'service-away']);

/** Accounts without a success lately. Perhaps blocked work makes no calls. */
function silentAccounts(configured: Readonly<Record<string, unknown>>, { api }: Health): Set<string> {
  const silent = new Set(Object.keys(configured));
  for (const { account, lastSuccessAt } of api) if (lastSuccessAt !== null) silent.delete(account);
  return silent;
}

function configurationOf({ live }: Pick<OverviewDeps, 'live'>): Health['configuration'] {
  if (live === null) return null;
  return { loadedAt: live.current().loadedAt, ...live.state() };
}

function gaugeOf(
  { account, token, position, limit }: ConfiguredToken,
  row: Awaited<ReturnType<typeof readTokens>>[number] | undefined,
): TokenGauge {
  const lanes = Object.entries(row?.lanes ?? {}).map(([lane, n]) => [laneName(Number(lane)), n] as const);
  const logged = lanes.reduce((sum, [, n]) => sum + n, 0);
  // The log may have calls that began in the window before.
  const used = Math.max(row?.used ?? 0, logged);
  const others = Math.min(row?.others ?? 0, used - logged);
  return {
    account,
    token,
    position,
    limit: row?.limit ?? limit,
    used,
    windowEndsAt: row?.windowEndsAt ?? null,
    lanes: Object.fromEntries(lanes),
    others,
    underWay: used - logged - others,
    foreign: row?.foreign ?? 0,
    limited: row?.limited ?? 0,
    blockedUntil: row?.blockedUntil ?? null,
    marks: (row?.marks ?? []).map(({ scope, code, at }) => ({
      scope: scope === '' ? null : scope,
      code,
      at,
    })),
  };
}
