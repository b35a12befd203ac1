// What the parts of reading a conversation's messages hand to each other.
import type { PollCall, ReadResult } from '../../src/contracts/poll.ts';
import type { ConversationRow } from '../../src/ledger/conversations.ts';
import type { Queryable } from '../../src/ledger/database.ts';
import type { Deps } from '../deps.ts';

export type ReadCall = PollCall & { readonly conversation: number };

export interface ReadOptions {
  /** Messages a page; a service caps at 200 (API text, Limits). */
  readonly messagePageSize: number;
  /** About so many keys of a conversation's newest messages are kept; more than a page has. */
  readonly keep: number;
}

/** What a call has brought, and which sinks are to be woken for it. */
export interface Read extends ReadResult {
  readonly sinks: readonly string[];
}

export const NOTHING: Read = { done: true, messages: 0, sinks: [] };

/** All that a page is judged with; `row`: the conversation before the call, `now`: inside the transaction. */
export interface ReadContext {
  readonly deps: Deps;
  readonly tx: Queryable;
  readonly call: ReadCall;
  readonly options: ReadOptions;
  readonly row: ConversationRow;
  readonly now: ConversationRow;
}
