// Writes text in any encoding that TextDecoder reads, by trying which bytes give which character.
const TABLES = new Map<string, Map<string, Buffer>>();

export function encode(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  let table = TABLES.get(encoding);
  if (table === undefined) TABLES.set(encoding, (table = tableOf(encoding)));
  return Buffer.concat(
    [...text].map((char) => {
      const bytes = table.get(char);
      if (bytes === undefined) throw new Error(`${encoding} has no ${char}`);
      return bytes;
    }),
  );
}

// Some releases of Node decode windows-1252 as ISO 8859-1.
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

function tableOf(encoding: string): Map<string, Buffer> {
  const table = new Map<string, Buffer>();
  const decoder = new TextDecoder(encoding);
  const add = (bytes: number[]) => {
    const char = decoder.decode(Uint8Array.from(bytes));
    if ([...char].length === 1 && char !== '\ufffd' && !table.has(char)) table.set(char, Buffer.from(bytes));
  };
  if (encoding === 'windows-1252')
    for (const [at, char] of [...WINDOWS_1252].entries()) table.set(char, Buffer.from([0x80 + at]));
  for (let byte = 0; byte < 256; byte += 1) add([byte]);
  if (/^(?:gb|big5|euc-|shift_jis)/.test(encoding))
    for (let lead = 0x81; lead < 0xff; lead += 1)
      for (let trail = 0x40; trail < 0xff; trail += 1) add([lead, trail]);
  return table;
}
