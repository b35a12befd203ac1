// The parts of a person's timeline: one statement per kind of entry. Each returns what the ledger has, with times of the
// database; see src/operator/contract/people-timeline.ts for the meaning of the fields.
import { changedConversation } from '../../../jobs/campaigns/store/unknown-evidence.ts';

/** Builds a JSON object: names and SQL expressions. */
const json = (fields: Readonly<Record<string, string>>): string =>
  `jsonb_build_object(${Object.entries(fields)
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})`;

/** SQL of `{code, reason}`; null without a code. */
const problem = (code: string, reason: string): string =>
  `case when ${code} is null then null else ${json({ code, reason: `coalesce(${reason}, '')` })} end`;

interface Part {
  readonly kind: string;
  readonly at: string;
  /** Distinguishes the entries of one kind and time. */
  readonly id: string;
  readonly code: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly from: string;
}

const part = ({ kind, at, id, code, fields, from }: Part): string =>
  `select ${at} as at, '${kind}' || '/' || ${id} as id, '${kind}' as kind, ${code} as code, ${json(fields)} as facts from ${from}`;

const EVENT = { event: 'e.id', route: 'e.route', action: 'e.action', workflowId: 'e.workflow' };
const EVENTS = 'events e where e.account = :account and e.subject = any(:subjects::text[])';

const events = [
  part({
    kind: 'event',
    at: 'e.received_at',
    id: `e.seq || '/received'`,
    code: `'received'`,
    fields: { ...EVENT, step: 'null', problem: 'null', warnings: 'e.warnings' },
    from: EVENTS,
  }),
  part({
    kind: 'event',
    at: 'e.ended_at',
    id: `e.seq || '/ended'`,
    code: 'e.outcome',
    fields: { ...EVENT, step: 'e.step', problem: problem('e.code', 'e.reason'), warnings: `'[]'::jsonb` },
    from: `${EVENTS} and e.state = 'ended'`,
  }),
  part({
    kind: 'event',
    at: 'coalesce(e.accepted_at, e.received_at)',
    id: `e.seq || '/blocked'`,
    code: `'blocked'`,
    fields: {
      ...EVENT,
      step: `e.progress ->> 'step'`,
      problem: problem('e.block_code', 'e.block_reason'),
      warnings: `'[]'::jsonb`,
    },
    from: `${EVENTS} and e.state <> 'ended' and e.block_code is not null`,
  }),
];

/** A row of the person in a run; `limit` keeps it one index look-up per run. */
const ROWS = `runs u, lateral (
    select * from run_records where run_id = u.id and key = :key and event_id is null limit 10) r
  where u.account = :account and u.kind <> 'plan'`;
const MERGED = `runs u, lateral (
    select * from merged_rows where run_id = u.id and key = :key limit 1000) r
  where u.account = :account and u.kind <> 'plan'`;

const RUN = { run: 'u.id', sync: 'u.sync' };
const FINDING = {
  field: 'p.field',
  column: 'p.source_column',
  value: 'p.value',
  otherRow: 'p.other_row',
  otherValue: 'p.other_value',
};
const NO_CHANGE = { created: 'false', cardCreated: 'false', tries: '0' };

const findings = (rows: string, name: string) =>
  part({
    kind: 'finding',
    at: 'r.at',
    id: `r.run_id || '/' || p.row_no || '/' || p.field || '/' || p.code`,
    code: `case p.kind when 'reject' then 'rejected' else 'warning' end`,
    fields: {
      run: 'r.run_id',
      sync: 'r.sync',
      row: 'p.row_no',
      ...FINDING,
      likely: 'false',
      problem: problem('p.code', 'p.reason'),
    },
    from: `(select u.id as run_id, u.sync, u.started_at as at, r.row_no from ${rows} and r.row_no > 0) r
      cross join lateral (
        select * from row_problems where run_id = r.run_id and row_no = r.row_no limit 100) p /* ${name} */`,
  });

const rows = [
  part({
    kind: 'row',
    at: 'coalesce(r.ended_at, r.sent_at, u.started_at)',
    id: 'r.id',
    code: 'r.status',
    fields: {
      ...RUN,
      row: 'r.row_no',
      into: 'null',
      created: 'r.created',
      cardCreated: 'r.card_created',
      tries: 'r.tries',
      step: 'r.step',
      problem: problem('r.code', 'r.reason'),
    },
    from: ROWS,
  }),
  part({
    kind: 'row',
    at: 'u.started_at',
    id: `u.id || '/merged/' || r.row_no`,
    code: `'merged'`,
    fields: { ...RUN, row: 'r.row_no', into: 'r.into_row', ...NO_CHANGE, step: 'null', problem: 'null' },
    from: MERGED,
  }),
  findings(ROWS, 'rows'),
  findings(MERGED, 'merged'),
  part({
    kind: 'finding',
    at: 'u.started_at',
    id: `u.id || '/' || p.row_no || '/likely'`,
    code: `'rejected'`,
    fields: {
      ...RUN,
      row: 'p.row_no',
      ...FINDING,
      likely: 'true',
      problem: problem('p.code', 'p.reason'),
    },
    from: `row_problems p join runs u on u.id = p.run_id
      where p.field = 'contact.number' and sluice_tail(p.value) = :tail and p.kind = 'reject' and u.account = :account`,
  }),
];

const changes = [
  part({
    kind: 'contact',
    at: 'p.synced_at',
    id: 'p.id',
    code: `'written'`,
    fields: {
      contact: 'p.remote_id',
      fields: `coalesce((select jsonb_agg(f order by f) from jsonb_object_keys(p.sent) f), '[]')`,
      tags: 'p.tags_added',
      missingTags: 'p.tags_missing',
      createdBy: 'p.created_by',
    },
    from: 'people p where p.account = :account and p.id = :person and p.synced_at is not null',
  }),
  part({
    kind: 'card',
    at: 'c.at',
    id: 'c.id',
    code: `case when c.adopted then 'found' else 'created' end`,
    fields: { card: 'c.remote_id', pipeline: 'c.pipeline', stage: 'c.stage' },
    from: 'cards c where c.account = :account and c.person_id = :person',
  }),
  part({
    kind: 'effect',
    at: 'coalesce(i.sent_at, i.created_at)',
    id: 'i.id',
    code: 'i.state',
    fields: { what: 'i.kind', run: 'i.run_id' },
    from: `intents i where i.account = :account and i.state in ('sent', 'unknown')
       and (i.kind = 'card' and i.subject in (
              select p.id || '/' || s.pipeline from people p, (
                select distinct pipeline from cards where account = :account) s where p.id = :person)
            or i.kind = 'stage' and i.subject in (
              select id::text from cards where account = :account and person_id = :person))`,
  }),
];

const calls = [
  part({
    kind: 'call',
    at: 'l.at',
    id: 'l.id',
    code: `coalesce(l.code, l.status::text, 'lost')`,
    fields: {
      run: 'l.run_id',
      lane: 'l.lane',
      method: 'l.method',
      route: 'l.route',
      status: 'l.status',
      requestId: 'l.request_id',
      waitMs: 'l.wait_ms',
      tookMs: 'l.took_ms',
    },
    from: 'calls l where l.account = :account and l.person_key = :key',
  }),
];

const MEMBERS = `campaigns c, lateral (
    select * from campaign_members where run_id = c.run_id and key = :key limit 1) m
  where c.account = :account`;
const MEMBER = {
  campaign: 'c.campaign',
  run: 'c.run_id',
  member: 'm.id',
  wave: 'm.wave',
  ticket: 'm.ticket_id',
};

const CHANGED = changedConversation(':account');
const EVIDENCE = `coalesce('; conversation ' || ${CHANGED} || ' of this person changed right after the call, which suggests that the flow ran', '')`;

const reached = (code: string, column: string) =>
  part({
    kind: 'campaign',
    at: `m.${column}`,
    id: `m.id || '/${code}'`,
    code: `'${code}'`,
    fields: { ...MEMBER, problem: 'null' },
    from: `${MEMBERS} and m.${column} is not null`,
  });

const campaigns = [
  part({
    kind: 'campaign',
    at: 'coalesce(c.planned_at, c.as_of)',
    id: `m.id || '/planned'`,
    code: `case m.state when 'excluded' then 'excluded' when 'holdout' then 'controlGroup'
                when 'found' then 'found' else 'included' end`,
    fields: { ...MEMBER, problem: `case m.state when 'excluded' then ${problem('m.code', 'm.reason')} end` },
    from: MEMBERS,
  }),
  part({
    kind: 'campaign',
    at: 'm.ended_at',
    id: `m.id || '/ended'`,
    code: 'm.state',
    fields: { ...MEMBER, problem: problem('m.code', `coalesce(m.reason, '') || ${EVIDENCE}`) },
    from: `${MEMBERS} and m.state in ('skipped', 'failed', 'unknown', 'cancelled') and m.ended_at is not null`,
  }),
  reached('triggered', 'triggered_at'),
  reached('delivered', 'delivered_at'),
  reached('read', 'read_at'),
  reached('replied', 'replied_at'),
  reached('optedOut', 'opted_out_at'),
  reached('moved', 'moved_at'),
  reached('tagged', 'tagged_at'),
  // The members of old runs are deleted.
  part({
    kind: 'campaign',
    at: 't.at',
    id: `t.member_id || '/reached'`,
    code: `'triggered'`,
    fields: {
      campaign: 't.campaign',
      run: 't.run_id',
      member: 't.member_id',
      wave: 'null',
      ticket: 'null',
      problem: 'null',
    },
    from: `campaign_touches t where t.account = :account and t.key = :key
       and not exists (select 1 from campaign_members m where m.id = t.member_id)`,
  }),
];

const OF_TALKS = 'c.account = :account and c.id = any(:conversations::bigint[])';

const conversations = [
  part({
    kind: 'conversation',
    at: 'c.updated_at',
    id: 'c.id',
    code: `coalesce(c.item #>> '{state,status}', '')`,
    fields: {
      conversation: 'c.id',
      poller: 'c.poller',
      channel: 'c.channel',
      chatbot: `c.item #> '{state,chatbot}'`,
      user: `c.item #> '{state,userId}'`,
      lastMessage: `c.item -> 'lastMessage'`,
    },
    from: `conversations c where ${OF_TALKS}`,
  }),
  part({
    kind: 'message',
    at: 'coalesce(m.at, c.updated_at)',
    id: `m.conversation_id || '/' || lpad(m.seq::text, 15, '0')`,
    code: `case when m.from_me then 'sent' when m.from_me is null then 'unknown' else 'received' end`,
    fields: { conversation: 'm.conversation_id', poller: 'c.poller', status: 'm.status' },
    from: `conversations c join messages m on m.account = c.account and m.conversation_id = c.id
      where ${OF_TALKS} and m.item is null`,
  }),
  part({
    kind: 'delivery',
    at: 'd.sent_at',
    id: 'd.message_id',
    code: 'd.status',
    fields: {
      message: 'd.message_id',
      event: 'd.event_id',
      conversation: 'd.conversation_id',
      checks: 'd.checks',
      problem: problem('d.end_code', `''`),
    },
    from: `(select * from deliveries where account = :account and conversation_id = any(:conversations::bigint[])
            union
            select d.* from events e join deliveries d on d.event_id = e.id
             where e.account = :account and e.subject = any(:subjects::text[])) d`,
  }),
  part({
    kind: 'gap',
    at: 'g.last_at',
    id: 'g.id',
    code: 'g.code',
    fields: { conversation: 'nullif(g.conversation_id, 0)', poller: 'g.poller', reason: 'g.reason' },
    from: `poll_gaps g where g.account = :account
       and (g.person_key = :key or g.conversation_id = any(:conversations::bigint[]))`,
  }),
];

const optOuts = [
  part({
    kind: 'optOut',
    at: 'o.at',
    // Never the key: it is the number.
    id: 'o.via',
    code: 'o.via',
    fields: {},
    from: 'opt_outs o where o.account = :account and o.key in (:key, sluice_pseudonym(:account, :key))',
  }),
  part({
    kind: 'optOut',
    at: 'o.withdrawn_at',
    id: `'withdrawn'`,
    code: `'withdrawn'`,
    fields: {},
    from: `opt_outs o where o.account = :account and o.key in (:key, sluice_pseudonym(:account, :key))
      and o.withdrawn_at is not null`,
  }),
];

/** All parts, by the kind of their entries. */
export const TIMELINE_PARTS: readonly (readonly [kinds: readonly string[], parts: readonly string[]])[] = [
  [['event'], events],
  [['row', 'finding'], rows],
  [['contact', 'card', 'effect'], changes],
  [['call'], calls],
  [['campaign'], campaigns],
  [['conversation', 'message', 'delivery', 'gap'], conversations],
  [['optOut'], optOuts],
];
