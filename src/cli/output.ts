// Writing as much as the reader takes: to stdout, or to a file that only its owner may read.
import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { CliError, EXIT } from './exit.ts';

export interface Output {
  /** Resolves when more may be written; false: the reader has gone, as `| head` does, and nothing more is wanted. */
  write(text: string): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * @param file path, or null for stdout
 * @throws CliError when the file can't be written
 */
export function openOutput(file: string | null): Output {
  return file === null ? toStdout() : toFile(file);
}

function toStdout(): Output {
  return {
    write: (text) =>
      new Promise((done, failed) => {
        process.stdout.write(text, (error) => {
          if (error == null) done(true);
          else if ((error as NodeJS.ErrnoException).code === 'EPIPE') done(false);
          else failed(error);
        });
      }),
    close: async () => undefined,
  };
}

function toFile(file: string): Output {
  const stream: WriteStream = createWriteStream(file, { mode: 0o600 });
  const broken = new Promise<never>((_, failed) => {
    stream.on('error', (cause: NodeJS.ErrnoException) =>
      failed(
        new CliError(EXIT.error, `${file} can't be written (${cause.code ?? cause.message})`, { cause }),
      ),
    );
  });
  broken.catch(() => undefined);
  return {
    write: (text) =>
      Promise.race([
        broken,
        new Promise<boolean>((done) => {
          if (stream.write(text)) done(true);
          else stream.once('drain', () => done(true));
        }),
      ]),
    close: () => {
      stream.end();
      return Promise.race([broken, once(stream, 'close').then(() => undefined)]);
    },
  };
}
