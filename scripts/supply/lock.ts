// The lock file: each installed package with its license, hash and dependencies.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const Names = z.record(z.string(), z.string()).default({});
const Entry = z.object({
  name: z.string().optional(),
  version: z.string(),
  license: z.string().optional(),
  integrity: z.string().optional(),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  dependencies: Names,
  optionalDependencies: Names,
});
const LockFile = z.object({
  name: z.string(),
  version: z.string(),
  packages: z.record(z.string(), Entry.partial({ version: true })),
});

export interface LockedPackage {
  /** Where npm installs it, for example `node_modules/a/node_modules/b`. Empty for the project itself. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string | undefined;
  /** `sha512-` and the hash in base64. */
  readonly integrity: string | undefined;
  /** Only development needs it, so npm does not install it in production. */
  readonly dev: boolean;
  readonly optional: boolean;
  /** Paths of what it needs. An optional package that the lock file lacks is not among them. */
  readonly needs: readonly string[];
}

export interface Lock {
  readonly name: string;
  readonly version: string;
  /** By path; without the project itself. */
  readonly packages: ReadonlyMap<string, LockedPackage>;
  /** Paths of what the project needs in production. */
  readonly direct: readonly string[];
}

const MODULES = 'node_modules/';

/** @param root folder of `package-lock.json` */
export async function readLock(root: string): Promise<Lock> {
  return lockOf(JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')));
}

export function lockOf(content: unknown): Lock {
  const { name, version, packages: entries } = LockFile.parse(content);
  const pathOf = (from: string, needed: string) => findPath(entries, from, needed);
  const needsOf = (path: string) => {
    const { dependencies, optionalDependencies } = entries[path] as z.infer<typeof Entry>;
    const names = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
    return [...new Set(names)].flatMap((needed) => pathOf(path, needed) ?? []);
  };
  const packages = new Map<string, LockedPackage>();
  for (const [path, entry] of Object.entries(entries)) {
    if (path === '') continue;
    packages.set(path, {
      path,
      name: entry.name ?? path.slice(path.lastIndexOf(MODULES) + MODULES.length),
      version: entry.version ?? '',
      license: entry.license,
      integrity: entry.integrity,
      dev: entry.dev,
      optional: entry.optional,
      needs: needsOf(path),
    });
  }
  return { name, version, packages, direct: needsOf('') };
}

/** Where Node finds `needed` from `from`: in its own folder first, then in the folders around it. */
function findPath(entries: Readonly<Record<string, unknown>>, from: string, needed: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(MODULES) - 1))) {
    const path = folder === '' ? `${MODULES}${needed}` : `${folder}/${MODULES}${needed}`;
    if (entries[path] !== undefined) return path;
    if (folder === '') return null;
  }
}

/** Those packages and everything that they need, directly or not. */
export function closure(lock: Lock, paths: Iterable<string>): Set<string> {
  const found = new Set<string>();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    waiting.push(...(lock.packages.get(path)?.needs ?? []));
  }
  return found;
}
