// What a user of Sluice runs: the packages that npm installs in production, and those inside the console's bundle. npm
// counts the latter as development dependencies.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closure, type Lock, type LockedPackage } from './lock.ts';

export interface Shipped {
  readonly package: LockedPackage;
  /** Vite put it, or parts of it, into dist/console. */
  readonly console: boolean;
  /** npm installs it in production. */
  readonly program: boolean;
}

/** By path in the lock file. @param root folder of the project */
export async function shippedPackages(lock: Lock, root: string): Promise<Map<string, Shipped>> {
  const bundled = closure(lock, await consoleRoots(lock, root));
  const shipped = new Map<string, Shipped>();
  for (const [path, found] of lock.packages) {
    const inConsole = bundled.has(path);
    if (!found.dev || inConsole)
      shipped.set(path, { package: found, console: inConsole, program: !found.dev });
  }
  return shipped;
}

/** Packages that a file of the console imports. */
async function consoleRoots(lock: Lock, root: string): Promise<string[]> {
  const folder = join(root, 'src/console');
  const names = await readdir(folder, { recursive: true });
  const roots = new Set<string>();
  for (const name of names.filter((file) => /\.tsx?$/.test(file))) {
    const source = await readFile(join(folder, name), 'utf8');
    for (const [, module = ''] of source.matchAll(/\b(?:from|import) ?\(?'(@?[a-z][\w./-]*)'/g)) {
      const [scope = '', rest = ''] = module.split('/');
      const path = `node_modules/${scope.startsWith('@') ? `${scope}/${rest}` : scope}`;
      if (!lock.packages.has(path)) throw new Error(`${name} imports ${module}, which the lock file lacks`);
      roots.add(path);
    }
  }
  return [...roots];
}
