// Searches everything that a project wrote for what names a person.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';

export interface Canary {
  readonly key: string;
  readonly name: string;
  readonly email: string;
  /** A word of what they write and are sent. */
  readonly word: string;
}

/** Also parts, and the number as people write it. */
export function tracesOf({ key, name, email, word }: Canary): string[] {
  const [area, first, last] = [key.slice(2, 4), key.slice(4, 9), key.slice(9)];
  // Eight digits also find the number without its ninth digit.
  return [key.slice(5), `${first}-${last}`, `(${area}) ${first}`, ...name.split(' '), email, word];
}

/** The texts that occur, in lower or upper case. */
export function tracesIn(text: string, texts: readonly string[]): string[] {
  const folded = text.toLowerCase();
  return texts.filter((each) => folded.includes(each.toLowerCase()));
}

export interface FileWithTraces {
  /** From the folder that was searched. */
  readonly file: string;
  readonly found: readonly string[];
  /** Whether the group or others may read it. */
  readonly open: boolean;
}

/** Files below a folder that contain one of the texts, whatever their format. */
export async function filesWith(folder: string, texts: readonly string[]): Promise<FileWithTraces[]> {
  const files: FileWithTraces[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    // Latin 1 keeps the bytes of a binary file apart; names of the canary are ASCII.
    const found = tracesIn(await readFile(path, 'latin1'), texts);
    const { mode } = await stat(path);
    if (found.length > 0) files.push({ file: relative(folder, path), found, open: (mode & 0o077) !== 0 });
  }
  return files;
}

/** Files below a folder that the group or others may read, with what they contain or not. */
export async function openFiles(folder: string): Promise<string[]> {
  const open: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && ((await stat(path)).mode & 0o077) !== 0) open.push(relative(folder, path));
  }
  return open.sort();
}
