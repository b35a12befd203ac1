// Exports and erases what the ledger has of a person.
import type { Database, Queryable } from '../database.ts';
import { queryNamed } from './named-parameters.ts';
import { findPerson, namesOf, type Person } from './person.ts';
import { PLACES, type Place, streamsOf, targetsOf } from './person-places.ts';

/** Statements that name a person in the tables of `PLACES`. */
function valuesOf(person: Person) {
  const texts = [person.key, person.number, person.name, person.email];
  return {
    ...namesOf(person),
    texts: texts.filter((text) => text !== null && text.length > 2).map((text) => text?.toLowerCase()),
    targets: targetsOf(person),
    streams: streamsOf(person),
  };
}

/** Everything that the ledger has of the person, by table. */
export async function exportPerson(
  db: Queryable,
  person: Person,
): Promise<Record<string, Record<string, unknown>[]>> {
  const values = valuesOf(person);
  const tables: Record<string, Record<string, unknown>[]> = {};
  for (const { table, where } of PLACES) {
    const rows = await queryNamed<{ row: Record<string, unknown> }>(
      db,
      `select to_jsonb(t) as row from ${table} t where ${where}`,
      values,
    );
    if (rows.length > 0) tables[table] = rows.map(({ row }) => row);
  }
  return tables;
}

export interface Erasure {
  /** Number of rows by table. */
  readonly deleted: Readonly<Record<string, number>>;
  readonly anonymized: Readonly<Record<string, number>>;
  readonly optOutKept: boolean;
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

/**
 * Erases a person in one transaction. Whatever wants to make a call about the person waits until the transaction ends,
 * and then does not find the person.
 * @returns null when the account has nobody under this id
 * @throws PersonInUseError while a call about the person is, or may be, in flight
 */
export async function erasePerson(db: Database, account: string, ref: string): Promise<Erasure | null> {
  return await db.transaction(async (tx) => {
    const before = await findPerson(tx, account, ref);
    if (before === null) return null;
    await lockWork(tx, before);
    // Again, because it may have changed until everything was locked.
    const person = await findPerson(tx, account, ref);
    if (person === null) return null;
    const uses = await usesOf(tx, person);
    if (uses.length > 0) throw new PersonInUseError(uses);
    const values = valuesOf(person);
    // An erased person who came back and opted out again has two rows. The earlier one counts.
    await queryNamed(tx, OLDER_OPT_OUT, values);
    await queryNamed(tx, NEWER_OPT_OUT, values);
    const erased = new Map<Place, number>();
    for (const place of PLACES) {
      const rows = await queryNamed(tx, `${statementOf(place)} where ${place.where} returning 1`, values);
      erased.set(place, rows.length);
    }
    const count = (wanted: (place: Place) => boolean) =>
      Object.fromEntries(
        [...erased]
          .filter(([place, rows]) => rows > 0 && wanted(place))
          .map(([{ table }, rows]) => [table, rows]),
      );
    const optOut = await queryNamed(tx, KEPT_OPT_OUT, values);
    return {
      deleted: count(({ erase }) => erase === 'delete'),
      anonymized: count(({ erase }) => erase !== 'delete'),
      optOutKept: optOut.length > 0,
    };
  });
}

function statementOf({ table, erase }: Place): string {
  if (erase === 'delete') return `delete from ${table} t`;
  const columns = Object.entries(erase).map(([column, value]) => `${column} = ${value}`);
  return `update ${table} t set ${columns.join(', ')}`;
}

const OLDER_OPT_OUT = `
  update opt_outs o set at = e.at, via = e.via from opt_outs e
   where o.account = :account and o.key = :key and e.account = :account and e.key = sluice_pseudonym(:account, :key)
     and e.at < o.at`;

const NEWER_OPT_OUT = `
  delete from opt_outs e where e.account = :account and e.key = sluice_pseudonym(:account, :key)
     and exists (select 1 from opt_outs o where o.account = :account and o.key = :key)`;

const KEPT_OPT_OUT =
  'select 1 from opt_outs where account = :account and key = sluice_pseudonym(:account, :key)';

/** Locks in the order of everybody else: runs and campaigns before their rows. */
async function lockWork(tx: Queryable, person: Person): Promise<void> {
  const names = namesOf(person);
  const locks = [
    'select 1 from runs where account = :account and finished_at is null order by id for update',
    'select 1 from campaigns where account = :account order by run_id for share',
    `select 1 from campaign_members m where m.run_id in (select run_id from campaigns where account = :account)
        and m.key = :key order by id for update`,
    'select 1 from events where account = :account and subject = any(:subjects::text[]) order by seq for update',
    'select 1 from pollers where account = :account order by poller for update',
    'select 1 from conversations where account = :account and id = any(:conversations::bigint[]) order by id for update',
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
];

async function usesOf(tx: Queryable, person: Person): Promise<string[]> {
  const uses: string[] = [];
  for (const [what, sql] of USES) {
    const rows = await queryNamed<{ what: string }>(tx, `${sql} limit 3`, namesOf(person));
    if (rows.length > 0) uses.push(`${what} (${rows.map((row) => row.what).join(', ')})`);
  }
  return uses;
}
