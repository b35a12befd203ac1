// Files that an option names. They are read before anything is opened.
import { NotRegularFileError, openRegularFile } from '../../core/files/regular-file.ts';
import { CliError, EXIT } from './exit.ts';

/** Maximum length of a text, in bytes: what a request of the operator API takes. */
const MAX_TEXT_BYTES = 1_048_576;

/**
 * Text of a file, or of `-`: stdin.
 * @param option that names the file, for messages
 * @throws CliError (usage) for text that is too long or not UTF-8, (not found) for an unreadable file
 */
export async function readText(
  option: string,
  file: string,
  stdin: AsyncIterable<Uint8Array | string> = process.stdin,
): Promise<string> {
  const bytes = file === '-' ? await readAll(stdin) : await readUpTo(file, MAX_TEXT_BYTES);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CliError(EXIT.usage, `${option} ${file} is not UTF-8; save it as UTF-8`, { cause: error });
  }
}

async function readAll(stdin: AsyncIterable<Uint8Array | string>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    if (length > MAX_TEXT_BYTES) throw tooLong('stdin', MAX_TEXT_BYTES);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

/** @throws CliError (usage) for a file that is too long, (not found) for an unreadable one */
export async function readUpTo(path: string, maxBytes: number): Promise<Uint8Array> {
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
