// `npm run docs:reference`: writes the pages of docs/reference that are made from code, and sluice.schema.json. With --check
// it writes nothing and fails with the names of stale files.
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { configJsonSchema } from '../src/config/json-schema.ts';
import { renderReference } from './reference/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'docs/reference');
const SCHEMA = join(ROOT, 'sluice.schema.json');

const check = process.argv.includes('--check');
const stale: string[] = [];
for (const [name, text] of await renderReference()) {
  const file = join(FOLDER, name);
  const current = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (current === text) continue;
  stale.push(relative(ROOT, file));
  if (!check) await writeFile(file, text);
}
// The formatter decides about the white space of this file, so that only its content counts.
const schema = JSON.stringify(configJsonSchema());
if (JSON.stringify(JSON.parse(await readFile(SCHEMA, 'utf8'))) !== schema) {
  stale.push(relative(ROOT, SCHEMA));
  if (!check) await writeFile(SCHEMA, `${JSON.stringify(JSON.parse(schema), null, 2)}\n`);
}

if (check && stale.length > 0) {
  process.stderr.write(`${stale.join('\n')}\nstale: run npm run docs:reference\n`);
  process.exitCode = 1;
} else {
  const what = stale.length === 0 ? 'all pages are up to date' : `written: ${stale.join(', ')}`;
  process.stdout.write(`${what}\n`);
}
