// The row of a conversation: its newest listing, and how far its messages have been read.
import type { ConversationState } from '../contract/events.ts';

/** The relevant part of a conversation's list entry. */
export interface Listing {
  readonly state: ConversationState;
  readonly lastMessage: string | null;
  /** The service does not show whether a person serves it, and the chatbot does not. */
  readonly mayBeServed: boolean;
  /** Hash of the state and the last message. */
  readonly fingerprint: string;
  /** The contact's key, as people.key. */
  readonly personKey: string;
}

/** What the last finished reading of a conversation saw. Texts are stored as hashes. */
export interface SeenMarks {
  /** Text of the newest message. */
  readonly newest: string | null;
  /** The last message as it was listed at that time. */
  readonly listed: string | null;
  /** Messages up to this time are deleted and not published again. ISO 8601. */
  readonly pruned: string | null;
}

/** A reading of older messages over several pages. */
export interface Reading {
  /** Fingerprint of the listing at the start of the reading. */
  readonly fingerprint: string;
  /** The next page to request. */
  readonly page: number;
  readonly size: number;
  /** Messages of the conversation, as the last page counted them. */
  readonly count: number;
  /** How many of the newest messages have been read; 0 when the reading starts again. */
  readonly read: number;
  readonly lookAlikes: LookAlikes;
  /** Increases with every page, which exposes an attempt that outlived its time. */
  readonly step: number;
  readonly restarts: number;
  /** Pages in a row without a new message. */
  readonly idle: number;
  readonly newest: NewestMark;
  /** Reads to the end, past known messages, because something was unreadable under other assumptions. */
  readonly deep: boolean;
  /** Messages that could not be read so far. */
  readonly odd: number;
}

/** Messages without an id at the old end of the reading. Look-alikes may follow on the next page. */
export interface LookAlikes {
  /** Their time in epoch milliseconds; null when they show none. */
  readonly at: number | null;
  /** Key without number → count. */
  readonly counts: Readonly<Record<string, number>>;
}

/** What the newest page of a reading showed. Texts are stored as hashes, times in ISO 8601. */
export interface NewestMark {
  readonly text: string | null;
  readonly at: string | null;
  /** The contact's newest message. */
  readonly inboundAt: string | null;
  /**
   * The answer came at least one second after the newest message, by the service's clock, so no other message can
   * have the same time.
   */
  readonly settled: boolean;
  /** The page shows the text that the list shows as the last message. */
  readonly showsListed: boolean;
}

export interface ConversationRow {
  readonly id: number;
  readonly poller: string;
  readonly fingerprint: string;
  readonly item: { readonly state: ConversationState; readonly lastMessage: string | null };
  readonly published: ConversationState | null;
  readonly todo: boolean;
  readonly tries: number;
  readonly reading: Reading | null;
  readonly covered_at: Date | null;
  readonly inbound_at: Date | null;
  /** When the person was erased. */
  readonly erased_at: Date | null;
  readonly seen: SeenMarks | null;
  /** The contact's key, as people.key. */
  readonly personKey: string;
}
