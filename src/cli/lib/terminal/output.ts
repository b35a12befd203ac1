// Writes at the reader's pace to stdout, or to a file that only its owner may read.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, lstatSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { neutralLine } from '../../../observe/neutral.ts';
import { CliError, EXIT } from '../exit.ts';
import { writeRaw } from './terminal.ts';

export interface Output {
  /** Resolves when it accepts more; false: the reader has gone, as with `| head`, and needs no more. */
  write(text: string): Promise<boolean>;
  /** Resolves when everything is written and a file is in its place. */
  close(): Promise<void>;
}

/**
 * A file appears complete or not at all: a draft with mode 0600 is written beside it, and replaces the file on `close`.
 * An existing file that others may read is therefore replaced by a private one.
 * @param file path, or null for stdout
 * @param form CSV is data: it is made harmless on a terminal only
 * @param signal ends the wait for a reader that reads no more
 * @throws CliError from `write` or `close` when writing fails
 */
export function openOutput(file: string | null, form: 'text' | 'csv' = 'text', signal?: AbortSignal): Output {
  const draft = file === null ? null : draftOf(file);
  const stream: Writable =
    draft === null
      ? process.stdout
      : createWriteStream(draft.path, { mode: 0o600, flags: draft.path === draft.target ? 'w' : 'wx' });
  const isDraft = draft !== null && draft.path !== draft.target;
  // A command that ends before it closes its output leaves no partial file.
  const discard = () => {
    if (isDraft) rmSync(draft.path, { force: true });
  };
  if (isDraft) process.once('exit', discard);
  const isData = draft === null && form === 'csv' && !process.stdout.isTTY;
  let gone = false;
  const { promise: broken, reject: failed } = Promise.withResolvers<never>();
  const onError = (cause: NodeJS.ErrnoException) => {
    gone = file === null && cause.code === 'EPIPE';
    failed(cannotWrite(file, cause));
  };
  stream.on('error', onError);
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
      // stdout stays open: it belongs to the process.
      if (draft === null) {
        try {
          if (!gone) await unlessBroken(new Promise<void>((done) => stream.write('', () => done())));
        } finally {
          stream.off('error', onError);
        }
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

/** The path to write to and the path to replace. A link stays a link; a pipe or a device is written directly. */
function draftOf(file: string): { path: string; target: string } {
  let target = file;
  try {
    target = realpathSync(file);
    if (!lstatSync(target).isFile()) return { path: target, target };
  } catch (error) {
    // The file or its folder does not exist: opening the draft shows which.
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
