// Unpacks a tar of plain files and folders, as PGlite makes it: names of 100 bytes at most, no links.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const BLOCK = 512;
const NAME = [0, 100] as const;
const SIZE = [124, 136] as const;
const TYPE = [156, 157] as const;
const FOLDER = '5';

/**
 * Unpacks into `dir`, readable only for its owner.
 * @param tar trusted, because a name may lead anywhere
 * @param last name of the file that is written after all others
 * @throws Error when the tar ends too early
 */
export async function unpackTar(tar: AsyncIterable<Buffer>, dir: string, last: string): Promise<void> {
  const read = reader(tar);
  let kept: Buffer | null = null;
  for (;;) {
    const header = await read(BLOCK);
    const field = ([from, to]: readonly [number, number]) =>
      header.toString('latin1', from, to).replace(/\0.*/s, '');
    const name = field(NAME);
    // A block of zeros ends the tar.
    if (name === '') break;
    const path = join(dir, name);
    if (field(TYPE) === FOLDER) {
      await mkdir(path, { recursive: true, mode: 0o700 });
      continue;
    }
    const size = Number.parseInt(field(SIZE), 8);
    const content = await read(size);
    await read((BLOCK - (size % BLOCK)) % BLOCK);
    if (path === join(dir, last)) kept = content;
    else await writeFile(path, content, { mode: 0o600 });
  }
  if (kept === null) throw new Error(`the tar has no ${last}`);
  await writeFile(join(dir, last), kept, { mode: 0o600 });
}

/** Returns exactly the requested number of bytes at each call. */
function reader(source: AsyncIterable<Buffer>): (size: number) => Promise<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return async (size) => {
    const parts = [rest];
    let length = rest.length;
    while (length < size) {
      const next = await chunks.next();
      if (next.done === true) throw new Error('the tar ends too early');
      parts.push(next.value);
      length += next.value.length;
    }
    const all = Buffer.concat(parts, length);
    rest = all.subarray(size);
    return all.subarray(0, size);
  };
}
