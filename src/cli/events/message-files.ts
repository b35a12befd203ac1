// The text and the files of a message on this machine. They are read before anything is opened.
import { basename, extname } from 'node:path';
import { MAX_FILE_BYTES } from '../../contracts/operator/messages.ts';
import { NotRegularFileError, openRegularFile } from '../../files/regular-file.ts';
import { CliError, EXIT } from '../lib/exit.ts';

/** Maximum length of a text, in bytes: what a request of the operator API takes. */
const MAX_MESSAGE_BYTES = 1_048_576;

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

/**
 * Text of a file, or of `-`: stdin.
 * @throws CliError (usage) for text that is too long or not UTF-8, (not found) for an unreadable file
 */
export async function readText(
  file: string,
  stdin: AsyncIterable<Uint8Array | string> = process.stdin,
): Promise<string> {
  const bytes = file === '-' ? await readAll(stdin) : await readUpTo(file, MAX_MESSAGE_BYTES);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(EXIT.usage, `--text-file ${file} is not UTF-8; save it as UTF-8`, { cause: error });
  }
}

async function readAll(stdin: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > MAX_MESSAGE_BYTES) throw tooLong('stdin', MAX_MESSAGE_BYTES);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
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

async function readUpTo(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const file = await openRegularFile(path);
    try {
      const { size } = await file.stat();
      if (size > maxBytes) throw tooLong(path, maxBytes);
      const data = await file.readFile();
      if (data.length > maxBytes) throw tooLong(path, maxBytes);
      return data;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof CliError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const exitCode = error instanceof NotRegularFileError ? EXIT.usage : EXIT.notFound;
    throw new CliError(exitCode, `${path} can't be read (${code ?? message})`, { cause: error });
  }
}

function tooLong(what: string, maxBytes: number): CliError {
  return new CliError(EXIT.usage, `${what} is longer than ${maxBytes / 1_048_576} MB`);
}
