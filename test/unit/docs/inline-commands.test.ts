// Commands that stand in the text of a document exist and have the options that the text gives them. The runner of the
// documents runs those that stand in blocks of their own.
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const BLOCK = /^\s*```[\s\S]*?^\s*```/gm;
const INLINE = /`(?:npx )?sluice ([^`]+)`/g;

const program = await createProgram({ version: '', json: false }, {});
const folder = await readdir(join(ROOT, 'docs'), { recursive: true });
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...folder.filter((path) => path.endsWith('.md')).map((path) => join('docs', path)),
];

/** What is wrong with the words after `sluice`; null when nothing is. */
function mistakeIn(line: string): string | null {
  const words = line.trim().split(/\s+/);
  let command: Command = program;
  while (command.commands.length > 0 && /^[a-z]/.test(words[0] ?? '')) {
    const name = words.shift();
    const next = command.commands.find((each) => each.name() === name || each.aliases().includes(name ?? ''));
    if (next === undefined) return `\`sluice ${line}\`: there is no command "${name}"`;
    command = next;
  }
  const options = new Set(command.options.flatMap(({ short, long }) => [short, long]));
  const unknown = words
    .map((word) => /^--?[a-z][a-z-]*/.exec(word)?.[0])
    .filter((word) => word !== undefined && word !== '--help' && !options.has(word));
  return unknown.length === 0 ? null : `\`sluice ${line}\`: there is no option ${unknown.join(', ')}`;
}

async function mistakes(document: string): Promise<string[]> {
  const text = (await readFile(join(ROOT, document), 'utf8')).replaceAll(BLOCK, '');
  return [...text.matchAll(INLINE)]
    .map(([, line = '']) => mistakeIn(line))
    .filter((mistake) => mistake !== null);
}

describe('commands in the text of documents', () => {
  it.each(documents)('of %s exist, with their options', async (document) => {
    expect(await mistakes(document)).toEqual([]);
  });

  it.each([
    ['sync halt leads', '`sluice sync halt leads`: there is no command "halt"'],
    ['sync run leads --gone', '`sluice sync run leads --gone`: there is no option --gone'],
    ['events show ID --jsonl', '`sluice events show ID --jsonl`: there is no option --jsonl'],
    ['sync rows NAME --created', null],
    ['outbox', null],
  ])('`sluice %s`: %s', (line, mistake) => {
    expect(mistakeIn(line)).toBe(mistake);
  });
});
