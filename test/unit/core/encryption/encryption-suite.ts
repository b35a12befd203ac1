// Values at rest: what keys hide, how they change, and what a wrong, missing or moved value does. On each database.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createLedgerCipher,
  DamagedValueError,
  UnknownLedgerKeyError,
} from '../../../../src/core/encryption/cipher.ts';
import { ENCRYPTED_COLUMNS, EXTRA_KNOWN } from '../../../../src/core/encryption/columns.ts';
import { encryptedDatabase } from '../../../../src/core/encryption/encrypted-database.ts';
import { checkKeys, WrongLedgerKeyError } from '../../../../src/core/encryption/known-keys.ts';
import { encryptValue } from '../../../../src/core/encryption/values.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { findEvent } from '../../../../src/jobs/events/store/event-queries.ts';
import { findPerson } from '../../../../src/operator/store/people/person.ts';
import { encryptAgain } from '../../../../src/protect/encryption/encrypt-again.ts';
import { exportPerson } from '../../../../src/protect/person/export-person.ts';
import type { OpenDatabase } from '../sql/support.ts';
import { type Filled, fill, readAll } from './filled.ts';
import { cipherOf, ledgerKey } from './keys.ts';

const CANARY = 'canary-of-a-person';
const never = new AbortController().signal;
const failures: unknown[] = [];
const encryptAll = (db: Database) =>
  encryptAgain({ db, signal: never, rest: () => Promise.resolve(), failed: (error) => failures.push(error) });

/** Rows that have a text anywhere, and rows with a value, by encrypted column. */
async function look(db: Database, filled: Filled, text: string) {
  const found: Record<string, { values: number; readable: number }> = {};
  for (const { table, column, shape } of ENCRYPTED_COLUMNS) {
    const content = shape.type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`;
    const [row] = await db.query<{ values: number; readable: number }>(
      `select count(*) filter (where ${column} is not null)::int as values,
              count(*) filter (where ${content} like '%' || $1 || '%')::int as readable
         from ${table} where ${ofAccount[table] ?? `account = $2`}`,
      [
        text,
        table === 'upload_parts'
          ? filled.upload
          : table.startsWith('plan') || /^(campaign|run)_/.test(table)
            ? filled.run
            : filled.account,
      ],
    );
    found[`${table}.${column}`] = row as { values: number; readable: number };
  }
  return found;
}

const ofAccount: Readonly<Record<string, string>> = {
  upload_parts: 'id = $2',
  plan_pages: 'run_id = $2',
  plan_claims: 'run_id = $2',
  campaign_members: 'run_id = $2',
  run_records: 'run_id = $2',
  users: 'name = $2',
};

export function encryptionSuite(plain: OpenDatabase): void {
  const withKeys = (first: string, ...others: string[]) => {
    const cipher = cipherOf(first, ...others);
    return { cipher, db: encryptedDatabase(plain(), cipher) };
  };
  beforeAll(() => plain().query('delete from encryption_keys'));

  describe('with a key', () => {
    it('no encrypted column shows its content, and every reader gets it', async () => {
      const { db } = withKeys('k1');
      const filled = await fill(db, CANARY);
      const columns = await look(db, filled, CANARY);
      for (const [column, { values, readable }] of Object.entries(columns))
        expect([column, values > 0, readable]).toEqual([column, true, 0]);
      for (const [part, value] of Object.entries(await readAll(db, filled)))
        expect([part, JSON.stringify(value)?.includes(CANARY)]).toEqual([part, true]);
    });

    it('and without it, no reader gets any content: the error names the key and the way out', async () => {
      const filled = await fill(withKeys('k1').db, CANARY);
      for (const db of [plain(), withKeys('k2').db]) {
        const error = await readAll(db, filled).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(UnknownLedgerKeyError);
        expect(String(error)).toContain('"k1", which ledger.encryption.keys does not list; add that key');
      }
    });

    it('the export of a person has the content, files too', async () => {
      const { db } = withKeys('k1');
      const { account } = await fill(db, CANARY);
      const [row] = await db.query<{ ref: string }>(
        `select 'p' || id as ref from people where account = $1`,
        [account],
      );
      const person = await findPerson(db, account, row?.ref ?? '');
      if (person === null) throw new Error('the person is there');
      const { upload_parts: files = [], ...tables } = await exportPerson(db, person);
      expect(files[0]?.data).toBe(`\\x${Buffer.from(CANARY).toString('hex')}`);
      for (const table of ['events', 'run_records', 'people', 'campaign_members', 'conversations'])
        expect([table, JSON.stringify(tables[table])?.includes(CANARY)]).toEqual([table, true]);
      expect(JSON.stringify(tables)).not.toContain('$encrypted');
    });

    it('a value of another row is refused', async () => {
      const { db } = withKeys('k1');
      const [one, other] = [await fill(db, CANARY), await fill(db, 'other')];
      await db.query('update events set request = (select request from events where id = $1) where id = $2', [
        one.event,
        other.event,
      ]);
      await expect(findEvent(db, other.event)).rejects.toThrow(DamagedValueError);
      await expect(findEvent(db, one.event)).resolves.toMatchObject({ request: { text: CANARY } });
    });

    it('a changed value is refused, and the error has nothing of it', async () => {
      const { db } = withKeys('k1');
      const { event } = await fill(db, CANARY);
      await db.query(
        `update events set request = jsonb_set(request, '{$encrypted}',
           to_jsonb(overlay(request ->> '$encrypted' placing case substr(request ->> '$encrypted', 60, 1) when 'A' then 'B' else 'A' end from 60)))
          where id = $1`,
        [event],
      );
      const error = await findEvent(db, event).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DamagedValueError);
      expect(String(error)).toContain('a value of events.request');
      expect(JSON.stringify(error)).not.toContain(CANARY);
    });
  });

  describe('rows from before the encryption', () => {
    it('stay readable, and the job encrypts them', async () => {
      const filled = await fill(plain(), CANARY);
      const { db, cipher } = withKeys('k3');
      const before = await readAll(db, filled);
      expect(before).toEqual(await readAll(plain(), filled));
      await dropOthers(db);
      await checkKeys(db, cipher);
      // Pages of a run that is being planned go with the run.
      await db.query('delete from plan_pages');
      await db.query('delete from plan_claims');
      expect(await encryptAll(db)).toBeGreaterThan(7);
      for (const [column, { readable }] of Object.entries(await look(db, filled, CANARY)))
        expect([column, readable]).toEqual([column, 0]);
      const { chunk: _, claims: __, ...lasting } = before;
      expect(await readAll(db, filled)).toMatchObject(lasting);
      expect(await encryptAll(db)).toBe(0);
    });
  });

  describe('a rotation', () => {
    it('encrypts everything with the new key; then the old one may go', async () => {
      await dropOthers(plain());
      const old = withKeys('k4');
      await checkKeys(old.db, old.cipher);
      const filled = await fill(old.db, CANARY);
      await old.db.query('delete from plan_pages');
      await old.db.query('delete from plan_claims');
      const both = withKeys('k5', 'k4');
      await checkKeys(both.db, both.cipher);
      // A process that still encrypts with the old key does not undo the work of the others.
      expect(await encryptAll(encryptedDatabase(plain(), cipherOf('k4', 'k5')))).toBe(0);
      await expect(checkKeys(plain(), cipherOf('k5'))).rejects.toThrow(UnknownLedgerKeyError);
      expect(await encryptAll(both.db)).toBeGreaterThan(7);
      // A process that has not restarted since writes with the old key, so the old one may not go yet.
      await old.db.query(`insert into people (account, key, extra_known) values ('late', '1', $1::jsonb)`, [
        JSON.stringify(encryptValue(old.db, EXTRA_KNOWN, ['late', '1'], { name: CANARY })),
      ]);
      await expect(checkKeys(plain(), cipherOf('k5'))).rejects.toThrow(UnknownLedgerKeyError);
      expect(await encryptAll(both.db)).toBe(0);
      for (const found of [1, 0]) {
        await expect(checkKeys(plain(), cipherOf('k5'))).rejects.toThrow(UnknownLedgerKeyError);
        await plain().query(`update retention set ended_at = now() - interval '1 day'`);
        expect(await encryptAll(both.db)).toBe(found);
      }
      const alone = withKeys('k5');
      await checkKeys(alone.db, alone.cipher);
      const { chunk: _, claims: __, ...lasting } = await readAll(alone.db, filled);
      for (const [part, value] of Object.entries(lasting))
        expect([part, JSON.stringify(value)?.includes(CANARY)]).toEqual([part, true]);
    });
  });

  describe('a pass that a shutdown ends', () => {
    it('is continued at once by another process', async () => {
      await dropOthers(plain());
      const old = withKeys('k10');
      await checkKeys(old.db, old.cipher);
      await fill(old.db, CANARY);
      await old.db.query('delete from plan_pages');
      await old.db.query('delete from plan_claims');
      const both = withKeys('k11', 'k10');
      await checkKeys(both.db, both.cipher);
      const shutdown = new AbortController();
      const rest = async () => shutdown.abort();
      const failed = (error: unknown) => failures.push(error);
      await encryptAgain({ db: both.db, signal: shutdown.signal, rest, failed });
      await expect(checkKeys(plain(), cipherOf('k11'))).rejects.toThrow(UnknownLedgerKeyError);
      expect(await encryptAll(both.db)).toBeGreaterThan(7);
    });
  });

  describe('a damaged value', () => {
    it('does not keep the others from being encrypted, and its key stays', async () => {
      await dropOthers(plain());
      const old = withKeys('k8');
      await checkKeys(old.db, old.cipher);
      const [one, other] = [await fill(old.db, CANARY), await fill(old.db, CANARY)];
      await old.db.query(
        'update events set request = (select request from events where id = $1) where id = $2',
        [one.event, other.event],
      );
      await old.db.query('delete from plan_pages');
      await old.db.query('delete from plan_claims');
      const both = withKeys('k9', 'k8');
      await checkKeys(both.db, both.cipher);
      failures.length = 0;
      expect(await encryptAll(both.db)).toBeGreaterThan(14);
      expect(failures).toEqual([expect.any(DamagedValueError)]);
      await expect(findEvent(withKeys('k9').db, one.event)).resolves.toMatchObject({
        request: { text: CANARY },
      });
      await expect(checkKeys(plain(), cipherOf('k9'))).rejects.toThrow(UnknownLedgerKeyError);
    });
  });

  describe('the keys of a ledger', () => {
    it('are checked before anything is read', async () => {
      await dropOthers(plain());
      await plain().query('delete from encryption_keys');
      await checkKeys(plain(), null);
      await checkKeys(plain(), cipherOf('k6'));
      await expect(checkKeys(plain(), null)).rejects.toThrow(UnknownLedgerKeyError);
      await expect(checkKeys(plain(), cipherOf('k7'))).rejects.toThrow(UnknownLedgerKeyError);
      const wrong = createLedgerCipher([ledgerKey('k6', 'another value')]);
      await expect(checkKeys(plain(), wrong)).rejects.toThrow(WrongLedgerKeyError);
      await expect(checkKeys(plain(), cipherOf('k6', 'k7'))).resolves.toBeUndefined();
      const known = await plain().query('select id from encryption_keys');
      expect(known).toEqual([{ id: 'k6' }]);
      await plain().query('delete from encryption_keys');
    });
  });
}

/** Contents of other tests, whose keys the next test does not have. */
async function dropOthers(db: Database): Promise<void> {
  for (const { table, column, shape } of ENCRYPTED_COLUMNS)
    await db.query(
      `delete from ${table} where ${shape.type === 'bytea' ? `encode(${column}, 'escape') like '%sluice-encrypted%'` : `${column}::text like '%$encrypted%'`}`,
    );
  await db.query('delete from retention');
  await db.query('delete from encryption_keys');
}
