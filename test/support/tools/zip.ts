// Writes a ZIP file with uncompressed entries.
import { writeFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;

export async function zipOf(path: string, files: Readonly<Record<string, string>>): Promise<void> {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [title, body] = [Buffer.from(name), Buffer.from(text)];
    // Version, flags, method, time, date; then checksum, sizes, length of the name and of the extra field.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(body.length, 18);
    common.writeUInt16LE(title.length, 22);
    const local = Buffer.concat([u32(LOCAL), common, title, body]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([u32(CENTRAL), Buffer.from([20, 3]), common, rest, title]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(centrals.length, 4);
  end.writeUInt16LE(centrals.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  await writeFile(path, Buffer.concat([...locals, directory, u32(END), end]));
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
