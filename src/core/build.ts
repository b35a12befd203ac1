// What the build made: the version, and the files of the console.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The root of the project: this file is in src/core, or compiled in dist/src/core. */
const above = join(import.meta.dirname, '..', '..');
const ROOT = basename(above) === 'dist' ? join(above, '..') : above;

export const DIST_DIR = join(ROOT, 'dist');
export const CONSOLE_DIR = join(DIST_DIR, 'console');

export const VERSION = (
  JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
).version;
