// A large ledger for the bench of the overview: as many people, members and calls as its goals name, and work that waits.
import type { Database } from '../../src/core/sql/database.ts';
import { MEMBERS, PLAN, RUN, SPEC } from './campaign-data.ts';

export const PEOPLE = 1_000_000;
export const CALLS = 1_000_000;
/** Days over which the calls are spread, and minutes in which calls are counted. */
const DAYS = 14;
const PENDING = 100_000;
const EVENTS = 50_000;
const CONVERSATIONS = 20_000;

/** @param token hash of the token that made the calls */
export async function fillLedger(db: Database, token: string, say: (line: string) => void): Promise<void> {
  const steps: readonly (readonly [string, string, (readonly unknown[])?])[] = [
    [
      'people',
      `insert into people (account, key) select 'acme', (5511000000000 + n)::text from generate_series(1, ${PEOPLE}) n`,
    ],
    [
      'runs',
      `insert into runs (id, account, sync, seq, kind, status, spec, started_at, finished_at)
       select 'acme/leads/' || n, 'acme', 'leads', n, 'sync', 'finished', jsonb_build_object('padding', repeat('x', 2000)),
              now() - make_interval(hours => 5001 - n), now() - make_interval(hours => 5001 - n, mins => -30)
         from generate_series(1, 5000) n`,
    ],
    [
      'runs under way',
      `insert into runs (id, account, sync, seq, kind, status, spec, rows_read, calls)
       values ('acme/leads/5001', 'acme', 'leads', 5001, 'sync', 'syncing', '{}', ${2 * PENDING}, 200000),
              ('acme/+spring/1', 'acme', '+spring', 1, 'campaign', 'syncing', $1::jsonb, 0, 0),
              ('acme/~chats/1', 'acme', '~chats', 1, 'poll', 'syncing', '{}', 0, 0),
              ('acme/@signup/1', 'acme', '@signup', 1, 'intake', 'syncing', '{}', 0, 0)`,
      [JSON.stringify(SPEC)],
    ],
    [
      'records',
      `insert into run_records (run_id, key, row_no, todo, status, ended_at)
       select 'acme/leads/5001', n::text, n, 4, case when n <= ${PENDING} then 'created' else 'pending' end,
              case when n <= ${PENDING} then now() end from generate_series(1, ${2 * PENDING}) n`,
    ],
    [
      'campaign',
      `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by, plan)
       values ($1, 'acme', 'spring', 'd', 'running', now(), 'ana', $2::jsonb)`,
      [RUN, JSON.stringify(PLAN)],
    ],
    [
      'waves',
      `insert into campaign_waves (run_id, wave, kind, size, started_at, ended_at)
       select 'acme/+spring/1', n, 'wave', 5000, now(), case when n < 8 then now() end from generate_series(1, 8) n`,
    ],
    [
      'members',
      `insert into campaign_members (run_id, key, part, state, wave, place, code, ended_at)
       select 'acme/+spring/1', (5511000000000 + n)::text, 0,
              case when n > 37000 then 'waiting' when n % 1000 = 0 then 'unknown' when n % 50 = 0 then 'failed' else 'triggered' end,
              case when n <= 40000 then (n - 1) / 5000 + 1 end, n, case when n % 50 = 0 then 'ERR_FLOW' end,
              case when n <= 37000 then now() - make_interval(secs => n) end from generate_series(1, ${MEMBERS}) n`,
    ],
    [
      'events',
      `insert into events (id, account, route, run_id, action, subject, state, outcome, code, accepted_at, ended_at)
       select n::text, 'acme', 'signup', 'acme/@signup/1', 'lead', (n % 5000)::text, case when n % 10 = 0 then 'accepted' else 'ended' end,
              case when n % 10 = 0 then null when n % 100 = 1 then 'failed' when n % 1000 = 2 then 'unknown' else 'done' end,
              case when n % 100 = 1 then 'ERR_INVALID_NUMBER' end, now(),
              case when n % 10 <> 0 then now() - make_interval(secs => (${EVENTS} - n) * 20) end from generate_series(1, ${EVENTS}) n`,
    ],
    [
      'conversations',
      `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, todo_at)
       select 'acme', n, 'chats', 1, 'waba', (5511000000000 + n)::text, now(), 'f', '{}', case when n % 20 = 0 then now() end
         from generate_series(1, ${CONVERSATIONS}) n`,
    ],
    [
      'pollers and sinks',
      `with p as (insert into pollers (account, poller, run_id, polled_at, complete_at) values ('acme', 'chats', 'acme/~chats/1', now(), now()))
       insert into sink_states (sink) values ('crm')`,
    ],
    [
      'outbox',
      `insert into outbox (sink, stream, account, event_id, type, event, state, code)
       select 'crm', (n % 100)::text, 'acme', n::text, 't', '{}', case when n % 40 = 0 then 'dead' else 'waiting' end, 'HTTP_400'
         from generate_series(1, 20000) n`,
    ],
    ['token', `insert into slots (token, call_limit, window_ends) values ($1, 120, now())`, [token]],
    [
      'calls',
      `insert into calls (at, account, token, run_id, lane, method, route, status, code, request_id, person_key, wait_ms, took_ms)
       select now() - make_interval(secs => (${CALLS} - n) * ${(DAYS * 86_400) / CALLS}::float8), 'acme', $1,
              case n % 4 when 0 then 'acme/~chats/1' when 1 then 'acme/+spring/1' else 'acme/leads/' || (4665 + n / 3000) end,
              case n % 4 when 0 then 3 when 1 then 4 else 5 end, 'POST', '/v1/cards',
              case when n % 500 = 0 then 429 when n % 701 = 0 then null else 200 end,
              case when n % 500 = 0 then 'ERR_RATE_LIMITED' when n % 701 = 0 then 'TRANSPORT_RESET' end,
              gen_random_uuid()::text, (5511000000000 + n % 300000)::text, 900, 80 from generate_series(1, ${CALLS}) n`,
      [token],
    ],
    [
      'minutes',
      `insert into call_minutes (minute, token, lane, run_id, account, calls, limited, failed, wait_ms, call_limit)
       select date_trunc('minute', at), token, lane, run_id, 'acme', count(*), count(*) filter (where status = 429),
              count(*) filter (where status is null), sum(wait_ms), 120 from calls group by 1, 2, 3, 4`,
    ],
    ['statistics', 'vacuum analyze'],
  ];
  for (const [what, sql, params] of steps) {
    const began = performance.now();
    await db.query(sql, params);
    say(`  ${what}: ${Math.round(performance.now() - began)} ms`);
  }
}
