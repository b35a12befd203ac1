// An overview on which much goes on, and one on which all is well. Names are hostile where they come from people.
import type { z } from 'zod';
import type { OVERVIEW } from '../../../src/operator/contract/overview.ts';

type Overview = z.output<(typeof OVERVIEW)['GET /overview']['output']>;
type Spending = z.output<(typeof OVERVIEW)['GET /spending']['output']>;

const MINUTE_MS = 60_000;
const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();
const ahead = (minutes: number) => ago(-minutes);

export const HOSTILE_NAME = '<img src=x onerror=alert(1)>=HYPERLINK("https://evil.invalid")';

export function busyOverview(): Overview {
  return {
    at: ago(0),
    health: {
      configuration: { loadedAt: ago(60), brokenSince: null, error: null, needsRestart: [] },
      ledger: { kind: 'postgres', roundTripMs: 1.8, lastFlushAt: ago(0) },
      temporal: { ok: true, detail: null, roundTripMs: 3.2 },
      kafka: { ok: true, detail: null, topics: [{ route: 'leads', topic: 'crm.leads', lag: 42 }] },
      workers: { alive: 2, lastSeenAt: ago(0), versions: ['0.1.0'] },
      api: [
        {
          account: 'acme',
          calls: 596,
          failed: 4,
          unanswered: 0,
          lastCallAt: ago(0),
          lastSuccessAt: ago(0),
          lastCode: null,
        },
        {
          account: 'globex',
          calls: 80,
          failed: 9,
          unanswered: 0,
          lastCallAt: ago(1),
          lastSuccessAt: ago(1),
          lastCode: 'ERR_CONNECTION_NOT_CONNECTED',
        },
      ],
      pollers: [],
      sinks: [],
    },
    tokens: [
      {
        account: 'acme',
        token: 'a1',
        position: 1,
        limit: 120,
        used: 100,
        windowEndsAt: ahead(1),
        lanes: { reply: 4, lead: 18, poll: 12, campaign: 41, backfill: 22 },
        others: 3,
        underWay: 0,
        foreign: 3.4,
        limited: 0,
        blockedUntil: null,
        marks: [],
      },
      {
        account: 'globex',
        token: 'g1',
        position: 1,
        limit: 120,
        used: 120,
        windowEndsAt: ahead(1),
        lanes: { lead: 6, poll: 30, backfill: 84 },
        others: 0,
        underWay: 0,
        foreign: 0,
        limited: 2,
        blockedUntil: ahead(1),
        marks: [{ scope: 'cards:write', code: 'ERR_SCOPE_MISSING', at: ago(30) }],
      },
    ],
    waiting: [
      {
        lane: 'lead',
        kind: 'events',
        account: 'acme',
        name: 'leads',
        count: 3,
        exact: true,
        since: ago(1),
        place: 1,
        etaSeconds: 12,
        waitsFor: null,
      },
      {
        lane: 'campaign',
        kind: 'members',
        account: 'acme',
        name: 'spring',
        count: 61_240,
        exact: true,
        since: ago(300),
        place: 2,
        etaSeconds: 90_000,
        waitsFor: null,
      },
      {
        lane: 'backfill',
        kind: 'records',
        account: 'acme',
        name: 'contacts',
        count: 8_412,
        exact: false,
        since: ago(30),
        place: 3,
        etaSeconds: 22_400,
        waitsFor: null,
      },
      {
        lane: null,
        kind: 'outbox',
        account: 'acme',
        name: 'warehouse',
        count: 118,
        exact: true,
        since: null,
        place: null,
        etaSeconds: null,
        waitsFor: null,
      },
    ],
    starts: [],
    running: [
      {
        run: 'campaign-1',
        kind: 'campaign',
        account: 'acme',
        name: 'spring',
        state: 'running',
        lane: 'campaign',
        startedAt: ago(300),
        done: 38_760,
        total: 100_000,
        exact: true,
        progress: 0.3876,
        calls: 41_020,
        callsPerMinute: 41,
        etaSeconds: 90_000,
        waiting: null,
        paused: null,
        blocked: null,
        waitsFor: null,
      },
      {
        run: 'sync-1',
        kind: 'sync',
        account: 'globex',
        name: HOSTILE_NAME,
        state: 'syncing',
        lane: 'backfill',
        startedAt: ago(30),
        done: 1_204,
        total: 8_000,
        exact: true,
        progress: 0.15,
        calls: 2_410,
        callsPerMinute: 0,
        etaSeconds: null,
        waiting: null,
        paused: { by: 'user:bia', reason: 'waits for the new export' },
        blocked: null,
        waitsFor: null,
      },
    ],
    needs: [
      {
        kind: 'dead-outbox',
        severity: 'critical',
        account: 'acme',
        name: 'warehouse',
        run: null,
        count: 118,
        since: ago(2000),
        code: 'HTTP_500',
        reason: 'the sink answered 500 for 24 hours',
        approval: null,
        commands: [{ route: 'POST /outbox/retry', input: { sink: 'warehouse' } }],
      },
      {
        kind: 'blocked-campaign',
        severity: 'critical',
        account: 'globex',
        name: 'winback',
        run: 'campaign-7',
        count: 1,
        since: ago(95),
        code: 'ERR_FLOW_INACTIVE',
        reason: 'flow 7 is not active; activate it, then resume',
        approval: null,
        commands: [{ route: 'POST /campaigns/{run}/resume', input: { run: 'campaign-7' } }],
      },
      {
        kind: 'unknown-members',
        severity: 'warning',
        account: 'acme',
        name: 'spring',
        run: 'campaign-1',
        count: 3,
        since: ago(42),
        code: 'ANSWER_LOST',
        reason: null,
        approval: null,
        commands: [],
      },
      {
        kind: 'approval',
        severity: 'info',
        account: 'acme',
        name: HOSTILE_NAME,
        run: 'campaign-9',
        count: 1,
        since: ago(10),
        code: null,
        reason: null,
        approval: { refusal: null, approvers: ['bia'], from: null },
        commands: [
          {
            route: 'POST /campaigns/{campaign}/approve',
            input: { campaign: HOSTILE_NAME, run: 'campaign-9' },
          },
        ],
      },
    ],
    more: false,
    calmSince: null,
  };
}

export function quietOverview(): Overview {
  const { health, tokens, ...rest } = busyOverview();
  return {
    ...rest,
    health: {
      ...health,
      kafka: null,
      api: health.api.slice(0, 1),
    },
    tokens: tokens.slice(0, 1),
    waiting: [],
    starts: [],
    running: [],
    needs: [],
  };
}

/** One hour of calls, with a quiet spell and a burst. */
export function callMinutes(minutes: number) {
  return {
    stepMinutes: 1,
    minutes: Array.from({ length: minutes }, (_, index) => {
      const wave = 0.5 + Math.sin(index / 7) / 2;
      const succeeded = {
        reply: Math.round(4 * wave),
        lead: Math.round(20 * wave),
        poll: 12,
        campaign: index > 20 ? Math.round(60 * wave) : 0,
        backfill: Math.round(100 * (1 - wave)),
      };
      // Ten minutes in which the service refused.
      const [limited, failed] = index >= 30 && index < 40 ? [5, 40] : [0, 0];
      return {
        at: new Date(
          Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - (minutes - index) * MINUTE_MS,
        ).toISOString(),
        calls: { ...succeeded, backfill: succeeded.backfill + limited + failed },
        succeeded,
        limited,
        failed,
        limit: 240,
      };
    }),
  };
}

/** Two syncs, a campaign and a route spent calls. */
export function spending(): Spending {
  const job = (kind: Spending['items'][number]['kind'], name: string, calls: number) => ({
    account: 'acme',
    kind,
    name,
    run: null,
    calls,
    lanes: { [kind === 'campaign' ? 'campaign' : kind === 'route' ? 'lead' : 'backfill']: calls },
    nextLane: kind === 'sync' ? ('backfill' as const) : null,
    share: calls / 5000,
    limited: 0,
    failed: 0,
    waitMs: 200,
  });
  return {
    since: ago(60),
    until: ago(0),
    calls: 5000,
    items: [
      job('sync', 'contacts', 3200),
      job('campaign', 'spring', 1500),
      job('route', 'leads', 200),
      job('command', 'commands of operators', 60),
      job('preview', 'previews of audiences', 40),
      job('sync', HOSTILE_NAME, 100),
    ],
    more: false,
  };
}
