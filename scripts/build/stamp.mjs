// Marks the beginning and the end of a build: `dist/.built` has the time at which the last complete build began, so that
// tests know whether a source is newer than what was compiled.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';

const at = (name) => new URL(`../../dist/${name}`, import.meta.url);

if (process.argv[2] === 'begin') {
  mkdirSync(at(''), { recursive: true });
  writeFileSync(at('.build-began'), '');
} else renameSync(at('.build-began'), at('.built'));
