// All facts about the 24-hour window of a conversation or a person, read in one statement.
import type { Queryable } from '../../../core/sql/database.ts';

/** The recipient of a message: a conversation by its id, or a person by the number with the Brazilian ninth digit. */
export type WindowTarget = { readonly conversation: number } | { readonly key: string };

export interface Conversation {
  readonly id: number;
  readonly poller: string;
  readonly connection_id: number;
  readonly channel: string;
  readonly status: string | null;
  readonly updated_at: string;
  readonly inbound_at: string | null;
  /** Some of its messages must still be read. */
  readonly behind: boolean;
  /** A message of the last 24 hours does not show its time or its author. */
  readonly unclear: boolean;
}

export interface Poller {
  readonly poller: string;
  readonly complete_at: string | null;
  readonly since: string | null;
  /** Older pages must still be read. */
  readonly history: boolean;
  /** It is blocked, because the service shows something in a different form than assumed. */
  readonly unread: boolean;
}

export interface Facts {
  readonly pollers: readonly Poller[];
  readonly conversations: readonly Conversation[];
  /** Periods of the last 24 hours with something possibly missing. Conversation 0 is the list. */
  readonly gaps: readonly {
    readonly poller: string;
    readonly conversation_id: number;
    /** Something exists that could not be read. */
    readonly unread: boolean;
  }[];
  /** Connections that the ledger has conversations of. */
  readonly connections: readonly { readonly id: number; readonly channel: string; readonly name: string }[];
}

/** @param after start of the last 24 hours */
export async function windowFacts(
  db: Queryable,
  account: string,
  to: WindowTarget,
  after: Date,
): Promise<Facts> {
  const [sql, target] =
    'conversation' in to ? [FACTS_OF_CONVERSATION, to.conversation] : [FACTS_OF_PERSON, to.key];
  const [facts] = await db.query<Facts>(sql, [account, target, after]);
  return facts as Facts;
}

function factsOf(which: string, connections: string, after = '$3'): string {
  return `
    with recursive mine as materialized (
      select c.id, c.poller, c.connection_id, c.channel, c.item #>> '{state,status}' as status, c.updated_at,
             greatest(c.inbound_at, m.inbound_at) as inbound_at,
             c.todo_at is not null or c.reading is not null as behind, coalesce(m.unclear, false) as unclear
        from conversations c, lateral (
          -- Polling deletes all but the newest few hundred messages. Those not published yet are still being read.
          select max(at) filter (where not from_me) as inbound_at,
                 bool_or((from_me is null or at is null) and from_me is distinct from true) as unclear
            from messages
           where account = c.account and conversation_id = c.id and item is null and coalesce(at, 'infinity') > ${after}) m
       where c.account = $1 and ${which}),
    ${connections}
    select
      (select coalesce(jsonb_agg(p), '[]') from (
         select poller, complete_at, since, history is not null as history, block_shape is not null as unread
           from pollers where account = $1) p) as pollers,
      (select coalesce(jsonb_agg(m), '[]') from mine m) as conversations,
      (select coalesce(jsonb_agg(g), '[]') from (
         select distinct poller, conversation_id, assumed is not null as unread from poll_gaps
          where account = $1 and (coalesce(before, last_at) > ${after} or assumed is not null)
            and (conversation_id = 0 or conversation_id in (select id from mine))) g) as gaps,
      (select coalesce(jsonb_agg(s), '[]') from seen s) as connections`;
}

const FACTS_OF_CONVERSATION = factsOf('c.id = $2', 'seen as (select 1 where false)');
/**
 * One index look-up per connection. There are few connections. The account comes from the row before, so that a plan
 * for all accounts is expected to cost what a plan for one account costs; else PostgreSQL plans it at every call.
 */
const CONNECTIONS = `ids as (
     (select account, connection_id as id from conversations where account = $1 order by connection_id limit 1)
     union all
     select account, (select connection_id from conversations c where c.account = ids.account
              and c.connection_id > ids.id order by connection_id limit 1)
       from ids where ids.id is not null),
   seen as (
     select ids.id, newest.channel, newest.name
       from ids, lateral (
         select channel, item #>> '{state,connection,name}' as name from conversations c
          where c.account = ids.account and c.connection_id = ids.id order by updated_at desc limit 1) newest)`;
const FACTS_OF_PERSON = factsOfPerson('$2', '$3');

/** The same facts as SQL, for a larger statement: about the person `key` of the account `$1`, from `after` on. */
export function factsOfPerson(key: string, after: string): string {
  return factsOf(`c.person_key = ${key}`, CONNECTIONS, after);
}
