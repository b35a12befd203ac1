// A ledger after a year: what retention keeps of one busy account and of many quiet ones, made by the database itself.
import type { Database } from '../../src/core/sql/database.ts';

/** Rows that the ledger keeps of one account. The same numbers, smaller, make the ledger of a test. */
export interface YearOf {
  /** People who were ever synced, each with a card and its intent. */
  readonly people: number;
  /** Logged calls, over 14 days. */
  readonly calls: number;
  /** Minutes with calls, over 90 days. */
  readonly minutes: number;
  /** Ended events, over 90 days; each tenth with a message that was sent, and as many subjects with a rank. */
  readonly events: number;
  readonly conversations: number;
  /** Remembered messages. */
  readonly messages: number;
  /** Ended runs of a sync, over a year. */
  readonly runs: number;
  /** Records of the last run, and failed ones of earlier runs. */
  readonly records: number;
  /** Members of ended campaign runs. */
  readonly members: number;
  /** People that campaigns have reached. */
  readonly touches: number;
  /** Dead events of the outbox. */
  readonly dead: number;
  readonly audit: number;
}

/** Tables that a year fills: no statement of the hot path may read one of them completely. */
export const BIG_TABLES = [
  'calls',
  'call_minutes',
  'campaign_members',
  'campaign_reached',
  'campaign_touches',
  'cards',
  'conversations',
  'deliveries',
  'event_ranks',
  'events',
  'intents',
  'messages',
  'outbox',
  'people',
  'run_records',
  'runs',
  'sync_members',
] as const;

/** @param spread accounts `NAME-1` to `NAME-n` that share the rows; 0: one account `NAME` has them all */
export async function fillYear(
  db: Database,
  name: string,
  year: YearOf,
  spread: number,
  say: (line: string) => void,
): Promise<void> {
  const account = spread === 0 ? `'${name}'` : `'${name}-' || (1 + n % ${spread})`;
  const key = '(5521000000000 + n)::text';
  const {
    people,
    calls,
    minutes,
    events,
    conversations,
    messages,
    runs,
    records,
    members,
    touches,
    dead,
    audit,
  } = year;
  const accounts = Math.max(1, spread);
  const run = (kind: string) => `${account} || '/${kind}/1'`;
  const steps: readonly (readonly [string, string])[] = [
    [
      'people',
      `insert into people (account, key, remote_id, remote_number, name, email, synced_at, hash_contact, sent)
       select ${account}, ${key}, n, ${key}, 'Ana ' || left(md5(n::text), 6), n || '@example.com', now(), 'c', '{"name":"h"}'
         from generate_series(1, ${people}) n`,
    ],
    [
      'cards',
      `insert into cards (account, person_id, pipeline, remote_id, stage, adopted)
       select account, id, 'Sales', id, 'New', false from people where account like '${name}%'`,
    ],
    [
      'intents',
      `insert into intents (account, kind, subject, run_id, state, sends, sent_at)
       select account, 'card', id || '/Sales', account || '/leads/1', 'done', 1, now() from people where account like '${name}%'`,
    ],
    [
      'members of mirrors',
      `insert into sync_members (account, sync, key, seq)
       select account, 'leads', key, 1 from people where account like '${name}%'`,
    ],
    [
      'runs',
      `insert into runs (id, account, sync, seq, status, spec, started_at, finished_at, counts)
       select ${account} || '/leads/' || s, ${account}, 'leads', s, 'finished', jsonb_build_object('padding', repeat('x', 1000)),
              now() - make_interval(secs => (${runs} - s) * 31536000.0 / ${runs}), now() - make_interval(secs => (${runs} - s) * 31536000.0 / ${runs}),
              case when s < ${runs} then '{}'::jsonb end
         from generate_series(1, ${accounts}) n, generate_series(1, ${runs}) s`,
    ],
    [
      'runs of routes, pollers and campaigns',
      `insert into runs (id, account, sync, seq, kind, status, spec)
       select ${account} || '/' || k.sync || '/1', ${account}, k.sync, 1, k.kind, 'syncing', '{}'
         from generate_series(1, ${accounts}) n, (values ('@signup', 'intake'), ('~chats', 'poll'), ('+winback', 'campaign')) k(sync, kind)`,
    ],
    [
      'records',
      `insert into run_records (run_id, key, row_no, todo, status, ended_at)
       select ${account} || '/leads/' || (1 + n % ${runs}), ${key}, n, 0, case when n % 20 = 0 then 'failed' else 'updated' end, now()
         from generate_series(1, ${records}) n`,
    ],
    [
      'events',
      `insert into events (id, account, route, run_id, action, subject, rank, state, outcome, accepted_at, received_at, ended_at)
       select ${account} || '-' || n, ${account}, 'signup', ${run('@signup')}, 'lead', md5((n % ${Math.max(1, people)})::text), n, 'ended', 'done',
              t, t, t
         from (select n, now() - make_interval(secs => (${events} - n) * ${(90 * 86_400) / events}::float8) as t from generate_series(1, ${events}) n) e`,
    ],
    [
      'ranks',
      `insert into event_ranks (account, route, subject, rank)
       select account, route, subject, max(rank) from events where account like '${name}%' and state = 'ended' group by 1, 2, 3`,
    ],
    [
      'deliveries',
      `insert into deliveries (account, message_id, event_id, conversation_id, status, published, sent_at, deadline)
       select account, 'm' || seq, id, seq, 'read', 'read', ended_at, ended_at from events where account like '${name}%' and seq % 10 = 0`,
    ],
    [
      'conversations',
      `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, published, seen)
       select ${account}, n, 'chats', 2, 'waba', ${key}, now() - make_interval(secs => n * 31536000.0 / ${conversations}), md5(n::text),
              jsonb_build_object('state', jsonb_build_object('id', n, 'status', 'closed', 'contact', jsonb_build_object('id', n, 'name', 'Ana'))), '{}', '{"pruned": null}'
         from generate_series(1, ${conversations}) n`,
    ],
    [
      'messages',
      `insert into messages (account, conversation_id, key, at, from_me, status)
       select ${account.replaceAll('n %', 'c %')}, c, 'id:' || n, now() - make_interval(secs => n), n % 2 = 0, 'read'
         from (select n, 1 + n % ${conversations} as c from generate_series(1, ${messages}) n) m`,
    ],
    [
      'campaigns',
      `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by, ended_at, stripped_at)
       select ${run('+winback')}, ${account}, 'winback', '', 'finished', now(), 'ana', now() - interval '30 days', now() - interval '30 days'
         from generate_series(1, ${accounts}) n`,
    ],
    [
      'members',
      `insert into campaign_members (run_id, key, number, part, state, wave, place, triggered_at, ended_at)
       select ${run('+winback')}, ${key}, ${key}, 0, 'triggered', 1 + n / 5000, n, now(), now() from generate_series(1, ${members}) n`,
    ],
    [
      'touches',
      `with t as (
         insert into campaign_touches (member_id, account, key, campaign, run_id, at)
         select (select coalesce(max(member_id), 0) from campaign_touches) + 1000000 + n, ${account}, ${key}, 'winback', 'r', now() - make_interval(secs => n)
           from generate_series(1, ${touches}) n returning account, key)
       insert into campaign_reached (account, key, times) select distinct account, key, 1 from t`,
    ],
    [
      'calls',
      `insert into calls (at, account, token, run_id, lane, method, route, status, code, request_id, person_key, wait_ms, took_ms)
       select now() - make_interval(secs => (${calls} - n) * ${(14 * 86_400) / calls}::float8), ${account}, md5(${account}),
              ${account} || '/leads/' || (1 + n % ${runs}), 1 + n % 5, 'POST', '/v1/cards', case when n % 500 = 0 then 429 else 200 end,
              case when n % 500 = 0 then 'ERR_RATE_LIMITED' end, gen_random_uuid()::text, (5521000000000 + n % ${Math.max(1, people)})::text, 900, 80
         from generate_series(1, ${calls}) n`,
    ],
    [
      'minutes',
      `insert into call_minutes (minute, token, lane, run_id, account, calls, limited, failed, wait_ms, call_limit)
       select date_trunc('minute', now()) - make_interval(mins => (n * 129600.0 / ${minutes})::int), md5(${account}), 1 + n % 5,
              ${account} || '/leads/' || n % 7, ${account}, 100, 0, 0, 900, 120 from generate_series(1, ${minutes}) n
       on conflict do nothing`,
    ],
    [
      'dead events of the outbox',
      `insert into outbox (sink, stream, account, event_id, type, event, state, code, tried_at)
       select 'crm', ${account} || '/' || n, ${account}, n::text, 't', '{}', 'dead', 'HTTP_400', now() from generate_series(1, ${dead}) n`,
    ],
    [
      'audit log',
      `insert into operator_audit (at, action, target, outcome)
       select now() - make_interval(secs => (${audit} - n) * 60), 'POST /messages', 't', 'ok' from generate_series(1, ${audit}) n`,
    ],
    [
      'slots',
      `insert into slots (token, call_limit) select md5(${account}), 120 from generate_series(1, ${accounts}) n`,
    ],
  ];
  for (const [what, sql] of steps) {
    const began = performance.now();
    await db.query(sql);
    say(`  ${what}: ${Math.round(performance.now() - began)} ms`);
  }
}
