// The image is not built by the tests, so this compares what its build stage copies with what the build compiles.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Files and folders that the build stage copies from the sources. */
function copied(): string[] {
  const [, build = ''] = read('Dockerfile').split(/^FROM .*$/m);
  return [...build.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, from = '']) => from.split(' '));
}

function importsOf(path: string): string[] {
  const found = read(path).matchAll(
    /^(?:import|export)\b[^;]*?from '(\.[^']+\.ts)';|\bimport\('(\.[^']+\.ts)'\)/gm,
  );
  return [...found].map(([, first, second]) =>
    relative(ROOT, resolve(ROOT, path, '..', (first ?? second) as string)),
  );
}

it('the build stage of the image copies every file that the build compiles', () => {
  const folders = copied();
  const isCopied = (path: string) =>
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const { include, exclude } = parse(read('tsconfig.build.json')) as { include: string[]; exclude: string[] };
  const compiled = new Set(
    include
      .filter((folder) => existsSync(join(ROOT, folder)))
      .flatMap((folder) =>
        readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
          (name) => `${folder}/${name}`,
        ),
      )
      .filter((path) => path.endsWith('.ts') && isCopied(path))
      .filter((path) => !exclude.some((folder) => path.startsWith(`${folder}/`))),
  );
  for (const path of compiled) for (const imported of importsOf(path)) compiled.add(imported);
  expect(compiled.size).toBeGreaterThan(500);
  expect([...compiled].filter((path) => !isCopied(path))).toEqual([]);
});
