// A member just before its trigger, with all that the ledger knows of the person: one statement, as two are made a trigger.
import { MEMBER_COLUMNS, type MemberName, type MemberRow } from './campaign-members.ts';
import type { Queryable } from './database.ts';

export interface OpenConversation {
  readonly id: number;
  /** A person has it: open, with an owner, and not in the hands of the chatbot (API text, Conversation). */
  readonly served: boolean;
}

export interface MemberLook extends MemberRow {
  /** The run goes on, and nobody holds it. */
  readonly running: boolean;
  readonly optedOut: boolean;
  /** How often campaigns have reached the person since, this member's own trigger aside. */
  readonly touches: number;
  /** The person's open conversation, as a poller saw it last; of several the one that somebody serves. */
  readonly open: OpenConversation | null;
  /** The contact's id as the ledger knows it, whatever the member came with. */
  readonly known: number | null;
}

/**
 * @param since touches after it count
 * @throws Error when the run has no such member
 */
export async function lookAtMember(
  db: Queryable,
  account: string,
  { run, id }: MemberName,
  since: Date,
): Promise<MemberLook> {
  const [row] = await db.query<MemberLook>(
    `select m.*, (select state = 'running' and held is null from campaigns where run_id = $2) as running,
            exists (select 1 from opt_outs where account = $1 and key = m.key) as "optedOut",
            (select count(*)::int from campaign_touches t
              where t.account = $1 and t.key = m.key and t.at > $4 and t.member_id <> m.id) as touches,
            (select to_jsonb(o) from (
               select id, coalesce(item #>> '{state,chatbot}' = 'false' and item #>> '{state,userId}' is not null, false) as served
                 from conversations
                where account = $1 and person_key = m.key and item #>> '{state,status}' = 'open'
                order by served desc, updated_at desc limit 1) o) as open,
            (select remote_id from people where account = $1 and key = m.key limit 1) as known
       from (select ${MEMBER_COLUMNS} from campaign_members where run_id = $2 and id = $3) m`,
    [account, run, id, since],
  );
  if (row === undefined) throw new Error(`the run ${run} has no member ${id}`);
  return row;
}
