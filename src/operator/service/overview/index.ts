// The overview, the call log, spending and failures as operators see them.

import { createDeadLetters } from '../../../jobs/events/operator/letters.ts';
import { maskPhone } from '../../../observe/masking.ts';
import type { Health, OVERVIEW, TokenGauge } from '../../contract/overview.ts';
import { OperatorError } from '../../error.ts';
import { type CallRow, listCalls, type Period, readSpending } from '../../store/call-log.ts';
import { readFailures } from '../../store/failures.ts';
import { readHealth, readSinks, type SinkRow } from '../../store/overview/health.ts';
import { readNeeds, reviewNeed } from '../../store/overview/needs.ts';
import { readMinutes, readTokens } from '../../store/overview/tokens.ts';
import { readRunning, readWaiting } from '../../store/overview/work.ts';
import { readWorkers } from '../../store/overview/workers.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import { readApprovals } from './approvals.ts';
import { deadLetterFailures, failureOf, problemsOf } from './failures.ts';
import { createFirstSeen } from './first-seen.ts';
import { laneName, sumSpending } from './jobs.ts';
import { minutesOf, stepOf } from './minutes.ts';
import { needsOf } from './needs.ts';
import { outagesOf } from './outages.ts';
import { defaultProbes, type OverviewProbes } from './probes.ts';
import { type ConfiguredToken, createTokenList } from './tokens.ts';
import { runningOf, waitingOf } from './work.ts';

/** Needs shown. */
const NEEDS = 200;
const DAY_MS = 86_400_000;

/** Remembers since when the looks at the overview have found nothing, of each account and of all. */
function createCalm(): (account: string | null, needs: number, at: string) => string | null {
  const since = new Map<string | null, string>();
  return (account, needs, at) => {
    if (needs > 0) since.delete(account);
    else if (!since.has(account)) since.set(account, at);
    return since.get(account) ?? null;
  };
}

export function overviewHandlers(
  deps: OperatorDeps,
  probes: OverviewProbes = defaultProbes(deps, createDeadLetters(deps)),
): Handlers<keyof typeof OVERVIEW> {
  const { db } = deps;
  const calm = createCalm();
  const firstSeen = createFirstSeen();
  const allTokens = createTokenList(deps);
  const accountOf = (route: string) => deps.config().config.routes[route]?.account ?? null;
  const tokensOf = async (account: string | undefined): Promise<readonly ConfiguredToken[]> => {
    const tokens = await allTokens();
    return account === undefined ? tokens : tokens.filter((token) => token.account === account);
  };

  async function gauges(tokens: readonly ConfiguredToken[]): Promise<TokenGauge[]> {
    const rows = new Map((await readTokens(db, keysOf(tokens))).map((row) => [row.token, row]));
    return tokens.map((token) => gaugeOf(token, rows.get(token.token)));
  }

  async function health(account: string | null, sinks: readonly SinkRow[]): Promise<Health> {
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

  return {
    'GET /overview': async ({ account }, caller) => {
      const only = account ?? null;
      const configured = await tokensOf(account);
      // One after the other: a refresh takes one connection of the ledger, not five.
      const sinks = await readSinks(db, Object.keys(deps.config().config.sinks));
      const tokens = await gauges(configured);
      const running = await readRunning(db, only);
      const waiting = await readWaiting(db, only);
      const { at, needs } = await readNeeds(db, only);
      const approvals = await readApprovals(db, caller, needs);
      const pauses = await probes.pausedSyncs(running);
      const estimates = await probes.campaigns(running);
      const runs = running.map((row) => runningOf(row, pauses.get(row.run), estimates.get(row.run)));
      const failing = await probes.failingWork();
      const work = failing.filter((each) => only === null || each.account === null || each.account === only);
      const letters = probes.deadLetters().flatMap((open) => {
        const of = accountOf(open.route);
        return only === null || of === only ? [{ ...open, account: of }] : [];
      });
      const state = {
        health: await health(only, sinks),
        running: runs,
        waiting: waitingOf(runs, waiting, sinks),
      };
      const hasBacklog = state.health.workers.alive === 0 && (await probes.hasBacklog());
      const outages = outagesOf({ ...state, at, hasBacklog });
      const all = needsOf({
        rows: needs,
        approvals,
        work,
        tokens,
        pauses: [...pauses.values()],
        letters,
        outages,
        at,
        accountOf,
        withTimes: (found) => firstSeen(only, found, at),
      }).filter(({ account: of }) => only === null || of === null || of === only);
      return {
        at,
        ...state,
        tokens,
        needs: all.slice(0, NEEDS),
        more: all.length > NEEDS,
        calmSince: calm(only, all.length, at),
      };
    },
    'POST /needs/review': async (input) => {
      await reviewNeed(db, input);
      return {};
    },
    'GET /calls/minutes': async ({ account, token, minutes }) => {
      const tokens = (await tokensOf(account)).filter((each) => token === undefined || each.token === token);
      const stepMinutes = stepOf(minutes);
      const stepS = stepMinutes * 60;
      const to = Math.floor(Date.now() / 1000 / stepS) * stepS;
      const from = to - (Math.ceil(minutes / stepMinutes) - 1) * stepS;
      const rows = await readMinutes(db, { tokens: keysOf(tokens), from, stepS });
      return { stepMinutes, minutes: minutesOf(rows, { from, to, stepMinutes }, tokens) };
    },
    'GET /calls': async ({ before, person, limit, unmask, ...filter }) => {
      const rows = await listCalls(db, {
        ...filter,
        person: person === undefined ? undefined : Number(person.slice(1)),
        before: before === undefined ? undefined : placeOf(before),
        limit,
      });
      const positions = new Map((await allTokens()).map(({ token, position }) => [token, position]));
      const calls = rows.map((row) => callOf(row, positions.get(row.token) ?? null, unmask));
      const last = rows.at(-1);
      return { calls, next: rows.length < limit || last === undefined ? null : `${last.place}_${last.id}` };
    },
    'GET /spending': async ({ by, limit, ...given }) => {
      const period = periodOf(given);
      const rows = await readSpending(db, period);
      const items = sumSpending(rows, by, deps.config().config.syncs);
      const { since, until } = period;
      const calls = rows.reduce((sum, row) => sum + row.calls, 0);
      return { since, until, calls, items: items.slice(0, limit), more: items.length > limit };
    },
    'GET /failures': async ({ limit, ...given }) => {
      const period = periodOf(given);
      const [found, clusters] = await Promise.all([
        readFailures(db, period, limit + 1),
        probes.listDeadLetters(),
      ]);
      const routes = deps.config().config.routes;
      const letters = deadLetterFailures(clusters, period, (route) => routes[route]?.account ?? null);
      const all = [...found.failures.map(failureOf), ...letters];
      const failures = all.sort((a, b) => b.lastAt.localeCompare(a.lastAt)).slice(0, limit);
      const { since, until } = period;
      const { repaired } = found;
      const more = all.length > limit;
      return { since, until, failures, more, repaired, problems: problemsOf(clusters) };
    },
  };
}

function configurationOf({ live }: Pick<OperatorDeps, 'live'>): Health['configuration'] {
  if (live === null) return null;
  return { loadedAt: live.current().loadedAt, ...live.state() };
}

const keysOf = (tokens: readonly ConfiguredToken[]) => tokens.map(({ token }) => token);

function gaugeOf(
  { account, token, position, limit }: ConfiguredToken,
  row: Awaited<ReturnType<typeof readTokens>>[number] | undefined,
): TokenGauge {
  const lanes = Object.entries(row?.lanes ?? {}).map(([lane, n]) => [laneName(Number(lane)), n] as const);
  return {
    account,
    token,
    position,
    limit: row?.limit ?? limit,
    used: row?.used ?? 0,
    windowEndsAt: row?.windowEndsAt ?? null,
    lanes: Object.fromEntries(lanes),
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

function callOf({ person, personId, ...row }: CallRow, position: number | null, unmask: boolean) {
  return {
    ...row,
    position,
    lane: laneName(row.lane),
    person: person === null || unmask ? person : maskPhone(person),
    personId: personId === null ? null : `p${personId}`,
  };
}

/** The place in the log that `next` of a page names. */
function placeOf(cursor: string): { at: string; id: number } {
  const [, at, id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z)_(\d{1,15})$/.exec(cursor) ?? [];
  if (at === undefined || Number.isNaN(Date.parse(at)))
    throw new OperatorError('invalid', 'before: pass `next` of the page before', { code: 'CURSOR' });
  return { at, id: Number(id) };
}

interface GivenPeriod {
  readonly account?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

function periodOf({ account, since, until }: GivenPeriod): Period {
  const end = until === undefined ? Date.now() : Date.parse(until);
  const begin = since === undefined ? end - DAY_MS : Date.parse(since);
  if (begin >= end) throw new OperatorError('invalid', 'since must be before until', { code: 'PERIOD' });
  return {
    account: account ?? null,
    since: new Date(begin).toISOString(),
    until: new Date(end).toISOString(),
  };
}
