// What every kind of paging implements, and the values it works with.

/** JSON-safe. It becomes part of the cursor. */
export type PageState = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

export interface Listing {
  readonly items: readonly unknown[];
  readonly body: unknown;
  readonly linkHeader: string | null;
}

/** What a page adds to the configured request: parameters, or a whole path with query. */
export interface Ask {
  readonly params: Readonly<Record<string, string | number>>;
  readonly target?: string;
}

export interface Taken {
  /** Entries that were not read before. */
  readonly fresh: readonly unknown[];
  readonly next: PageState | null;
}

export interface Pager {
  readonly first: PageState;
  ask(state: PageState): Ask;
  /** @throws SourceError `endless` or `bad_answer` */
  take(state: PageState, listing: Listing): Taken;
}
