// Where the ledger has something of a person: the rows of each table, and what becomes of them when the person is
// erased. A test compares this list with the tables of the ledger.
import { isOwnIntent } from '../../core/store/intents.ts';
import { namesOf, type Person } from '../../operator/store/people/person.ts';

/** Parameters are those of `namesOf`. */
export interface Place {
  readonly table: string;
  /** Condition over the table, under the name `t`. */
  readonly where: string;
  /**
   * `delete`: the rows go. Otherwise the new values of columns (SQL): counts and idempotency need the row, but not
   * whose it is.
   */
  readonly erase: 'delete' | Readonly<Record<string, string>>;
}

const RUNS = 'select id from runs where account = :account';
const CAMPAIGNS = 'select run_id from campaigns where account = :account';
const TALKS = 'any(:conversations::bigint[])';
const EVENTS = 'select id from events where account = :account and subject = any(:subjects::text[])';

/** Rows of runs that are about the person. */
const ROWS = `(t.run_id, t.row_no) in (
    select run_id, row_no from run_records where run_id in (${RUNS}) and key = :key and row_no > 0
    union all select run_id, row_no from merged_rows where run_id in (${RUNS}) and key = :key)`;
/** Intents of messages to the person. */
const messagesIn = (table: string) =>
  `(${table}.subject in (${EVENTS}) or ${table}.trace ->> 'to' = any(:targets::text[]))`;
/** Files that were sent to the person, or by their events, and that no event of somebody else still needs. */
const OWN_UPLOADS = `t.id in (
    select jsonb_array_elements_text(e.request -> 'uploads') from events e
     where e.account = :account and e.subject = any(:subjects::text[]) and e.request ? 'uploads'
    union all
    select jsonb_array_elements_text(i.trace -> 'uploads') from intents i
     where i.account = :account and i.kind = 'event-message' and i.trace ? 'uploads' and ${messagesIn('i')})
  and not exists (select 1 from events o where o.account = :account and not o.subject = any(:subjects::text[])
    and o.request -> 'uploads' ? t.id)`;
/** Values that name the person, in rows of others or in rows that could not be read. */
const NAMED = `(sluice_tail(t.value) = :tail or sluice_tail(t.other_value) = :tail
    or lower(t.value) = any(:texts::text[]) or lower(t.other_value) = any(:texts::text[]))`;

/** SQL: streams of events that name the person as a member of a campaign, or by their opt-out. */
export const NAMED_STREAMS = `
    select run_id || '/' || id as stream from campaign_members
     where run_id in (${CAMPAIGNS}) and (key = :key or key is null and contact_id = any(:contacts::bigint[]))
    union all
    select account || '/opt-outs/' || id from opt_outs
     where account = :account and key in (:key, sluice_pseudonym(:account, :key))`;

/** SQL: events on their way to sinks that name the person. Those of dead letters name nobody. */
export const outboxOf = (outbox: string): string =>
  `(${outbox}.stream = any(:streams::text[]) or ${outbox}.stream in (${NAMED_STREAMS}))`;

/** In the order in which they are erased: rows that others are found by come last. */
export const PLACES: readonly Place[] = [
  {
    table: 'row_problems',
    where: `t.run_id in (${RUNS}) and (${ROWS} or ${NAMED})`,
    erase: { value: 'null', other_value: 'null' },
  },
  {
    table: 'row_identities',
    where: `t.run_id in (${RUNS}) and (${ROWS} or sluice_tail(t.number) = :tail
      or lower(t.name) = any(:texts::text[]) or lower(t.email) = any(:texts::text[]))`,
    erase: 'delete',
  },
  {
    table: 'merged_rows',
    where: `t.run_id in (${RUNS}) and t.key = :key`,
    erase: { key: `'erased-' || t.row_no` },
  },
  {
    table: 'run_records',
    where: `t.run_id in (${RUNS}) and t.key = :key`,
    erase: {
      key: `'erased-' || t.id`,
      payload: 'null',
      step: `case when t.status = 'pending' then 'erase' else t.step end`,
      code: `case when t.status = 'pending' then 'ERASED' else t.code end`,
      reason: `case when t.status = 'pending' or t.reason is not null then 'The person was erased.' end`,
      ended_at: `coalesce(t.ended_at, clock_timestamp())`,
      status: `case when t.status = 'pending' then 'failed' else t.status end`,
    },
  },
  { table: 'plan_claims', where: `t.run_id in (${RUNS}) and t.key = :key`, erase: 'delete' },
  {
    table: 'snapshot_contacts',
    where: `t.run_id in (${RUNS}) and t.contact_id = any(:contacts::bigint[])`,
    erase: 'delete',
  },
  {
    table: 'snapshot_cards',
    where: `t.run_id in (${RUNS}) and t.contact_id = any(:contacts::bigint[])`,
    erase: 'delete',
  },
  { table: 'sync_members', where: 't.account = :account and t.key = :key', erase: 'delete' },
  { table: 'upload_parts', where: OWN_UPLOADS, erase: 'delete' },
  { table: 'uploads', where: `t.account = :account and ${OWN_UPLOADS}`, erase: 'delete' },
  {
    table: 'intents',
    where: `t.account = :account and (
        t.kind = 'card' and split_part(t.subject, '/', 1) = :person::bigint::text
        or t.kind = 'stage' and t.subject in (select id::text from cards where account = :account and person_id = :person)
        or t.kind like 'event-%' and ${messagesIn('t')}
        or ${isOwnIntent('t')} and t.trace ->> 'to' = :key)`,
    erase: 'delete',
  },
  { table: 'cards', where: 't.account = :account and t.person_id = :person', erase: 'delete' },
  {
    table: 'deliveries',
    where: `t.account = :account and (t.conversation_id = ${TALKS} or t.event_id in (${EVENTS}))`,
    erase: 'delete',
  },
  {
    table: 'event_ranks',
    where: 't.account = :account and t.subject = any(:subjects::text[])',
    erase: 'delete',
  },
  {
    table: 'calls',
    where: `t.account = :account and (t.person_key = :key or t.conversation_id = ${TALKS} or t.event_id in (${EVENTS}))`,
    erase: { person_key: 'null', event_id: 'null', conversation_id: 'null', card_id: 'null' },
  },
  {
    table: 'events',
    where: 't.account = :account and t.subject = any(:subjects::text[])',
    // The id stays: a sender that repeats the event must not cause it again.
    erase: {
      subject: `'erased'`,
      request: 'null',
      warnings: `'[]'`,
      progress: `'{}'`,
      rank: 'null',
      // Its text is the sender's.
      tracestate: 'null',
      reason: `case when t.reason is not null then 'The person was erased.' end`,
    },
  },
  {
    table: 'outbox',
    where: `t.account = :account and ${outboxOf('t')}`,
    erase: 'delete',
  },
  {
    table: 'poll_gaps',
    where: `t.account = :account and (t.person_key = :key or t.conversation_id = ${TALKS})`,
    erase: { person_key: 'null', reason: `'The person was erased.'` },
  },
  {
    table: 'messages',
    where: `t.account = :account and t.conversation_id = ${TALKS}`,
    // The keys stay: without them, the poller would publish every message again.
    erase: { item: 'null', place: 'null', from_me: 'null', status: 'null' },
  },
  {
    table: 'conversations',
    where: `t.account = :account and t.id = ${TALKS}`,
    erase: {
      person_key: `''`,
      item: strip('t.item'),
      published: stripState('t.published', '{}'),
      reading: 'null',
      inbound_at: 'null',
      erased_at: 'now()',
    },
  },
  { table: 'campaign_barred', where: `t.run_id in (${CAMPAIGNS}) and t.key = :key`, erase: 'delete' },
  {
    table: 'campaign_seen',
    where: `t.run_id in (${CAMPAIGNS}) and t.id = any(:contacts::bigint[] || :cards::bigint[])`,
    erase: 'delete',
  },
  { table: 'campaign_touches', where: 't.account = :account and t.key = :key', erase: 'delete' },
  { table: 'campaign_reached', where: 't.account = :account and t.key = :key', erase: 'delete' },
  {
    table: 'campaign_members',
    where: `t.run_id in (${CAMPAIGNS}) and (t.key = :key or t.key is null and (
      t.contact_id = any(:contacts::bigint[]) or sluice_tail(t.row_number) = :tail
      or lower(t.row_name) = any(:texts::text[]) or lower(t.row_email) = any(:texts::text[])))`,
    erase: {
      key: 'null',
      number: 'null',
      row_name: 'null',
      row_email: 'null',
      row_number: 'null',
      contact_id: 'null',
      card_id: 'null',
      tag_ids: 'null',
      variables: 'null',
      ticket_id: 'null',
      events: `'{}'`,
      zones: `''`,
      code: `case when t.state = 'waiting' then 'ERASED' else t.code end`,
      reason: `case when t.state = 'waiting' or t.reason is not null then 'The person was erased.' end`,
      ended_at: `case when t.state = 'waiting' then clock_timestamp() else t.ended_at end`,
      holder: 'null',
      state: `case when t.state = 'waiting' then 'skipped' else t.state end`,
    },
  },
  {
    table: 'opt_outs',
    where: 't.account = :account and t.key = :key',
    erase: {
      key: 'sluice_pseudonym(t.account, t.key)',
      evidence: 'null',
      withdrawn_reason: `case when t.withdrawn_reason is not null then 'The person was erased.' end`,
    },
  },
  { table: 'people', where: 't.account = :account and t.id = :person', erase: 'delete' },
];

/** A listing (ConversationState and the last message) without name, number and text. */
function strip(column: string): string {
  return `jsonb_set(${stripState(column, '{state}')}, '{lastMessage}', 'null')`;
}

function stripState(column: string, path: '{state}' | '{}'): string {
  const at = (field: string) => (path === '{}' ? `{contact,${field}}` : `{state,contact,${field}}`);
  return `jsonb_set(jsonb_set(${column}, '${at('name')}', 'null'), '${at('number')}', 'null')`;
}

/** How the traces of messages name the person's conversations. */
function targetsOf({ key, conversations }: Pick<Person, 'key' | 'conversations'>): string[] {
  return [...(key === null ? [] : [key]), ...conversations.map((id) => `conversation ${id}`)];
}

/** The streams of the outbox that have the person's messages. */
export function streamsOf({ account, conversations }: Pick<Person, 'account' | 'conversations'>): string[] {
  return conversations.map((id) => `${account}/${id}`);
}

/** Parameters of the statements that name a person in the tables of {@link PLACES}. */
export function valuesOf(person: Person) {
  const texts = [person.key, person.number, person.name, person.email];
  return {
    ...namesOf(person),
    texts: texts.filter((text) => text !== null && text.length > 2).map((text) => text?.toLowerCase()),
    targets: targetsOf(person),
    streams: streamsOf(person),
  };
}

/** Tables that have nothing of one person, and why. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  runs: 'configuration and counts',
  run_warnings: 'names of tags and columns',
  missing_tags: 'names of tags and numbers of rows',
  plan_pages: 'packed rows of a run that is being planned, which erasing waits for',
  campaigns: 'counts',
  campaign_waves: 'counts',
  campaign_audit: 'commands on runs; members by their id',
  catalog: 'lists of the account',
  call_minutes: 'counts',
  ledger_keys: 'keys of hashes',
  encryption_keys: 'ids of keys',
  erasures: 'erasures that are not complete: ids and a keyed hash',
  pollers: 'progress of polling',
  sink_states: 'state of sinks',
  slots: 'budget of tokens',
  token_marks: 'budget of tokens',
  users: 'operators',
  user_sessions: 'operators',
  access_tokens: 'operators',
  login_links: 'operators',
  login_attempts: 'operators',
  operator_audit: 'commands of operators; people by their id',
  paces: 'pace of campaigns',
  refusals: 'refused deliveries, without their content',
  refusal_hours: 'counts',
  refused_requests:
    'requests that no route could read: those that contain the number or address are found by their content',
  notice_channels: 'names of channels, and how they fail',
  notice_needs: 'names, ids and counts of what needs a person',
  notice_sender: 'which process sends notices',
  restores: 'times and counts of restores',
  reviewed_needs: 'runs and routes whose failures were looked at',
  retention: 'when each kind of data was deleted last',
  watermarks: 'positions in sources',
  worker_processes: 'hosts and versions of workers',
  sluice_migrations: 'version of the tables',
};
