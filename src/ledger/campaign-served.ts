// Whether a person is in a conversation just now, as a poller saw it last.
import type { Queryable } from './database.ts';

export interface OpenConversation {
  readonly id: number;
  /** A person has it: open, with an owner, and not in the hands of the chatbot (API text, Conversation). */
  readonly served: boolean;
}

/** The person's open conversation; of several the one that somebody serves. Null: none is known. */
export async function openConversation(
  db: Queryable,
  account: string,
  key: string,
): Promise<OpenConversation | null> {
  const [row] = await db.query<OpenConversation>(
    `select id, item #>> '{state,chatbot}' = 'false' and item #>> '{state,userId}' is not null as served
       from conversations
      where account = $1 and person_key = $2 and item #>> '{state,status}' = 'open'
      order by served desc, updated_at desc limit 1`,
    [account, key],
  );
  return row ?? null;
}
