// The state of all accounts: in memory for answers, in a journal for restarts. Each commit is one line and one
// transaction.
import fs from 'node:fs';
import path from 'node:path';
import { Account } from './account.ts';
import { JournalDamaged, LineFile } from './journal.ts';
import type { Contact, Kinds, Op, TableKinds, Token, Webhook } from './model.ts';

const FORMAT = 1;
/** A start rewrites the journal if it has more than this many changes per existing record. */
const COMPACT_AT = 2;
/** Below this number of changes a rewrite saves too little time. */
const COMPACT_MIN = 1_000;

const NOTHING: readonly never[] = Object.freeze([]);

type Line = readonly Op[] | { readonly format: number } | { readonly fixture: string };

/** Thrown for a data folder in a format that this version does not know. */
export class UnknownFormat extends Error {
  override readonly name = 'UnknownFormat';
}

export class Store {
  readonly accounts = new Map<string, Account>();
  readonly #tokens = new Map<string, { readonly account: Account; readonly token: Token }>();
  readonly #webhooks = new Map<string, { readonly account: Account; readonly webhook: Webhook }>();
  readonly #lastId = new Map<keyof TableKinds, number>();
  readonly #texts = new Map<string, string>();
  readonly #journal: LineFile;
  #fixture: string | null = null;

  /** Opens the state in `dataDir`, created if missing. @throws JournalDamaged, UnknownFormat */
  constructor(dataDir: string) {
    fs.mkdirSync(dataDir, { recursive: true });
    const file = path.join(dataDir, 'journal.jsonl');
    let number = 0;
    let changes = 0;
    this.#journal = new LineFile(file, (bytes) => {
      number += 1;
      changes += this.#replay(parseLine(bytes, file, number), file);
    });
    if (number === 0) this.#journal.append(JSON.stringify({ format: FORMAT }));
    if (changes > COMPACT_MIN && changes > COMPACT_AT * this.#things()) this.#compact();
  }

  /** Digest of the fixture of this state, or null if none was applied yet. */
  get fixture(): string | null {
    return this.#fixture;
  }

  token(value: string): { readonly account: Account; readonly token: Token } | undefined {
    return this.#tokens.get(value);
  }

  webhook(hash: string): { readonly account: Account; readonly webhook: Webhook } | undefined {
    return this.#webhooks.get(hash);
  }

  /** Returns the account of this id. Ids are unique per kind across all accounts. */
  owner(kind: keyof TableKinds, id: number): Account | undefined {
    for (const account of this.accounts.values()) {
      if (account.tables[kind].get(id) !== undefined) return account;
    }
    return undefined;
  }

  /** Returns the next free id of a kind. Two records of one commit add their own offset. */
  nextId(kind: keyof TableKinds): number {
    return (this.#lastId.get(kind) ?? 0) + 1;
  }

  /** Writes the changes as one line, then makes them visible. All or nothing. */
  commit(ops: readonly Op[]): void {
    if (ops.length === 0) return;
    this.#journal.append(JSON.stringify(ops));
    for (const op of ops) this.#apply(op);
  }

  /** Applies a whole fixture and records its digest. It replaces the journal, so it is atomic for any size. */
  applyFixture(ops: readonly Op[], digest: string): void {
    for (const op of ops) this.#apply(op);
    this.#fixture = digest;
    this.#compact();
  }

  close(): void {
    this.#journal.close();
  }

  #replay(line: Line, file: string): number {
    if (Array.isArray(line)) {
      for (const op of line as readonly Op[]) this.#apply(op);
      return line.length;
    }
    if ('fixture' in line) this.#fixture = line.fixture;
    else if (!('format' in line) || line.format !== FORMAT) {
      throw new UnknownFormat(`${file}: not a journal of format ${FORMAT}; use the version that wrote it`);
    }
    return 0;
  }

  #apply(op: Op): void {
    const [kind, accountId] = op;
    let account = this.accounts.get(accountId);
    if (account === undefined) {
      account = new Account(accountId);
      this.accounts.set(accountId, account);
    }
    const value = kind === 'contact' ? this.#compactContact(op[2]) : op[2];
    account.put(kind, value as Kinds[typeof kind]);
    if (kind === 'token') this.#tokens.set(op[2].value, { account, token: op[2] });
    else if (kind === 'webhook') this.#webhooks.set(op[2].hash, { account, webhook: op[2] });
    else if (kind !== 'settings' && kind !== 'message') {
      this.#lastId.set(kind, Math.max(this.#lastId.get(kind) ?? 0, op[2].id));
    }
  }

  /** There may be a million contacts, so repeated values are stored once. */
  #compactContact(contact: Contact): Contact {
    const { extraInfo } = contact;
    return {
      ...contact,
      channel: this.#same(contact.channel),
      tagIds: contact.tagIds.length === 0 ? NOTHING : contact.tagIds,
      extraInfo:
        extraInfo.length === 0
          ? NOTHING
          : extraInfo.map((text, index) => (index % 2 === 0 ? this.#same(text) : text)),
    };
  }

  #same(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    // A stream of new names must not grow this without limit.
    if (this.#texts.size < 10_000) this.#texts.set(text, text);
    return text;
  }

  #things(): number {
    let things = 0;
    for (const account of this.accounts.values()) {
      for (const table of Object.values(account.tables)) things += table.size;
      for (const list of account.messages.values()) things += list.length;
      things += account.tokens.size + account.webhooks.size + 1;
    }
    return things;
  }

  #compact(): void {
    this.#journal.replace(this.#lines());
  }

  *#lines(): Generator<string> {
    yield JSON.stringify({ format: FORMAT });
    if (this.#fixture !== null) yield JSON.stringify({ fixture: this.#fixture });
    for (const account of this.accounts.values()) {
      const line = (kind: keyof Kinds, value: unknown) => JSON.stringify([[kind, account.id, value]]);
      yield line('settings', account.settings);
      for (const token of account.tokens.values()) yield line('token', token);
      for (const [kind, table] of Object.entries(account.tables)) {
        for (const row of table.rows) yield line(kind as keyof TableKinds, row);
      }
      for (const list of account.messages.values())
        for (const message of list) yield line('message', message);
      for (const webhook of account.webhooks.values()) yield line('webhook', webhook);
    }
  }
}

function parseLine(bytes: Buffer, file: string, number: number): Line {
  try {
    return JSON.parse(bytes.toString('utf8')) as Line;
  } catch (error) {
    throw new JournalDamaged(file, number, { cause: error });
  }
}
