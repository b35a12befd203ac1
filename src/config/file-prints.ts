// What shows that files have changed, without reading them.
import { readdir, stat } from 'node:fs/promises';

/** Files checked at once. */
const AT_ONCE = 64;

export type Prints = ReadonlyMap<string, string>;

/** What changes with the content of each file, and with the link that it is found through. */
export async function printsOf(files: readonly string[]): Promise<Map<string, string>> {
  const prints = new Map<string, string>();
  for (let from = 0; from < files.length; from += AT_ONCE)
    await Promise.all(
      files.slice(from, from + AT_ONCE).map(async (file) => prints.set(file, await printOf(file))),
    );
  return prints;
}

async function printOf(file: string): Promise<string> {
  try {
    const found = await stat(file);
    // Editors keep hidden files beside the one that they write.
    if (found.isDirectory())
      return (await readdir(file))
        .filter((name) => !name.startsWith('.'))
        .sort()
        .join('/');
    const { dev, ino, size, mtimeMs, ctimeMs } = found;
    return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

export function areEqual(some: Prints, others: Prints): boolean {
  return some.size === others.size && [...some].every(([file, print]) => others.get(file) === print);
}
