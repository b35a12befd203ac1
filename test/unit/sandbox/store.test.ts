// The store and the request log on their own files.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RequestLog } from '../../../src/sandbox/http/request-log.ts';
import type { Contact, Op } from '../../../src/sandbox/state/model.ts';
import { Store } from '../../../src/sandbox/state/store.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sluice-store-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const contact = (id: number, number: string, name = 'N'): Contact => ({
  id,
  number,
  name,
  email: null,
  document: null,
  channel: 'whatsapp',
  disableBot: false,
  tagIds: [],
  extraInfo: ['a', 'b'],
  createdAt: 1,
  updatedAt: 2,
});
const put = (row: Contact): Op => ['contact', 'acme', row];
const rows = (store: Store) => store.accounts.get('acme')?.tables.contact.rows ?? [];

describe('the journal', () => {
  it('truncated anywhere, contains a whole number of transactions from the start', () => {
    const store = new Store(dir);
    for (let i = 0; i < 4; i += 1)
      store.commit([put(contact(2 * i + 1, `${i}1`)), put(contact(2 * i + 2, `${i}2`))]);
    store.close();
    const file = join(dir, 'journal.jsonl');
    const whole = readFileSync(file);
    const header = whole.indexOf(10) + 1;
    fc.assert(
      fc.property(fc.integer({ min: header, max: whole.length }), (length) => {
        writeFileSync(file, whole.subarray(0, length));
        const again = new Store(dir);
        const ids = rows(again).map((row) => row.id);
        again.commit([put(contact(100, '100'))]);
        again.close();
        expect(ids).toEqual(Array.from({ length: ids.length }, (_, i) => i + 1));
        expect(ids.length % 2).toBe(0);
        const third = new Store(dir);
        expect(rows(third).length).toBe(ids.length + 1);
        third.close();
      }),
    );
  });

  it('is rewritten at start when it is much larger than the state, which stays the same', () => {
    const store = new Store(dir);
    for (let i = 0; i < 1_500; i += 1) store.commit([put(contact(1, '55', `name ${i}`))]);
    store.applyFixture([], 'digest');
    for (let i = 0; i < 1_500; i += 1) store.commit([put(contact(1, '55', `name ${i}`))]);
    store.close();
    const file = join(dir, 'journal.jsonl');
    const before = statSync(file).size;
    const again = new Store(dir);
    again.commit([put(contact(2, '56'))]);
    again.close();
    expect(statSync(file).size).toBeLessThan(before / 100);
    const third = new Store(dir);
    expect([rows(third).map((row) => row.name), third.fixture, third.nextId('contact')]).toEqual([
      ['name 1499', 'N'],
      'digest',
      3,
    ]);
    third.close();
  });

  it('of another format is refused rather than read as something else', () => {
    writeFileSync(join(dir, 'journal.jsonl'), '{"format":99}\n');
    expect(() => new Store(dir)).toThrow(/format 1/);
  });

  it('refuses to write once it is closed', () => {
    const store = new Store(dir);
    store.close();
    expect(() => store.commit([put(contact(1, '1'))])).toThrow(/closed/);
  });
});

it('a contact is found by its new number and no longer by its old one', () => {
  const store = new Store(dir);
  store.commit([put(contact(1, '1')), put(contact(2, '2'))]);
  store.commit([put(contact(1, '2')), put(contact(2, '1'))]);
  store.commit([put(contact(2, '3'))]);
  const account = store.accounts.get('acme');
  expect(['1', '2', '3'].map((number) => account?.contactByNumber(number)?.id)).toEqual([undefined, 1, 2]);
  store.close();
});

it('rows stay in id order whatever order they come in', () => {
  const store = new Store(dir);
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { maxLength: 30 }), (ids) => {
      for (const id of ids) store.commit([put(contact(id, String(id)))]);
      const all = rows(store).map((row) => row.id);
      expect(all).toEqual([...all].sort((a, b) => a - b));
      for (const id of ids) expect(store.accounts.get('acme')?.tables.contact.get(id)?.id).toBe(id);
    }),
  );
  store.close();
});

describe('the request log', () => {
  const call = {
    at: 'now',
    tokenHash: null,
    method: 'GET',
    path: '/x',
    status: 200,
    code: null,
    durationMs: 1,
  };
  const since = (log: RequestLog, seq: number): number[] =>
    JSON.parse(Buffer.concat([...log.since(seq)]).toString()).requests.map((row: { seq: number }) => row.seq);

  it('gives what came after a seq wherever it lies, before and after a restart with a torn end', () => {
    const first = new RequestLog(dir);
    for (let i = 0; i < 1_000; i += 1) first.append(call);
    first.close();
    appendFileSync(join(dir, 'requests.jsonl'), '{"seq":1001,"at');
    const log = new RequestLog(dir);
    expect(log.lastSeq).toBe(1_000);
    log.append({ ...call, path: '/a,b\\n{"seq":7}' });
    for (const seq of [0, 1, 254, 255, 256, 257, 511, 512, 513, 999, 1_000, 1_001, 5_000]) {
      const expected = Array.from({ length: Math.max(0, 1_001 - seq) }, (_, i) => seq + 1 + i);
      expect(since(log, seq)).toEqual(expected);
    }
    log.close();
  });
});
