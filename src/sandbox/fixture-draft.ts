// Collects the changes that a fixture or patch asks for, and refuses what can't be: an id twice, an id of
// another account, a reference to nothing.
import { DEFAULT_SETTINGS } from './account.ts';
import { FixtureError } from './fixture.ts';
import type { Kinds, Op, Settings, Stage, TableKinds } from './model.ts';
import type { Store } from './store.ts';

/** Where each id of each kind was seen first; one for a whole fixture, since ids are unique over it. */
export type Seen = Map<string, string>;

export class Draft {
  readonly ops: Op[] = [];
  readonly accountId: string;
  readonly at: number;
  readonly #store: Store;
  readonly #seen: Seen;
  readonly #drafted = new Map<string, unknown>();
  readonly #numbers = new Map<string, number>();
  readonly #stages = new Map<number, { readonly pipelineId: number; readonly stage: Stage }>();

  constructor(store: Store, accountId: string, at: number, seen: Seen) {
    this.#store = store;
    this.accountId = accountId;
    this.at = at;
    this.#seen = seen;
  }

  get #account() {
    return this.#store.accounts.get(this.accountId);
  }

  get settings(): Settings {
    return this.#account?.settings ?? DEFAULT_SETTINGS;
  }

  /** The thing as it will be: drafted here, or stored already. */
  get<K extends keyof TableKinds>(kind: K, id: number): TableKinds[K] | undefined {
    return (
      (this.#drafted.get(`${kind} ${id}`) as TableKinds[K] | undefined) ?? this.#account?.tables[kind].get(id)
    );
  }

  token(value: string): Kinds['token'] | undefined {
    return this.#account?.tokens.get(value);
  }

  webhook(hash: string): Kinds['webhook'] | undefined {
    return this.#account?.webhooks.get(hash);
  }

  message(conversationId: number, id: string): Kinds['message'] | undefined {
    return this.#account?.messages.get(conversationId)?.find((message) => message.id === id);
  }

  stage(id: number): { readonly pipelineId: number; readonly stage: Stage } | undefined {
    return this.#stages.get(id) ?? this.#account?.stage(id);
  }

  put<K extends keyof Kinds>(kind: K, value: Kinds[K]): void {
    this.ops.push([kind, this.accountId, value] as unknown as Op);
    const id = (value as { readonly id?: number }).id;
    if (id !== undefined) this.#drafted.set(`${kind} ${id}`, value);
    if (kind === 'pipeline') {
      const pipeline = value as Kinds['pipeline'];
      for (const stage of pipeline.stages) this.#stages.set(stage.id, { pipelineId: pipeline.id, stage });
    }
  }

  /** Refuses an id that stands twice in the fixture, or belongs to another account. */
  claim(kind: keyof Kinds | 'stage', id: number | string, path: string): void {
    this.once(kind, id, path);
    const owner = this.#ownerOf(kind, id);
    if (owner !== undefined && owner !== this.accountId) {
      throw new FixtureError(path, `this ${kind} belongs to another account`);
    }
  }

  /** Refuses a value that stands twice among its kind. */
  once(kind: string, id: number | string, path: string): void {
    const key = `${kind} ${id}`;
    const first = this.#seen.get(key);
    // The id itself is left out: of a token it is the secret.
    if (first !== undefined) throw new FixtureError(path, `this ${kind} is repeated, first at ${first}`);
    this.#seen.set(key, path);
  }

  /** Refuses a number that another contact of the account has. */
  claimNumber(number: string, contactId: number, path: string): void {
    const known = this.#account?.contactByNumber(number)?.id;
    // A contact that this patch gives another number to has left the old one.
    const stored = known !== undefined && this.get('contact', known)?.number === number ? known : undefined;
    const holder = this.#numbers.get(number) ?? stored;
    if (holder !== undefined && holder !== contactId) {
      throw new FixtureError(path, `the number is that of contact ${holder} already`);
    }
    this.#numbers.set(number, contactId);
  }

  /** Refuses a reference to a thing that the account does not have. */
  need(kind: keyof TableKinds, id: number | null | undefined, path: string): void {
    if (id === null || id === undefined || this.get(kind, id) !== undefined) return;
    throw new FixtureError(path, `the account has no ${kind} ${id}`);
  }

  #ownerOf(kind: keyof Kinds | 'stage', id: number | string): string | undefined {
    if (kind === 'token') return this.#store.token(String(id))?.account.id;
    if (kind === 'webhook') return this.#store.webhook(String(id))?.account.id;
    if (kind === 'settings') return undefined;
    for (const account of this.#store.accounts.values()) {
      if (kind === 'stage') {
        if (account.stage(Number(id)) !== undefined) return account.id;
      } else if (kind === 'message') {
        if (account.conversationOfMessage(String(id)) !== undefined) return account.id;
      } else if (account.tables[kind].get(Number(id)) !== undefined) return account.id;
    }
    return undefined;
  }
}
