// A ledger in which something of everything happened, for tests of the overview.
import type { LoadedConfig } from '../../../../src/config/load.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { shortHash } from '../../../../src/core/sql/short-hash.ts';
import type { OperatorDeps } from '../../../../src/operator/service/deps.ts';
import type { OverviewProbes } from '../../../../src/operator/service/overview/probes.ts';
import { logCalls } from '../../../../src/operator/store/calls.ts';
import { callOf } from '../store/calls-suite.ts';

export const PERSON = '5511987650001';
export const TOKEN = shortHash('svc_a');
const MINUTE = 60_000;

/** Temporal answers, and nothing that only it knows needs a person. */
export const WELL: OverviewProbes = {
  temporal: async () => ({ ok: true, detail: null, roundTripMs: 1 }),
  kafka: async () => null,
  pausedSyncs: async () => new Map(),
  failingWork: async () => [],
  campaigns: async () => new Map(),
  hasBacklog: async () => false,
  starts: async () => [],
  deadLetters: () => [],
  listDeadLetters: async () => [],
};

/** Dependencies of handlers: a configuration with two accounts, of which the second one has a token without a secret. */
export function depsOf(db: Database, warned: object[] = []): OperatorDeps {
  const account = (tokens: readonly string[]) => ({ tokens, callsPerMinute: 120 });
  const config = {
    config: {
      accounts: { acme: account(['svc_a']), beta: account(['missing']) },
      syncs: { leads: { account: 'acme', lane: 'lead' } },
      pollers: { chats: { account: 'acme' } },
      sinks: { crm: {} },
      routes: { signup: { account: 'acme' } },
      ingress: { kafka: {} },
    },
    secret: async (ref: string) => {
      if (ref === 'missing') throw new Error('the variable is not set');
      return { value: ref };
    },
  } as unknown as LoadedConfig;
  return {
    db,
    config: () => config,
    live: null,
    runningTemporal: async () => null,
    now: async () => Date.now(),
    log: { info() {}, warn: (fields: object) => warned.push(fields), error: console.error },
  } as unknown as OperatorDeps;
}

const RUNS = [
  ['acme/leads/1', 'leads', 1, 'sync', 'failed', "now() - interval '2 hours'"],
  ['acme/leads/2', 'leads', 2, 'sync', 'syncing', null],
  ['acme/old/1', 'old', 1, 'sync', 'failed', "now() - interval '3 hours'"],
  ['acme/old/2', 'old', 2, 'sync', 'finished', "now() - interval '2 hours'"],
  ['acme/+spring/1', '+spring', 1, 'campaign', 'syncing', null],
  ['acme/+autumn/1', '+autumn', 1, 'campaign', 'syncing', null],
  ['acme/+winter/1', '+winter', 1, 'campaign', 'failed', "now() - interval '1 hour'"],
  ['acme/~chats/1', '~chats', 1, 'poll', 'syncing', null],
  ['acme/@signup/1', '@signup', 1, 'intake', 'syncing', null],
  ['acme/@+spring/1', '@+spring', 1, 'intake', 'syncing', null],
] as const;

/** @param pending records of the running sync that wait */
export async function fill(db: Database, { pending = 30 } = {}): Promise<void> {
  const config = JSON.stringify({ config: { approval: 'second-person' } });
  for (const [id, sync, seq, kind, status, finished] of RUNS) {
    await db.query(
      `insert into runs (id, account, sync, seq, kind, status, spec, error, started_at, finished_at)
       values ($1, 'acme', $2, $3, $4, $5, $6, $7, now() - interval '20 minutes', ${finished ?? 'null'})`,
      [
        id,
        sync,
        seq,
        kind,
        status,
        config,
        status === 'failed' && kind === 'sync' ? 'the source is gone' : null,
      ],
    );
  }
  await db.query(
    `update runs set rows_read = $1::int + 100, rows_rejected = 2, rows_merged = 3, rows_same = 5 where id = 'acme/leads/2'`,
    [pending],
  );
  // The first of the run have ended, and two wait for a retry.
  await db.query(
    `insert into run_records (run_id, key, row_no, todo, status, code, reason, ended_at, due_at)
     select 'acme/leads/2', n::text, n, 0,
            case when n > 90 then 'pending' when n = 1 then 'failed' when n = 2 then 'unknown' else 'created' end,
            case when n <= 2 then 'ERR_INVALID_NUMBER' end, case when n <= 2 then 'no such number' end,
            case when n <= 90 then now() - interval '5 minutes' end,
            case when n between 91 and 92 then now() else '-infinity' end
       from generate_series(1, 90 + $1::int) n`,
    [pending],
  );
  await db.query(
    `insert into row_problems (run_id, row_no, kind, field, code, reason) values
       ('acme/leads/2', 7, 'reject', 'contact.number', 'NUMBER_INVALID', 'not a number'),
       ('acme/leads/2', 8, 'reject', 'contact.number', 'NUMBER_INVALID', 'not a number')`,
  );
  await fillCampaigns(db);
  await fillEvents(db);
  await fillCalls(db);
}

async function fillCampaigns(db: Database): Promise<void> {
  await db.query(
    `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by, planned_at, plan, paused) values
       ('acme/+spring/1', 'acme', 'spring', 'd', 'running', now(), 'ana', now(),
        '{"eligible": 100, "calls": {"planning": 4}}', '{"by": "bia", "reason": "lunch"}'),
       ('acme/+autumn/1', 'acme', 'autumn', 'd', 'planned', now(), 'ana', now() - interval '1 hour',
        '{"eligible": 10, "calls": {"planning": 4}}', null)`,
  );
  await db.query(
    `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by, planned_at, reason)
     values ('acme/+winter/1', 'acme', 'winter', 'd', 'failed', now(), 'ana', now(), 'there is no such tag')`,
  );
  await db.query(
    `insert into campaign_waves (run_id, wave, kind, size, started_at, ended_at) values
       ('acme/+spring/1', 1, 'canary', 10, now(), now()), ('acme/+spring/1', 2, 'wave', 20, now(), null)`,
  );
  await db.query(
    `insert into campaign_members (run_id, key, part, state, code, wave, ended_at)
     select 'acme/+spring/1', n::text, 0, case when n = 1 then 'unknown' when n = 2 then 'failed' when n <= 15 then 'triggered' else 'waiting' end,
            case when n = 1 then 'LOST' when n = 2 then 'ERR_FLOW' end, case when n <= 10 then 1 when n <= 30 then 2 end, now()
       from generate_series(1, 100) n`,
  );
}

async function fillEvents(db: Database): Promise<void> {
  await db.query(
    `insert into events (id, account, route, run_id, action, subject, state, outcome, code, reason, block_code, block_reason,
                         accepted_at, ended_at) values
       ('e1', 'acme', 'signup', 'acme/@signup/1', 'lead', 's', 'ended', 'unknown', 'LOST', 'no answer', null, null, now(), now()),
       ('e2', 'acme', 'signup', 'acme/@signup/1', 'lead', 's', 'accepted', null, null, null, 'ERR_PLAN', 'not in the plan', now(), null),
       ('e3', 'acme', 'signup', 'acme/@signup/1', 'message', 's', 'accepted', null, null, null, null, null, now(), null),
       ('e4', 'acme', 'signup', 'acme/@signup/1', 'message', 's', 'ended', 'done', null, null, null, null, now(), now())`,
  );
  await db.query(
    `insert into pollers (account, poller, run_id, block_code, block_reason, started_at) values
       ('acme', 'chats', 'acme/~chats/1', 'ERR_SCOPE_MISSING', 'no permission', now() - interval '1 hour')`,
  );
  await db.query(
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, todo_at)
     select 'acme', n, 'chats', 1, 'waba', n::text, now(), 'f', '{}', case when n <= 3 then now() end from generate_series(1, 9) n`,
  );
  await db.query(
    `insert into outbox (sink, stream, account, event_id, type, event, state, code, reason, tried_at, created_at)
     select 'crm', 's', 'acme', n::text, 't', '{}', case when n <= 2 then 'dead' else 'waiting' end, 'HTTP_400', 'refused',
            now(), now() - case when n <= 2 then interval '70 seconds' else interval '1 minute' end from generate_series(1, 5) n`,
  );
  await db.query(`insert into sink_states (sink, sent, code) values ('crm', 7, 'HTTP_400')`);
  await db.query(`insert into people (account, key) values ('acme', $1)`, [PERSON]);
}

async function fillCalls(db: Database): Promise<void> {
  await db.query(
    `insert into slots (token, call_limit, slot_no, window_base, window_before, window_ends) values ($1, 100, 41, -10, 14, now() + interval '30 seconds')`,
    [TOKEN],
  );
  await db.query(
    `insert into token_marks (token, scope, code) values ($1, 'cards:write', 'ERR_SCOPE_MISSING')`,
    [TOKEN],
  );
  const call = (run: string, lane: number, over: object = {}) =>
    callOf({ account: 'acme', token: TOKEN, run_id: run, lane, ...over });
  const many = (n: number, run: string, lane: number, over: object) =>
    Array.from({ length: n }, () => call(run, lane, over));
  const started = new Map([
    ['acme/leads/2', 85],
    ['acme/+spring/1', 19],
  ]);
  await logCalls(
    db,
    [
      ...many(80, 'acme/leads/2', 5, { age_ms: 3 * MINUTE }),
      ...many(15, 'acme/+spring/1', 4, { age_ms: 3 * MINUTE }),
      ...many(5, 'acme/@+spring/1', 4, { age_ms: 3 * MINUTE }),
      ...many(30, 'acme/~chats/1', 3, { age_ms: 2 * MINUTE }),
      call('acme/leads/2', 5, {
        age_ms: 1000,
        status: 429,
        code: 'ERR_RATE_LIMITED',
        request_id: 'limited',
      }),
      call('acme/leads/2', 5, { age_ms: 900, status: null, code: 'TRANSPORT_RESET', request_id: null }),
      call('acme/@signup/1', 1, { age_ms: 800, person_key: PERSON, event_id: 'e4', conversation_id: 3 }),
    ],
    started,
  );
}
