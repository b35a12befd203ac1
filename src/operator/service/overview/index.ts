// The overview, the call log, spending and failures as operators see them.

import { laneName } from '../../../core/lanes.ts';
import { createDeadLetters } from '../../../jobs/events/operator/letters.ts';
import { maskPhone } from '../../../observe/masking.ts';
import type { OVERVIEW } from '../../contract/overview.ts';
import { OperatorError } from '../../error.ts';
import { type CallRow, listCalls, type Period, readSpending } from '../../store/call-log.ts';
import { readFailures } from '../../store/failures.ts';
import { reviewNeed } from '../../store/overview/needs.ts';
import { readMinutes } from '../../store/overview/tokens.ts';
import type { Handlers, OperatorDeps } from '../deps.ts';
import { readApprovals } from './approvals.ts';
import { deadLetterFailures, failureOf, problemsOf } from './failures.ts';
import { sumSpending } from './jobs.ts';
import { minutesOf, stepOf } from './minutes.ts';
import { defaultProbes, type OverviewProbes } from './probes.ts';
import { createOverviewReader } from './read.ts';
import { type ConfiguredToken, createTokenList, keysOf } from './tokens.ts';

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
  const read = createOverviewReader(deps, probes);
  const allTokens = createTokenList(deps);
  const tokensOf = async (account: string | undefined): Promise<readonly ConfiguredToken[]> => {
    const tokens = await allTokens();
    return account === undefined ? tokens : tokens.filter((token) => token.account === account);
  };

  return {
    'GET /overview': async ({ account }, caller) => {
      const only = account ?? null;
      const { needs, mayStand: _, ...state } = await read(only, (rows) => readApprovals(db, caller, rows));
      return {
        ...state,
        needs: needs.slice(0, NEEDS),
        more: needs.length > NEEDS,
        calmSince: calm(only, needs.length, state.at),
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
      const routes = deps.config().config.routes;
      const [found, clusters] = await Promise.all([
        readFailures(db, period, limit + 1, accountsOf(routes)),
        probes.listDeadLetters(),
      ]);
      const letters = deadLetterFailures(clusters, period, (route) => routes[route]?.account ?? null);
      const all = [...found.failures.map(failureOf), ...letters];
      const failures = all.sort((a, b) => b.lastAt.localeCompare(a.lastAt)).slice(0, limit);
      const { since, until } = period;
      const { repaired, retriedCalls } = found;
      const more = all.length > limit;
      return { since, until, failures, more, repaired, retriedCalls, problems: problemsOf(clusters) };
    },
  };
}

function accountsOf(routes: Readonly<Record<string, { readonly account: string }>>): Record<string, string> {
  return Object.fromEntries(Object.entries(routes).map(([route, { account }]) => [route, account]));
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
