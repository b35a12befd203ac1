// What a browser loads until the overview stands: at most 300 kB, compressed.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { buildOnce } from '../../support/runner/build.ts';

const MAX_BYTES = 300_000;

const Manifest = z.record(
  z.string(),
  z.object({
    file: z.string(),
    css: z.array(z.string()).default([]),
    imports: z.array(z.string()).default([]),
  }),
);

/** The page, and what it asks for on the way: the login, the overview with its chart, and one language. */
const FIRST_SCREEN = [
  'index.html',
  'screens/login/login.tsx',
  'screens/overview/overview.tsx',
  'parts/charts/time-chart.tsx',
  'i18n/pt-BR/common.ts',
  'i18n/pt-BR/login.ts',
  'i18n/pt-BR/overview.ts',
];

let folder: string;
beforeAll(async () => {
  folder = join(await buildOnce(), 'console');
});

it(`the first screen is at most ${MAX_BYTES} bytes of scripts and styles, with gzip`, async () => {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(folder, '.manifest.json'), 'utf8')));
  const files = new Set<string>(['before-paint.js']);
  const add = (name: string) => {
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`the build has no ${name}`);
    if (files.has(chunk.file)) return;
    for (const file of [chunk.file, ...chunk.css]) files.add(file);
    for (const each of chunk.imports) add(each);
  };
  for (const name of FIRST_SCREEN) add(name);
  const sizes = await Promise.all(
    [...files].map(async (file) => gzipSync(await readFile(join(folder, file))).length),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  expect(total).toBeLessThanOrEqual(MAX_BYTES);
  // Far too little would mean that the manifest was read wrongly.
  expect(total).toBeGreaterThan(150_000);
});

it('the page names nothing from elsewhere', async () => {
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  expect(html).not.toMatch(/<script(?![^>]* src=)/);
});
