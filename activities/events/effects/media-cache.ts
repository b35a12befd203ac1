// Cache of message files between download and sending, so that an event that waits or is retried does not download
// them again.

import { type FetchedMedia, fetchMedia } from '../../../src/connectors/media/fetch-media.ts';
import { MediaError } from '../../../src/connectors/media/media-error.ts';
import { createRoom, type Room, type Share } from '../../../src/connectors/media/room.ts';
import type { Queryable } from '../../../src/core/sql/database.ts';
import type { RequestOf } from '../../../src/jobs/events/contract/intake.ts';
import { readUploads } from '../../../src/jobs/events/store/uploads.ts';
import { callScope } from '../../shared/call-scope.ts';

type Media = NonNullable<RequestOf<'message'>['media']>;

/** Shorter than the two minutes within which an event's first call must begin (work-event.ts). */
const MAX_DOWNLOAD_MS = 45_000;
/** Maximum number of bytes in the cache; files beyond it are downloaded again when needed. */
const CACHE_BYTES = 64 * 1024 * 1024;
const KEPT_MS = 5 * 60_000;

interface Kept {
  readonly files: readonly FetchedMedia[];
  readonly bytes: number;
  readonly until: number;
}

export interface MediaCache {
  /**
   * Runs `work` with the files of an event, those from URLs first. Files that are not cached are downloaded, or read
   * from the ledger.
   * @throws MediaError
   */
  withFiles<T>(
    event: { readonly id: string; readonly account: string },
    wish: Pick<RequestOf<'message'>, 'media' | 'uploads'>,
    work: (files: readonly FetchedMedia[]) => Promise<T>,
  ): Promise<T>;
  /** Removes the files of an event that no longer needs them. */
  drop(event: string): void;
}

/** Creates a cache; a process has one. Cached files are lost with the process and downloaded again. */
export function createMediaCache(db: Queryable, room: Room = createRoom()): MediaCache {
  const kept = new Map<string, Kept>();
  const bytesKept = () => [...kept.values()].reduce((sum, { bytes }) => sum + bytes, 0);

  async function filesOf(
    { id, account }: { readonly id: string; readonly account: string },
    { media, uploads }: Pick<RequestOf<'message'>, 'media' | 'uploads'>,
    share: Share,
  ): Promise<readonly FetchedMedia[]> {
    if (media === undefined && uploads === undefined) return [];
    const now = Date.now();
    for (const [event, { until }] of kept) if (until < now) kept.delete(event);
    const here = kept.get(id);
    if (here !== undefined) return here.files;
    // Uploads first: reading them is cheap, and a missing one saves the downloads.
    const uploaded = uploads === undefined ? [] : await fromLedger(db, { id, account }, uploads, share);
    const fetched = media === undefined ? [] : await download(media, share);
    const files = [...fetched, ...uploaded];
    const bytes = files.reduce((sum, { data }) => sum + data.length, 0);
    if (bytesKept() + bytes <= CACHE_BYTES) kept.set(id, { files, bytes, until: Date.now() + KEPT_MS });
    return files;
  }

  return {
    async withFiles(event, wish, work) {
      const share = room.open();
      try {
        return await work(await filesOf(event, wish, share));
      } finally {
        share.release();
      }
    },
    drop: (event) => void kept.delete(event),
  };
}

/** Reads uploads in the order of their ids. @throws MediaError */
async function fromLedger(
  db: Queryable,
  event: { readonly id: string; readonly account: string },
  ids: readonly string[],
  { take }: Share,
): Promise<FetchedMedia[]> {
  const files = await readUploads(db, event.account, ids, { event: event.id, take });
  return ids.map((id, index) => {
    const file = files.get(id);
    if (file !== undefined) return file;
    const which = `upload ${index + 1} of ${ids.length}`;
    throw new MediaError(
      'UPLOAD_GONE',
      `${which} does not exist: it has expired, or was never uploaded for this account; upload the file again and send a new event`,
    );
  });
}

/** Downloads all files in parallel. The first failure cancels the others. */
async function download({ urls, ...limits }: Media, { take }: Share): Promise<readonly FetchedMedia[]> {
  const off = new AbortController();
  const signal = AbortSignal.any([callScope().signal, off.signal]);
  const timeoutMs = Math.min(limits.timeoutMs, MAX_DOWNLOAD_MS);
  try {
    return await Promise.all(urls.map((url) => fetchMedia(url, { ...limits, timeoutMs }, { signal, take })));
  } finally {
    off.abort();
  }
}
