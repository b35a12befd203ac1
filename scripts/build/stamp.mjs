// Marks the beginning and the end of a build: `dist/.built` has the time at which the last complete build began, so that
// tests know whether a source is newer than what was compiled. At the beginning, what was compiled from a source that
// has gone goes too: a path to it must fail here as on a new machine.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';

const at = (name) => new URL(`../../dist/${name}`, import.meta.url);
const rootFile = (name) => new URL(`../../${name}`, import.meta.url);
/** Vite names these itself. */
const isCopied = (file) => file.startsWith('console/');

if (process.argv[2] === 'begin') {
  mkdirSync(at(''), { recursive: true });
  writeFileSync(at('.build-began'), '');
  for (const file of readdirSync(at(''), { recursive: true })) {
    const [, source] = /^(.+?)(?:\.d\.ts|\.js|\.js\.map)$/.exec(file) ?? [];
    if (
      source?.includes('/') &&
      !isCopied(file) &&
      !['.ts', '.tsx'].some((ending) => existsSync(rootFile(source + ending)))
    )
      rmSync(at(file));
  }
} else renameSync(at('.build-began'), at('.built'));
