// Erases what the ledger has of a person.
import { leadIntakeWorkflowId } from '../../core/ids.ts';
import type { Database, Queryable } from '../../core/sql/database.ts';
import { inEffect, recordOptOuts } from '../../core/store/opt-outs.ts';
import { eraseRefusedRequests } from '../../jobs/events/store/refused-requests.ts';
import { queryNamed } from '../../operator/store/named-parameters.ts';
import { findPerson, namesOf, type Person } from '../../operator/store/people/person.ts';
import { openErasure } from './open-erasures.ts';
import { NAMED_STREAMS, outboxOf, PLACES, type Place, streamsOf, valuesOf } from './person-places.ts';

export interface Erasure {
  /** Of the row that remembers the erasure until everything else is done, see open-erasures.ts; null: nothing is left to do. */
  readonly id: number | null;
  /** Number of rows by table. */
  readonly deleted: Readonly<Record<string, number>>;
  readonly anonymized: Readonly<Record<string, number>>;
  readonly optOutKept: boolean;
  /** What the ledger knew, for places outside it. None of it is personal data. */
  readonly known: {
    /** Ids in the service. */
    readonly contacts: readonly number[];
    readonly conversations: readonly number[];
    readonly cards: readonly number[];
    /** Ids of workflows that handled one event, which was about this person. */
    readonly workflows: readonly string[];
  };
  /** Values of `partitionkey` in outgoing events that name the person, besides those of conversations. */
  readonly streams: readonly string[];
  /** As the person was: personal data, for {@link eraseLateCalls}. */
  readonly person: Person;
}

/** Thrown when something about the person is in progress. It ends within minutes; then the erasure can be repeated. */
export class PersonInUseError extends Error {
  override readonly name = 'PersonInUseError';
  /** What is in progress, without personal data. */
  readonly uses: readonly string[];
  constructor(uses: readonly string[]) {
    super(`the person cannot be erased now: ${uses.join('; ')}. Try again when that has ended`);
    this.uses = uses;
  }
}

export interface EraseOptions {
  /** Records an opt-out of campaigns first, if the person had none. A person without a number cannot have one. */
  readonly optOut?: boolean;
  /** Identity of the operator who erases. */
  readonly by?: string | null;
}

/**
 * Erases a person in one transaction. Whatever wants to make a call about the person waits until the transaction ends,
 * and then does not find the person.
 * @returns null when the account has nobody under this id
 * @throws PersonInUseError while a call about the person is, or may be, in flight
 */
export async function erasePerson(
  db: Database,
  account: string,
  ref: string,
  { optOut = false, by = null }: EraseOptions = {},
): Promise<Erasure | null> {
  return await db.transaction(async (tx) => {
    const before = await findPerson(tx, account, ref);
    if (before === null) return null;
    await lockWork(tx, before);
    // Again, because it may have changed until everything was locked.
    const person = await findPerson(tx, account, ref);
    if (person === null) return null;
    const uses = await usesOf(tx, person);
    if (uses.length > 0) throw new PersonInUseError(uses);
    // Only the pseudonym of an opt-out is left. A pseudonym of it would recognize nobody.
    if (isErased(person)) return nothingErased(person);
    const values = valuesOf(person);
    const workflows = await ownWorkflows(tx, person);
    const named = await queryNamed<{ stream: string }>(tx, NAMED_STREAMS, values);
    const streams = named.map(({ stream }) => stream);
    if (optOut && person.key !== null)
      await recordOptOuts(tx, account, [{ key: person.key, at: new Date() }], { via: 'erase', by });
    // An erased person who came back and opted out again has two rows. The earlier one that is in effect counts.
    await queryNamed(tx, OLDER_OPT_OUT, values);
    await queryNamed(tx, NEWER_OPT_OUT, values);
    const erased = new Map<Place, number>();
    for (const place of PLACES) {
      const rows = await queryNamed(tx, `${statementOf(place)} where ${place.where} returning 1`, values);
      erased.set(place, rows.length);
    }
    const refused = await eraseRefusedRequests(tx, account, { tail: values.tail, email: person.email });
    const count = (wanted: (place: Place) => boolean) =>
      Object.fromEntries(
        [...erased]
          .filter(([place, rows]) => rows > 0 && wanted(place))
          .map(([{ table }, rows]) => [table, rows]),
      );
    const kept = await queryNamed(tx, KEPT_OPT_OUT, values);
    const tables = [...new Set([...erased].filter(([, rows]) => rows > 0).map(([{ table }]) => table))];
    return {
      id: await openErasure(tx, person, { tables, workflows, streams }),
      deleted: {
        ...count(({ erase }) => erase === 'delete'),
        ...(refused > 0 && { refused_requests: refused }),
      },
      anonymized: count(({ erase }) => erase !== 'delete'),
      optOutKept: kept.length > 0,
      known: knownOf(person, workflows),
      streams,
      person,
    };
  });
}

/**
 * Erases the person from calls that ended before the erasure and reached the log after it: workers keep calls in memory
 * for a second.
 */
export async function eraseLateCalls(db: Queryable, person: Person): Promise<void> {
  const place = PLACES.find(({ table }) => table === 'calls');
  if (place === undefined || isErased(person)) return;
  await queryNamed(db, `${statementOf(place)} where ${place.where}`, valuesOf(person));
}

function isErased({ key }: Person): boolean {
  return key?.startsWith('erased:') ?? false;
}

function nothingErased(person: Person): Erasure {
  return {
    id: null,
    deleted: {},
    anonymized: {},
    optOutKept: true,
    known: knownOf(person, []),
    streams: [],
    person,
  };
}

function knownOf({ contacts, conversations, cards }: Person, workflows: readonly string[]) {
  return { contacts, conversations, cards, workflows };
}

/** A workflow of several events is also about other people, so it is not among them. */
async function ownWorkflows(tx: Queryable, person: Person): Promise<string[]> {
  const events = await queryNamed<{ id: string; route: string; workflow: string }>(
    tx,
    `select id, route, workflow from events
      where account = :account and subject = any(:subjects::text[]) and workflow is not null`,
    namesOf(person),
  );
  return events
    .filter(({ id, route, workflow }) => workflow === leadIntakeWorkflowId(person.account, route, id))
    .map(({ workflow }) => workflow);
}

function statementOf({ table, erase }: Place): string {
  if (erase === 'delete') return `delete from ${table} t`;
  const columns = Object.entries(erase).map(([column, value]) => `${column} = ${value}`);
  return `update ${table} t set ${columns.join(', ')}`;
}

const OLDER_OPT_OUT = `
  update opt_outs o set at = e.at, via = e.via, withdrawn_at = greatest(o.withdrawn_at, e.withdrawn_at) from opt_outs e
   where o.account = :account and o.key = :key and e.account = :account and e.key = sluice_pseudonym(:account, :key)
     and ${inEffect('e')} and (e.at < o.at or not ${inEffect('o')})`;

const NEWER_OPT_OUT = `
  delete from opt_outs e where e.account = :account and e.key = sluice_pseudonym(:account, :key)
     and exists (select 1 from opt_outs o where o.account = :account and o.key = :key)`;

const KEPT_OPT_OUT = `select 1 from opt_outs o where o.account = :account and o.key = sluice_pseudonym(:account, :key) and ${inEffect('o')}`;

/** Locks in the order of everybody else: runs and campaigns before their rows. */
async function lockWork(tx: Queryable, person: Person): Promise<void> {
  const names = Object.assign({}, namesOf(person), { streams: streamsOf(person) });
  const locks = [
    'select 1 from runs where account = :account and finished_at is null order by id for update',
    'select 1 from campaigns where account = :account order by run_id for share',
    `select 1 from campaign_members m where m.run_id in (select run_id from campaigns where account = :account)
        and m.key = :key order by id for update`,
    'select 1 from events where account = :account and subject = any(:subjects::text[]) order by seq for update',
    'select 1 from pollers where account = :account order by poller for update',
    'select 1 from conversations where account = :account and id = any(:conversations::bigint[]) order by id for update',
    // A batch of a sink renews its lease before it reads events.
    `select 1 from sink_states where sink in (select o.sink from outbox o where o.account = :account and ${outboxOf('o')})
      order by sink for update`,
    'select 1 from people where account = :account and id = :person for update',
  ];
  for (const lock of locks) await queryNamed(tx, lock, names);
}

const USES: readonly (readonly [what: string, sql: string])[] = [
  [
    'a run of a sync plans its rows',
    `select u.id as what from runs u where u.account = :account and u.finished_at is null
        and exists (select 1 from plan_pages p where p.run_id = u.id)`,
  ],
  [
    'a batch works on the row of the person',
    `select r.run_id as what from runs u join run_records r on r.run_id = u.id and r.key = :key
      where u.account = :account and r.status = 'pending'
        and (r.holder is not null and r.due_at > now() or r.sent_at is not null)`,
  ],
  [
    'an event about the person has not ended',
    `select id as what from events where account = :account and subject = any(:subjects::text[]) and state <> 'ended'`,
  ],
  [
    'a campaign reads its audience',
    `select run_id as what from campaigns where account = :account and state = 'planning'`,
  ],
  [
    'a campaign triggers the person',
    `select m.run_id as what from campaigns c join campaign_members m on m.run_id = c.run_id and m.key = :key
      where c.account = :account and (m.state = 'sending' or m.holder is not null and m.state = 'waiting' and m.due_at > now()
        or c.unverified = m.id)`,
  ],
  [
    'the messages of a conversation are being read',
    `select id::text as what from conversations
      where account = :account and id = any(:conversations::bigint[]) and reading is not null`,
  ],
  [
    'a sink may be receiving an event of the person',
    `select s.sink as what from sink_states s where s.claimed_by is not null and s.claimed_until > clock_timestamp()
        and exists (select 1 from outbox o where o.sink = s.sink and o.account = :account and ${outboxOf('o')} and o.state = 'waiting'
          and (o.next_at is null or o.next_at < clock_timestamp() + interval '1 minute'))`,
  ],
];

async function usesOf(tx: Queryable, person: Person): Promise<string[]> {
  const uses: string[] = [];
  const names = Object.assign({}, namesOf(person), { streams: streamsOf(person) });
  for (const [what, sql] of USES) {
    const rows = await queryNamed<{ what: string }>(tx, `${sql} limit 3`, names);
    if (rows.length > 0) uses.push(`${what} (${rows.map((row) => row.what).join(', ')})`);
  }
  return uses;
}
