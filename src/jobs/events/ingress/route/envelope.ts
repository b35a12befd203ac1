// The result of decoding: events, each with the object that mappings read and what is known about it.
import type { JsonObject } from './json.ts';

export interface Envelope {
  /** The root of paths and expressions. */
  readonly root: JsonObject;
  /** The value of `$event` in expressions. */
  readonly about: JsonObject;
  /** A CloudEvent is identified by its source and its id together. */
  readonly event?: { readonly source: string; readonly id: string };
  /**
   * Whether the sender wrote `root`, so that the usual key fields identify the event. A table row may have a column
   * with such a name.
   */
  readonly keyed: boolean;
}

export type Decoded =
  | { readonly type: 'one'; readonly envelope: Envelope }
  | { readonly type: 'batch'; readonly envelopes: readonly Envelope[] }
  | { readonly type: 'skipped'; readonly why: string };
