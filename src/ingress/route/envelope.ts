// What decoding finds in a delivery: events, each with the object that mappings read and what is known about it.
import type { JsonObject } from './json.ts';

export interface Envelope {
  /** Where paths and expressions begin. */
  readonly root: JsonObject;
  /** What they find under `$event`. */
  readonly about: JsonObject;
  /** A CloudEvent is one by its source and its id together. */
  readonly event?: { readonly source: string; readonly id: string };
  /** Whether the sender wrote `root`, so that the usual names of a key mean one in it. A row of a table may have a column of that name. */
  readonly keyed: boolean;
}

export type Decoded =
  | { readonly type: 'one'; readonly envelope: Envelope }
  | { readonly type: 'batch'; readonly envelopes: readonly Envelope[] }
  | { readonly type: 'skipped'; readonly why: string };
