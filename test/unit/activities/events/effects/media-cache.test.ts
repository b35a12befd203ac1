// Files of messages in progress share one bound of memory, those that were uploaded like those from addresses.
import { afterEach, beforeAll, expect, it } from 'vitest';
import { createMediaCache } from '../../../../../activities/events/effects/media-cache.ts';
import { createRoom } from '../../../../../src/connectors/media/room.ts';
import type { Queryable } from '../../../../../src/core/sql/database.ts';
import { storeUpload } from '../../../../../src/jobs/events/store/uploads.ts';
import { testLedger } from '../../../../support/postgres/ledger.ts';

const ACCOUNT = 'media-cache';
let db: Queryable;
beforeAll(async () => {
  db = await testLedger();
});
afterEach(async () => void (await db.query('delete from uploads where account = $1', [ACCOUNT])));

const store = async (filename: string, bytes: number) =>
  (
    await storeUpload(
      db,
      { account: ACCOUNT, filename, contentType: 'application/pdf', data: Buffer.alloc(bytes, filename) },
      7,
    )
  ).id;
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'sent',
    (error: Error & { code?: string; retryable?: boolean }) =>
      `${error.code}${error.retryable ? ' retryable' : ''}`,
  );

/** A cache with room for 2,000 bytes of all messages and 1,500 of each. */
const open = () => {
  const cache = createMediaCache(db, createRoom(2000, 1500));
  return (id: string, uploads: readonly string[], work = async () => undefined as unknown) =>
    cache.withFiles({ id, account: ACCOUNT }, { uploads: [...uploads] }, work);
};

it.each([
  ['one file', [1500], 'sent'],
  ['one file that is too long', [1501], 'MEDIA_TOO_LARGE'],
  ['two files that are too long together', [800, 701], 'MEDIA_TOO_LARGE'],
])('a message with %s: %j bytes', async (_, sizes, result) => {
  const uploads = await Promise.all(sizes.map((bytes, n) => store(`${n}.pdf`, bytes)));
  expect(await codeOf(open()('a', uploads))).toBe(result);
});

it('a message waits while the uploads of others fill the room, and goes when they are sent', async () => {
  const [one, two] = [await store('1.pdf', 1200), await store('2.pdf', 900)];
  const withUploads = open();
  await withUploads('a', [one], async () => {
    expect(await codeOf(withUploads('b', [two]))).toBe('MEDIA_BUSY retryable');
  });
  expect(await codeOf(withUploads('b', [two]))).toBe('sent');
});

it('a message that is refused gives back what it took', async () => {
  const uploads = [await store('1.pdf', 1000), await store('2.pdf', 600)];
  const withUploads = open();
  for (const event of ['a', 'b', 'c'])
    expect(await codeOf(withUploads(event, uploads))).toBe('MEDIA_TOO_LARGE');
  expect(await codeOf(withUploads('d', [uploads[0] as string]))).toBe('sent');
});
