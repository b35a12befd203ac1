// Files that were uploaded to be sent with a message later on.
import { createHash } from 'node:crypto';
import type { Queryable } from './database.ts';
import { shortHash } from './short-hash.ts';

/** Days that a file is kept after it was last uploaded. */
export const UPLOAD_DAYS = 7;
const EXPIRY = `now() + interval '${UPLOAD_DAYS} days'`;
/** Of a burst that expired together, one statement takes away no more. */
const FORGET_ROWS = 100;

export interface NewUpload {
  readonly account: string;
  /** Harmless already: no path, no control characters. */
  readonly filename: string;
  /** Media type without parameters. */
  readonly contentType: string;
  readonly data: Uint8Array;
}

export interface StoredUpload {
  /** What an event names it by. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  readonly expiresAt: Date;
}

/** A file as the API client takes it. */
export interface UploadedFile {
  readonly data: Buffer;
  readonly filename: string;
  readonly contentType: string;
}

/**
 * Keeps a file for 7 days. The same bytes under the same name and type are the same upload of the account: its id stays,
 * and its days begin anew.
 */
export async function storeUpload(db: Queryable, upload: NewUpload): Promise<StoredUpload> {
  const { account, filename, contentType, data } = upload;
  const print = createHash('sha256').update(data).digest('base64url');
  const id = `up_${shortHash(JSON.stringify([account, filename, contentType, print]))}`;
  const size = data.length;
  // A repetition spares the database the bytes.
  const [known] = await db.query<{ expiresAt: Date }>(
    `update uploads set expires_at = ${EXPIRY} where id = $1 returning expires_at as "expiresAt"`,
    [id],
  );
  if (known !== undefined) return { id, size, ...known };
  const [stored] = await db.query<{ expiresAt: Date }>(
    `insert into uploads (id, account, name, type, size, data, expires_at)
     values ($1, $2, $3, $4, $5, decode($6, 'base64'), ${EXPIRY})
     on conflict (id) do update set expires_at = excluded.expires_at returning expires_at as "expiresAt"`,
    [id, account, filename, contentType, size, base64(data)],
  );
  return { id, size, ...(stored as { expiresAt: Date }) };
}

/** Files of the account by id; those that are not there, not the account's, or have expired are left out. */
export async function readUploads(
  db: Queryable,
  account: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UploadedFile>> {
  const rows = await db.query<{ id: string; name: string; type: string; data: string }>(
    `select id, name, type, encode(data, 'base64') as data
       from uploads where id = any($1) and account = $2 and expires_at > now()`,
    [ids, account],
  );
  return new Map(
    rows.map(({ id, name, type, data }) => [
      id,
      { filename: name, contentType: type, data: Buffer.from(data, 'base64') },
    ]),
  );
}

/** PGlite's own way with bytes took 15 s for 16 MB, and nothing else ran meanwhile. */
function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/** Forgets files whose days are over. @returns how many; a further call may find more */
export async function forgetUploads(db: Queryable, limit = FORGET_ROWS): Promise<number> {
  const rows = await db.query(
    // Looked at again under the lock: it may have been uploaded anew meanwhile.
    `delete from uploads where id in (select id from uploads where expires_at <= now() order by expires_at limit $1)
        and expires_at <= now() returning 1`,
    [limit],
  );
  return rows.length;
}
