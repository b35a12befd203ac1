// A person in every table of the ledger, written by SQL, so that no test depends on how the ledger is filled.
import { personSubject } from '../../../../src/core/ids.ts';
import { toJson } from '../../../../src/core/json/stored-json.ts';
import type { Queryable } from '../../../../src/core/sql/database.ts';
import { subjectHash } from '../../../../src/jobs/events/store/events.ts';
import { IOLANDA, type Somebody, shortOf } from './somebody.ts';

export const CONTACT = 77_001;
export const CARD = 88_001;
export const TALK = 99_001;

/** So many minutes after ten o'clock. */
export const at = (minutes: number) => new Date(Date.UTC(2026, 10, 2, 10) + minutes * 60_000).toISOString();

/** A run of a sync that has ended. */
export async function addRun(
  db: Queryable,
  id: string,
  over: { kind?: string; open?: boolean } = {},
): Promise<void> {
  const [account, sync, seq] = id.split('/');
  await db.query(
    `insert into runs (id, account, sync, seq, spec, kind, status, started_at, finished_at)
     values ($1, $2, $3, $4, '{}', $5, $6, $7, $8)`,
    [
      id,
      account,
      sync,
      Number(seq),
      over.kind ?? 'sync',
      over.open ? 'running' : 'finished',
      at(0),
      over.open ? null : at(9),
    ],
  );
}

const conversationOf = ({ key, name }: Somebody) => ({
  state: {
    id: TALK,
    status: 'open',
    chatbot: true,
    userId: null,
    contact: { id: CONTACT, name, number: key },
  },
  lastMessage: `I am ${name}`,
  mayBeServed: false,
});

type Row = Readonly<Record<string, unknown>>;

/** Rows by table, in the order in which they refer to each other. */
function rowsOf(account: string, who: Somebody): readonly (readonly [table: string, row: Row])[] {
  const { key, name, email } = who;
  const conversation = conversationOf(who);
  const sync = `${account}/leads/1`;
  const campaign = `${account}/+winback/1`;
  const subject = subjectHash(account, personSubject(key));
  const person = { account, key };
  return [
    [
      'people',
      {
        ...person,
        remote_id: CONTACT,
        remote_number: shortOf(who),
        name,
        email,
        synced_at: at(3),
        tags_added: ['crm'],
        sent: { name: 'h', email: 'h' },
        seen: { run: sync, name, email, number: shortOf(who), tags: [] },
        extra_known: [{ name: 'alias', value: name }],
      },
    ],
    [
      'run_records',
      {
        run_id: sync,
        key,
        row_no: 4,
        todo: 0,
        status: 'failed',
        step: 'createCard',
        code: 'CONFLICT',
        reason: `no card for ${key}`,
        tries: 2,
        ended_at: at(2),
        payload: { key, contact: { number: key, name, email } },
      },
    ],
    ['merged_rows', { run_id: sync, row_no: 5, key, into_row: 4 }],
    [
      'row_problems',
      {
        run_id: sync,
        row_no: 4,
        kind: 'warning',
        field: 'contact.email',
        code: 'invalid_email',
        reason: 'not an address',
        value: email,
        source_column: 'mail',
      },
    ],
    [
      'row_problems',
      {
        run_id: sync,
        row_no: 8,
        kind: 'reject',
        field: 'contact.number',
        code: 'ambiguous_phone',
        reason: 'two readings',
        value: `${key.slice(2, 4)} ${key.slice(4, 9)}-${key.slice(9)}`,
        source_column: 'phone',
      },
    ],
    [
      'row_problems',
      {
        run_id: sync,
        row_no: 9,
        kind: 'reject',
        field: 'contact.name',
        code: 'conflict',
        reason: 'another name',
        value: 'Bia',
        other_row: 4,
        other_value: name,
      },
    ],
    ['row_identities', { run_id: sync, account, row_no: 5, name: name.toUpperCase(), email, number: key }],
    [
      'row_identities',
      {
        run_id: sync,
        account,
        row_no: 8,
        name: 'Iolanda Quix',
        number: `${key.slice(2, 4)} ${key.slice(4, 9)}-${key.slice(9)}`,
      },
    ],
    ['plan_claims', { run_id: sync, key, claims: { name: { row: 4, value: name } } }],
    ['snapshot_contacts', { run_id: sync, contact_id: CONTACT }],
    ['snapshot_cards', { run_id: sync, card_id: CARD, contact_id: CONTACT, is_open: true }],
    ['sync_members', { ...person, sync: 'leads', seq: 1 }],
    [
      'events',
      {
        id: `${account}-event`,
        account,
        route: 'signup',
        run_id: sync,
        action: 'message',
        subject,
        request: {
          type: 'message',
          to: { number: key, key },
          text: name,
          uploads: [`${account}-file`],
          saveOnTicket: false,
        },
        state: 'ended',
        outcome: 'failed',
        code: 'REFUSED',
        reason: `refused ${key}`,
        received_at: at(20),
        accepted_at: at(20),
        ended_at: at(21),
        warnings: [{ field: 'email', code: 'invalid_email', reason: 'not an address' }],
      },
    ],
    ['event_ranks', { account, route: 'signup', subject, rank: 1 }],
    [
      'intents',
      {
        account,
        kind: 'event-message',
        subject: `${account}-event`,
        run_id: sync,
        state: 'unknown',
        trace: { to: key },
      },
    ],
    [
      'uploads',
      {
        id: `${account}-file`,
        account,
        name: `${name}.pdf`,
        type: 'application/pdf',
        size: 1,
        expires_at: at(9999),
      },
    ],
    ['upload_parts', { id: `${account}-file`, part: 0, data: '\\x00' }],
    [
      'conversations',
      {
        account,
        id: TALK,
        poller: 'main',
        connection_id: 1,
        channel: 'waba',
        person_key: key,
        updated_at: at(30),
        fingerprint: 'f',
        item: conversation,
        published: conversation.state,
      },
    ],
    ['messages', { account, conversation_id: TALK, key: 'id:1', at: at(31), from_me: true, status: 'read' }],
    ['messages', { account, conversation_id: TALK, key: 'id:2', at: at(32), from_me: false }],
    [
      'deliveries',
      {
        account,
        message_id: 'm1',
        event_id: `${account}-event`,
        conversation_id: TALK,
        status: 'failed',
        sent_at: at(22),
        deadline: at(9999),
        end_code: 'GONE',
      },
    ],
    [
      'poll_gaps',
      {
        account,
        poller: 'main',
        conversation_id: TALK,
        code: 'TOO_OLD',
        reason: `messages of ${key} are too old`,
        person_key: key,
        last_at: at(33),
      },
    ],
    [
      'outbox',
      {
        sink: 'crm',
        stream: `${account}/${TALK}`,
        account,
        event_id: 'x',
        type: 'message.received',
        event: { data: { text: `${name} ${key}` } },
        state: 'dead',
      },
    ],
    [
      'calls',
      {
        at: at(2),
        account,
        token: 't',
        run_id: sync,
        lane: 5,
        method: 'POST',
        route: '/v1/contacts',
        status: 409,
        code: 'CONFLICT',
        request_id: `${account}-req`,
        person_key: key,
        event_id: `${account}-event`,
        conversation_id: TALK,
        wait_ms: 12_000,
        took_ms: 80,
      },
    ],
    [
      'campaigns',
      {
        run_id: campaign,
        account,
        campaign: 'winback',
        digest: '',
        state: 'running',
        as_of: at(40),
        planned_by: 'ana',
        planned_at: at(40),
        started_at: at(41),
      },
    ],
    [
      'campaign_members',
      {
        run_id: campaign,
        key,
        number: key,
        contact_id: CONTACT,
        card_id: CARD,
        part: 0,
        variables: { name },
        state: 'excluded',
        code: 'OPTED_OUT',
        reason: 'they said so on 2026-11-01',
      },
    ],
    [
      'campaign_members',
      {
        run_id: campaign,
        part: 1,
        row_no: 7,
        state: 'excluded',
        code: 'NUMBER_INVALID',
        reason: 'the number is too short',
        row_name: name.toUpperCase(),
        row_email: email,
        row_number: `0${key.slice(4, 9)}-${key.slice(9)}`,
      },
    ],
    ['campaign_barred', { run_id: campaign, key }],
    ['campaign_seen', { run_id: campaign, part: 0, id: CONTACT }],
    [
      'campaign_touches',
      {
        member_id: 4_000_000_000 + Math.floor(Math.random() * 1e9),
        account,
        key,
        campaign: 'older',
        run_id: `${account}/+older/1`,
        at: at(1),
      },
    ],
    ['campaign_reached', { account, key, times: 1 }],
    ['opt_outs', { account, key, via: 'reply', at: at(35) }],
  ];
}

/** Adds the person with everything, and the runs that it belongs to. */
export async function addPerson(db: Queryable, account: string, who = IOLANDA): Promise<void> {
  await addRun(db, `${account}/leads/1`);
  await addRun(db, `${account}/+winback/1`, { kind: 'campaign' });
  for (const [table, row] of rowsOf(account, who)) await addRow(db, table, row);
  const [person] = await db.query<{ id: number }>('select id from people where account = $1', [account]);
  const id = (person as { id: number }).id;
  await addRow(db, 'cards', {
    account,
    person_id: id,
    pipeline: 'Sales',
    remote_id: CARD,
    stage: 'New',
    adopted: false,
    at: at(4),
  });
  await addRow(db, 'intents', {
    account,
    kind: 'card',
    subject: `${id}/Sales`,
    run_id: `${account}/leads/1`,
    state: 'unknown',
    sent_at: at(4),
  });
}

export async function addRow(db: Queryable, table: string, row: Row): Promise<void> {
  const columns = Object.keys(row);
  await db.query(
    `insert into ${table} (${columns.join(', ')})
     select ${columns.map((column) => `r.${column}`).join(', ')} from jsonb_populate_record(null::${table}, $1::jsonb) r`,
    [toJson(row)],
  );
}
