// Files between upload and sending: kept for seven days, by account.
import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import type { Queryable } from '../../../../../src/core/sql/database.ts';
import {
  forgetUploads,
  type NewUpload,
  readUploads,
  storeUpload,
} from '../../../../../src/jobs/events/store/uploads.ts';
import { emptyLedger, testLedger } from '../../../../support/postgres/ledger.ts';

const DAY_MS = 86_400_000;
const FILE: NewUpload = {
  account: 'acme',
  filename: 'a.png',
  contentType: 'image/png',
  data: Buffer.from([0, 0xff, 0x5c, 0x78]),
};

const db = await testLedger();
beforeEach(() => emptyLedger(db));

const expire = (id: string) => db.query('update uploads set expires_at = now() where id = $1', [id]);
const count = async () => (await db.query<{ n: number }>('select count(*)::int as n from uploads'))[0]?.n;

it('a file comes back unchanged, even a long one', async () => {
  const data = randomBytes(3_000_001);
  const { id, size, expiresAt } = await storeUpload(db, { ...FILE, data }, 7);
  expect(size).toBe(3_000_001);
  expect(Math.abs(expiresAt.getTime() - Date.now() - 7 * DAY_MS)).toBeLessThan(DAY_MS / 100);
  const file = (await readUploads(db, 'acme', [id])).get(id);
  expect(file).toMatchObject({ filename: 'a.png', contentType: 'image/png' });
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  expect(hash(file?.data ?? Buffer.alloc(0))).toBe(hash(data));
});

it('the same file has the same id, and its days start again; any difference makes another file', async () => {
  const { id } = await storeUpload(db, FILE, 7);
  await expire(id);
  expect((await readUploads(db, 'acme', [id])).size).toBe(0);
  const again = await Promise.all([storeUpload(db, FILE, 7), storeUpload(db, FILE, 7)]);
  expect(again.map((each) => each.id)).toEqual([id, id]);
  expect((await readUploads(db, 'acme', [id])).size).toBe(1);
  const others = [
    { account: 'other' },
    { filename: 'b.png' },
    { contentType: 'image/jpeg' },
    { data: Buffer.from([0]) },
    // What stands where must not matter.
    { filename: 'a.pngimage', contentType: '/png' },
  ];
  const ids = await Promise.all(
    others.map(async (over) => (await storeUpload(db, { ...FILE, ...over }, 7)).id),
  );
  expect(new Set([id, ...ids]).size).toBe(6);
  expect(await count()).toBe(6);
});

it('files of another account are not found', async () => {
  const { id } = await storeUpload(db, { ...FILE, account: 'other' }, 7);
  expect((await readUploads(db, 'acme', [id, 'up_none', "'; --"])).size).toBe(0);
});

it('expired files are deleted, a limited number at a time', async () => {
  for (const filename of ['a', 'b', 'c']) await expire((await storeUpload(db, { ...FILE, filename }, 7)).id);
  const { id } = await storeUpload(db, FILE, 7);
  expect([await forgetUploads(db, 2), await forgetUploads(db, 2), await forgetUploads(db, 2)]).toEqual([
    2, 1, 0,
  ]);
  expect([...(await readUploads(db, 'acme', [id])).keys()]).toEqual([id]);
});

it('an incomplete file is not found, and a repetition adds the rest', async () => {
  const data = randomBytes(3_000_001);
  let statements = 0;
  const dying: Queryable = {
    query: (sql, params) =>
      ++statements > 3 ? Promise.reject(new Error('the connection broke')) : db.query(sql, params),
  };
  await expect(storeUpload(dying, { ...FILE, data }, 7)).rejects.toThrow('broke');
  const [{ id } = { id: '' }] = await db.query<{ id: string }>('select id from uploads');
  expect((await readUploads(db, 'acme', [id])).size).toBe(0);
  expect((await storeUpload(db, { ...FILE, data }, 7)).id).toBe(id);
  expect((await readUploads(db, 'acme', [id])).get(id)?.data.equals(data)).toBe(true);
});

it.each([
  ['waits for its account', 'accepted', 0],
  ['is being stored', 'received', 0],
  ['has ended', 'ended', 1],
])(
  'an expired file of an event that %s is deleted only if nothing sends it',
  async (_name, state, deleted) => {
    const { id } = await storeUpload(db, FILE, 7);
    await db.query(
      `insert into events (id, account, route, run_id, action, subject, request, state, received_at)
     values ('e', 'acme', 'r', 'acme/@r/1', 'message', 's', $1::jsonb, $2, now() - interval '8 days')`,
      [JSON.stringify({ uploads: [id] }), state],
    );
    await expire(id);
    expect(await forgetUploads(db)).toBe(deleted);
    expect([...(await readUploads(db, 'acme', [id], { event: 'e' })).keys()]).toEqual(
      deleted === 0 ? [id] : [],
    );
    // An event that arrives now is too late.
    expect((await readUploads(db, 'acme', [id], { event: 'another' })).size).toBe(0);
  },
);
