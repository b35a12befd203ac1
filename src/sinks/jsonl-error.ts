// Errors of a file in words that help.
import { SinkError } from './sink.ts';

/** What the system does not call an error, by one of its codes. */
export class FileTrouble extends Error {
  override readonly name = 'FileTrouble';
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const MEANINGS: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist: make it, Sluice never does',
  ENOTDIR: 'what should be its folder is a file: correct `path`',
  EISDIR: 'that is a folder: correct `path`',
  NOT_A_FILE: 'that is no plain file: correct `path`',
  OPEN_TO_ALL: 'every user of this machine may read it, and another user owns it: close it (chmod o-rwx)',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'that name is too long: correct `path`',
  EACCES: 'the user that runs Sluice may not write it: allow that',
  EPERM: 'the system does not let it be written: see its attributes',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full: free some space',
  EDQUOT: 'the quota of the disk is used up: free some space',
  EFBIG: 'it is as large as files may be here: move it away',
  EMFILE: 'the process has too many files open: raise its limit',
  ENFILE: 'the system has too many files open',
  EIO: 'the disk reports an error',
  ESTALE: 'the file server has lost it',
};

/** All of them may mend themselves, or be mended: nothing is lost meanwhile. */
export function fileError(error: unknown, file: string): SinkError {
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string };
  const known = typeof code === 'string' ? code : 'FILE';
  const why = MEANINGS[known] ?? message;
  return new SinkError(known, `the events were not appended to ${file}: ${why}`, {
    retryable: true,
    sinkWide: true,
    cause: error,
  });
}
