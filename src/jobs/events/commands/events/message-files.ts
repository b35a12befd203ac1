// The files of a message on this machine. They are read before anything is opened.
import { basename, extname } from 'node:path';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { readUpTo } from '../../../../cli/lib/read-file.ts';
import { MAX_FILE_BYTES } from '../../contract/messages.ts';

/** Media types by file name extension. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['mp4', 'video/mp4'],
  ['3gp', 'video/3gpp'],
  ['mp3', 'audio/mpeg'],
  ['ogg', 'audio/ogg'],
  ['m4a', 'audio/mp4'],
  ['aac', 'audio/aac'],
  ['pdf', 'application/pdf'],
  ['txt', 'text/plain'],
  ['csv', 'text/csv'],
  ['doc', 'application/msword'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xls', 'application/vnd.ms-excel'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['zip', 'application/zip'],
]);

export interface LocalFile {
  readonly name: string;
  readonly type: string;
  readonly data: Uint8Array;
}

/** All files of a message, checked before the first one is uploaded. */
export async function readFiles(paths: readonly string[]): Promise<LocalFile[]> {
  const files: LocalFile[] = [];
  for (const path of paths) {
    const data = await readUpTo(path, MAX_FILE_BYTES);
    if (data.length === 0) throw new CliError(EXIT.usage, `--file ${path} is empty`);
    files.push({ ...describeFile(path), data });
  }
  return files;
}

/** Name and media type of a file, by its path. */
export function describeFile(path: string): { name: string; type: string } {
  const type = TYPES.get(extname(path).slice(1).toLowerCase());
  return { name: basename(path), type: type ?? 'application/octet-stream' };
}
