// Files with secrets that other users of the machine can read.
import type { Stats } from 'node:fs';

/** @param what names the file in the message */
export function openToOthers(what: string, { mode }: Stats): string[] {
  // On Windows, stat makes up the mode bits.
  const open = process.platform !== 'win32' && (mode & 0o004) !== 0;
  return open ? [`${what} can be read by every user; run chmod 600 on it`] : [];
}
