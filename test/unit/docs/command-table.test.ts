// The table of the long test that runs each command in three situations: it has every command.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommandShape, shapeOf } from '../../../src/cli/lib/shape.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { CHANGES, OWN, READS } from '../../e2e/docs/situations/table.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const leaves = leavesOf(shapeOf(await createProgram({ version: '', json: false }, {})).commands, []);

describe('the table of commands', () => {
  const isKnown = (words: readonly string[]) =>
    [...READS, ...CHANGES, ...OWN].some(({ command }) => `${command} `.startsWith(`${words.join(' ')} `));

  it('has every command', () => {
    expect(leaves.filter((words) => !isKnown(words))).toEqual([]);
  });

  it('has every command of README, tutorials and guides', () => {
    const shown = documents().flatMap((file) => [
      ...readFileSync(join(ROOT, file), 'utf8').matchAll(COMMAND),
    ]);
    const leafOf = (text: string) => leaves.find((words) => `${text} `.startsWith(`${words.join(' ')} `));
    const found = shown
      .map(([, text = '']) => text.replaceAll(/\s+/g, ' '))
      .map((text) => leafOf(text) ?? text);
    expect(found.filter((words) => typeof words === 'string' || !isKnown(words))).toEqual([]);
    expect(found.length).toBeGreaterThan(50);
  });
});

/** Up to three words: no command has more. A line may end between them. */
const COMMAND = /npx\s+sluice\s+(?=((?:[a-z-]+\s+){0,2}[a-z-]+))/g;

function documents(): string[] {
  const folders = ['docs/tutorials', 'docs/how-to'];
  return [
    'README.md',
    ...folders.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)),
  ].filter((name) => name.endsWith('.md'));
}

/** The words of each command that runs something. */
function leavesOf(shapes: readonly CommandShape[], before: readonly string[]): string[][] {
  return shapes.flatMap((shape) => {
    const words = [...before, shape.name];
    return [...(shape.acts ? [words] : []), ...leavesOf(shape.commands, words)];
  });
}
