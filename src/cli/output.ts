// Writing as much as the reader takes: to stdout, or to a file that only its owner may read.
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { CliError, EXIT } from './exit.ts';

export interface Output {
  /** Resolves when more may be written; false: the reader has gone, as `| head` does, and nothing more is wanted. */
  write(text: string): Promise<boolean>;
  /** Resolves when all is written. */
  close(): Promise<void>;
}

/**
 * @param file path, or null for stdout
 * @throws CliError from `write` or `close` when it can't be written
 */
export function openOutput(file: string | null): Output {
  const stream: Writable = file === null ? process.stdout : createWriteStream(file, { mode: 0o600 });
  let gone = false;
  const broken = new Promise<never>((_, failed) => {
    stream.on('error', (cause: NodeJS.ErrnoException) => {
      gone = file === null && cause.code === 'EPIPE';
      const what = `${file ?? 'stdout'} can't be written (${cause.code ?? cause.message})`;
      failed(new CliError(EXIT.error, what, { cause }));
    });
  });
  broken.catch(() => undefined);
  const unlessBroken = async (work: Promise<unknown>): Promise<boolean> => {
    try {
      await Promise.race([broken, work]);
      return true;
    } catch (error) {
      if (!gone) throw error;
      return false;
    }
  };
  return {
    async write(text) {
      if (gone) return false;
      return stream.write(text) || (await unlessBroken(once(stream, 'drain')));
    },
    async close() {
      // stdout stays open: it is the process's own.
      if (file === null) {
        if (!gone) await unlessBroken(new Promise<void>((done) => stream.write('', () => done())));
        return;
      }
      stream.end();
      await unlessBroken(once(stream, 'close'));
    },
  };
}
