// Takes one program out of an archive: a wheel (a ZIP file), or a compressed tar file.
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { list } from 'tar';
import { openPromise } from 'yauzl';

/** The largest program has 160 MB. An archive that unpacks to more is not one of ours. */
const LARGEST_BYTES = 400e6;

/**
 * @param inside path of the program in the archive
 * @param to path of the new file, which only this user can read and execute
 * @throws Error when the archive is damaged or has no such file
 */
export async function unpackZip(archive: string, inside: string, to: string): Promise<void> {
  const zip = await openPromise(archive, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== inside) continue;
      await pipeline(await zip.openReadStreamPromise(entry), bounded(), program(to));
      return;
    }
  } finally {
    zip.close();
  }
  throw new Error(`the archive has no ${inside}`);
}

/** The same for a `.tar.gz` file. */
export async function unpackTar(archive: string, inside: string, to: string): Promise<void> {
  let written: Promise<void> | undefined;
  await list({
    file: archive,
    strict: true,
    onReadEntry: (entry) => {
      if (entry.path === inside && entry.type === 'File' && written === undefined) {
        written = pipeline(entry, bounded(), program(to));
        // Awaited below; until then a failure must not count as unhandled.
        written.catch(() => undefined);
      } else entry.resume();
    },
  });
  if (written === undefined) throw new Error(`the archive has no ${inside}`);
  await written;
}

const program = (to: string) => createWriteStream(to, { mode: 0o700, flush: true });

function bounded(): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > LARGEST_BYTES) done(new Error('the program in the archive is too large'));
      else done(null, chunk);
    },
  });
}
