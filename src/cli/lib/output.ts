// Writing as much as the reader takes: to stdout, or to a file that only its owner may read.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, lstatSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { neutralLine } from '../../observability/neutral.ts';
import { CliError, EXIT } from './exit.ts';
import { writeRaw } from './terminal.ts';

export interface Output {
  /** Resolves when more may be written; false: the reader has gone, as `| head` does, and nothing more is wanted. */
  write(text: string): Promise<boolean>;
  /** Resolves when all is written, and a file is in its place. */
  close(): Promise<void>;
}

/**
 * A file appears whole or not at all: it is written beside its place under another name, with mode 0600, and replaces
 * what is there when it is closed. So an existing file that others may read does not stay so.
 * @param file path, or null for stdout
 * @param form CSV is data: only a terminal gets it made harmless
 * @param signal ends a wait for a reader that takes nothing more
 * @throws CliError from `write` or `close` when it can't be written
 */
export function openOutput(file: string | null, form: 'text' | 'csv' = 'text', signal?: AbortSignal): Output {
  const draft = file === null ? null : draftOf(file);
  const stream: Writable =
    draft === null
      ? process.stdout
      : createWriteStream(draft.path, { mode: 0o600, flags: draft.path === draft.target ? 'w' : 'wx' });
  const isDraft = draft !== null && draft.path !== draft.target;
  // A command that ends before it closes its output leaves no half file.
  const discard = () => {
    if (isDraft) rmSync(draft.path, { force: true });
  };
  if (isDraft) process.once('exit', discard);
  const isData = draft === null && form === 'csv' && !process.stdout.isTTY;
  let gone = false;
  const broken = new Promise<never>((_, failed) => {
    stream.on('error', (cause: NodeJS.ErrnoException) => {
      gone = file === null && cause.code === 'EPIPE';
      failed(cannotWrite(file, cause));
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
      const wasTaken = isData ? writeRaw(stream, text) : stream.write(text);
      return wasTaken || (await unlessBroken(once(stream, 'drain', signal === undefined ? {} : { signal })));
    },
    async close() {
      // stdout stays open: it is the process's own.
      if (draft === null) {
        if (!gone) await unlessBroken(new Promise<void>((done) => stream.write('', () => done())));
        return;
      }
      stream.end();
      await unlessBroken(once(stream, 'close'));
      if (!isDraft) return;
      try {
        renameSync(draft.path, draft.target);
      } catch (error) {
        discard();
        throw cannotWrite(file, error as NodeJS.ErrnoException);
      }
      process.off('exit', discard);
    },
  };
}

/** Where to write, and what to put in its place: a link stays a link, and a pipe or a device is written to as it is. */
function draftOf(file: string): { path: string; target: string } {
  let target = file;
  try {
    target = realpathSync(file);
    if (!lstatSync(target).isFile()) return { path: target, target };
  } catch (error) {
    // Not there yet, or its folder is not: opening the draft says which.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw cannotWrite(file, error as Error);
  }
  return { path: `${target}.${randomBytes(4).toString('hex')}.part`, target };
}

function cannotWrite(file: string | null, cause: NodeJS.ErrnoException): CliError {
  const isMissing = file !== null && cause.code === 'ENOENT';
  const why = isMissing ? `: there is no folder ${dirname(file)}` : ` (${cause.code ?? cause.message})`;
  const message = neutralLine(`${file ?? 'stdout'} can't be written${why}`);
  return new CliError(isMissing ? EXIT.notFound : EXIT.error, message, { cause });
}
