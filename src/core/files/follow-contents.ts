// Contents of files that are renewed while a process runs, such as certificates.
import { setTimeout as delay } from 'node:timers/promises';

/** Delay between two looks: such files are few and small. */
const EVERY_MS = 10_000;

export interface Following<T> {
  /** What is in use at the beginning. */
  readonly first: T;
  /** Reads it as a process that starts now would. */
  read(): Promise<T> | T;
  /** Differs for each content. It is kept, so it is a digest of secrets. */
  printOf(content: T): string;
  /** Takes new contents into use. It throws where they cannot be used, and is called again with the next look. */
  use(content: T): Promise<void> | void;
  /** Receives each new kind of failure once. What was in use stays. */
  failed(error: unknown): void;
  readonly signal: AbortSignal;
  /** @default 10 s */
  readonly everyMs?: number;
}

/** Looks until `signal` aborts. A file may still be being written, so two looks must agree. */
export async function followContents<T>(following: Following<T>): Promise<void> {
  const { first, read, printOf, use, failed, signal, everyMs = EVERY_MS } = following;
  let used = printOf(first);
  let seen = used;
  let reported = '';
  while (true) {
    await delay(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const content = await read();
      const print = printOf(content);
      if (print !== used && print === seen) {
        await use(content);
        used = print;
      }
      if (print === used) reported = '';
      seen = print;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== reported) failed(error);
      reported = message;
    }
  }
}
