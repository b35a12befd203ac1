// Maps file errors to messages that name the cause and the fix.
import { SinkError } from './sink.ts';

/** A condition that the system does not report as an error, with a code of its own. */
export class FileTrouble extends Error {
  override readonly name = 'FileTrouble';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist; create it (Sluice never does)',
  ENOTDIR: 'a part of its folder is a file; correct `path`',
  EISDIR: 'it is a folder; correct `path`',
  NOT_A_FILE: 'it is not a regular file; correct `path`',
  OPEN_TO_ALL: 'every user of this machine may read it, and another user owns it; restrict it (chmod o-rwx)',
  ELOOP: 'its symbolic links form a circle',
  ENAMETOOLONG: 'its name is too long; correct `path`',
  EACCES: 'the user that runs Sluice may not write to it; grant that permission',
  EPERM: 'the system does not allow writing; check its attributes',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full; free some space',
  EDQUOT: 'the disk quota is used up; free some space',
  EFBIG: 'it has reached the maximum file size; move it away',
  EMFILE: 'the process has too many open files; raise its limit',
  ENFILE: 'the system has too many open files',
  EIO: 'the disk reports an error',
  ESTALE: 'the file server no longer knows the file',
};

/** All of these can be fixed or end on their own, so they are retryable: no event is lost meanwhile. */
export function fileError(error: unknown, file: string): SinkError {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  const known = typeof code === 'string' ? code : 'FILE';
  const why = MEANINGS[known] ?? message;
  return new SinkError(known, `Sluice could not append the events to ${file}: ${why}`, {
    retryable: true,
    sinkWide: true,
    cause: error,
  });
}
