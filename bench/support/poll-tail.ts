// Reads a JSONL file while it grows, and stamps each line with the moment at which it was there.
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { now } from './poll-data.ts';

/** How long a line may stand in the file before it is seen: the error of the delays that are measured. */
export const CHECK_MS = 5;
const PIECE = 1 << 16;

/** A line of the file; of a message, its id and conversation. */
export interface PublishedLine {
  readonly at: number;
  readonly event: string;
  readonly type: string;
  readonly message: string | null;
  readonly conversation: number | null;
}

export interface Tail {
  /** In the order of the file; grows. */
  readonly lines: readonly PublishedLine[];
  /** Lines that are no event. */
  readonly broken: readonly string[];
  /** Reads to the end of the file, and lets go of it. */
  close(): Promise<void>;
}

/** Begins at once; the file may come later. */
export function tail(path: string): Tail {
  const lines: PublishedLine[] = [];
  const broken: string[] = [];
  const stop = new AbortController();
  const piece = Buffer.alloc(PIECE);
  let rest = Buffer.alloc(0);
  const check = async (file: FileHandle): Promise<void> => {
    for (;;) {
      const { bytesRead } = await file.read(piece);
      if (bytesRead === 0) return;
      const at = now();
      rest = Buffer.concat([rest, piece.subarray(0, bytesRead)]);
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        const line = rest.subarray(0, end).toString();
        rest = rest.subarray(end + 1);
        const published = publishedIn(line, at);
        if (published === null) broken.push(line);
        else lines.push(published);
      }
    }
  };
  const pause = () => delay(CHECK_MS, undefined, { signal: stop.signal }).catch(() => undefined);
  const reading = (async () => {
    let file: FileHandle | null = null;
    try {
      while (!stop.signal.aborted) {
        file ??= await openIfThere(path);
        if (file !== null) await check(file);
        await pause();
      }
      if (file !== null) await check(file);
    } finally {
      await file?.close();
    }
  })();
  reading.catch(() => undefined);
  return {
    lines,
    broken,
    async close() {
      stop.abort();
      await reading;
    },
  };
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  return await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

/** Null: not an event of a conversation. */
function publishedIn(line: string, at: number): PublishedLine | null {
  try {
    const { id, type, source, data } = JSON.parse(line) as {
      id: string;
      type: string;
      source: string;
      data: { message?: { id?: string } };
    };
    const conversation = /\/conversations\/(\d+)$/.exec(source)?.[1];
    return {
      at,
      event: id,
      type,
      message: type === 'message.received' ? (data.message?.id ?? null) : null,
      conversation: conversation === undefined ? null : Number(conversation),
    };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}
