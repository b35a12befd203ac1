// Loads the configuration again when one of its files has changed, and runs the commands of secrets again in time.
import { readdir, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { durationMs } from '../contracts/config/config-base.ts';
import type { LiveConfig } from './live-config.ts';

/** Files checked at once. */
const AT_ONCE = 64;

/**
 * Watches until `signal` aborts. It compares files instead of waiting for notifications: those do not arrive for most
 * network drives, and Kubernetes replaces a symbolic link above the files of a volume.
 */
export async function watchConfig(live: LiveConfig, signal: AbortSignal): Promise<void> {
  const reloadOf = () => live.current().config.reload;
  let loaded = await printsOf(live.files());
  let before = loaded;
  let renewedAt = performance.now();
  while (!signal.aborted) {
    await delay(durationMs(reloadOf().every), undefined, { signal, ref: false }).catch(() => undefined);
    const { watch, commands } = reloadOf();
    if (signal.aborted || !watch) continue;
    const now = await printsOf(live.files());
    for (const [file, print] of now) if (!loaded.has(file)) loaded.set(file, print);
    const isChanged = [...now].some(([file, print]) => loaded.get(file) !== print);
    // A file that is still being written waits until two checks agree.
    if (isChanged && areEqual(now, before)) {
      await live.reload('a changed file');
      // A file that changed meanwhile counts as changed; a file that the configuration names now does not.
      loaded = new Map(
        [...(await printsOf(live.files()))].map(([file, print]) => [file, now.get(file) ?? print]),
      );
    } else if (performance.now() - renewedAt >= durationMs(commands)) {
      renewedAt = performance.now();
      if (live.current().secrets.hasCommands()) await live.renewSecrets();
    }
    before = now;
  }
}

type Prints = ReadonlyMap<string, string>;

/** What changes with the content of each file, and with the link that it is found through. */
async function printsOf(files: readonly string[]): Promise<Map<string, string>> {
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

function areEqual(some: Prints, others: Prints): boolean {
  return some.size === others.size && [...some].every(([file, print]) => others.get(file) === print);
}
