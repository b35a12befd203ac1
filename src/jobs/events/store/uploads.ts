// Uploaded files, stored until a message sends them.
import { createHash } from 'node:crypto';
import { UPLOAD_PART } from '../../../core/encryption/columns.ts';
import { decryptValue, encryptValue } from '../../../core/encryption/values.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';

/**
 * PGlite shares the process's thread and keeps the memory that it once took: 64 MB at once cost 700 MB and blocked
 * the process for seconds. One part costs a few milliseconds.
 */
const PART_BYTES = 1_048_576;
/** An incomplete upload whose sender does not come back is deleted then. */
const HALF_EXPIRY = "now() + interval '1 hour'";
/** One statement deletes at most this many files of a burst that expired together. */
const FORGET_ROWS = 100;

export interface NewUpload {
  readonly account: string;
  /** Already sanitized: no path, no control characters. */
  readonly filename: string;
  /** Media type without parameters. */
  readonly contentType: string;
  readonly data: Uint8Array;
}

export interface StoredUpload {
  /** The name that an event uses for it. */
  readonly id: string;
  /** Bytes. */
  readonly size: number;
  readonly expiresAt: Date;
}

/** A file in the form that the API client takes. */
export interface UploadedFile {
  readonly data: Buffer;
  readonly filename: string;
  readonly contentType: string;
}

/**
 * Stores a file for `days`. The same bytes under the same name and type are the same upload of the account: its id
 * stays, and its days start again. It does not use one transaction: others need the ledger meanwhile, and a
 * repetition continues where this one stopped.
 */
export async function storeUpload(db: Queryable, upload: NewUpload, days: number): Promise<StoredUpload> {
  const { account, filename, contentType, data } = upload;
  const fingerprint = createHash('sha256').update(data).digest('base64url');
  const id = `up_${shortHash(JSON.stringify([account, filename, contentType, fingerprint]))}`;
  const size = data.length;
  const [known] = await db.query<{ ready: boolean }>(
    `insert into uploads (id, account, name, type, size, expires_at) values ($1, $2, $3, $4, $5, ${HALF_EXPIRY})
     on conflict (id) do update set expires_at = greatest(uploads.expires_at, excluded.expires_at) returning ready`,
    [id, account, filename, contentType, size],
  );
  // If the upload is complete, a repetition does not write the bytes again.
  if (known?.ready !== true) {
    for (let part = 0; part * PART_BYTES < size; part++) {
      const bytes = data.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
      await db.query(
        `insert into upload_parts (id, part, data) values ($1, $2, decode($3, 'base64')) on conflict do nothing`,
        [id, part, base64(encryptValue(db, UPLOAD_PART, [id, part], bytes) as Uint8Array)],
      );
    }
  }
  const [stored] = await db.query<{ expiresAt: Date }>(
    `update uploads set ready = true, expires_at = now() + make_interval(secs => $2::float8 * 86400) where id = $1
     returning expires_at as "expiresAt"`,
    [id, days],
  );
  return { id, size, ...(stored as { expiresAt: Date }) };
}

/**
 * Files of the account by id. Files that do not exist, belong to another account, or have expired are left out.
 * @param event id of the event that sends them; for an event that arrived before the files expired, they have not
 * @param take is given the size of each file before its bytes are read, and may refuse it by throwing
 */
export async function readUploads(
  db: Queryable,
  account: string,
  ids: readonly string[],
  {
    event = null,
    take = () => undefined,
  }: { readonly event?: string | null; readonly take?: (bytes: number) => void } = {},
): Promise<ReadonlyMap<string, UploadedFile>> {
  const rows = await db.query<{ id: string; name: string; type: string; size: number }>(
    `select id, name, type, size from uploads where id = any($1) and account = $2 and ready
        and (expires_at > now() or exists (select 1 from events e where e.id = $3 and e.received_at < expires_at))`,
    [ids, account, event],
  );
  const files = new Map<string, UploadedFile>();
  for (const { id, name, type, size } of rows) {
    take(size);
    const data = await readParts(db, id, size);
    // The file may have been deleted while it was read.
    if (data !== null) files.set(id, { filename: name, contentType: type, data });
  }
  return files;
}

async function readParts(db: Queryable, id: string, size: number): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  for (let part = 0; part * PART_BYTES < size; part++) {
    const [row] = await db.query<{ data: string }>(
      `select encode(data, 'base64') as data from upload_parts where id = $1 and part = $2`,
      [id, part],
    );
    if (row === undefined) return null;
    parts.push(decryptValue(db, UPLOAD_PART, [id, part], Buffer.from(row.data, 'base64')));
  }
  return Buffer.concat(parts, size);
}

/** PGlite's own encoding of bytes is many times slower. */
function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}

/**
 * Deletes expired files, except those that an open event still has to send: it may wait for its account, or for a window.
 * @returns the number of files; a further call may find more
 */
export async function forgetUploads(db: Queryable, limit = FORGET_ROWS): Promise<number> {
  const rows = await db.query(
    // Checks again under the lock, because the file may have been uploaded again meanwhile.
    `with needed as materialized (
       select account, jsonb_array_elements_text(request -> 'uploads') as id from events
        where state = 'accepted' and request ? 'uploads'
       union all
       select account, jsonb_array_elements_text(request -> 'uploads') from events
        where state = 'received' and request ? 'uploads')
     delete from uploads where id in (
         select id from uploads u
          where expires_at <= now() and not exists (select 1 from needed n where n.account = u.account and n.id = u.id)
          order by expires_at limit $1)
       and expires_at <= now() returning 1`,
    [limit],
  );
  return rows.length;
}
