// Erasures whose rest, outside the ledger, was interrupted. A row has ids and a keyed hash, and is deleted with the end
// of its erasure.
import type { Queryable } from '../../core/sql/database.ts';
import type { Person } from '../../operator/store/people/person.ts';

export interface OpenErasure {
  readonly id: number;
  readonly account: string;
  /** Tables that had the person. */
  readonly tables: readonly string[];
  readonly conversations: readonly number[];
  readonly workflows: readonly string[];
  /** Values of `partitionkey` in outgoing events that name the person, besides those of conversations. */
  readonly streams: readonly string[];
}

type NewErasure = Pick<OpenErasure, 'tables' | 'workflows' | 'streams'>;

/** Records that the person was erased from the ledger. @returns the id of the erasure */
export async function openErasure(
  tx: Queryable,
  { account, key, conversations }: Person,
  { tables, workflows, streams }: NewErasure,
): Promise<number> {
  const [row] = await tx.query<{ id: number }>(
    `insert into erasures (account, pseudonym, tables, conversations, workflows, streams)
     values ($1, sluice_pseudonym($1, $2), $3::text[], $4::bigint[], $5::text[], $6::text[]) returning id`,
    [account, key, tables, conversations, workflows, streams],
  );
  return (row as { id: number }).id;
}

export async function openErasures(db: Queryable): Promise<OpenErasure[]> {
  return await db.query<OpenErasure>(
    `select id, account, to_jsonb(tables) as tables, to_jsonb(conversations) as conversations,
            to_jsonb(workflows) as workflows, to_jsonb(streams) as streams
       from erasures order by id`,
  );
}

/** Everything that Sluice can reach no longer has the person. */
export async function endErasure(db: Queryable, id: number): Promise<void> {
  await db.query('delete from erasures where id = $1', [id]);
}

/** Time before the erasure within which a call can have ended that reached the log after it. */
const LATE = "interval '10 minutes'";

/** Erases the person from calls that reached the log after the erasure. Only the keyed hash still names the person. */
export async function eraseLateCallsOf(db: Queryable, { id }: Pick<OpenErasure, 'id'>): Promise<void> {
  await db.query(
    `update calls c set person_key = null, event_id = null, conversation_id = null, card_id = null
       from erasures e
      where e.id = $1 and c.account = e.account and c.at > e.at - ${LATE}
        and (c.conversation_id = any(e.conversations) or sluice_pseudonym(c.account, c.person_key) = e.pseudonym)`,
    [id],
  );
}
