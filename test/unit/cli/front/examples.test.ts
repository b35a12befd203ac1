import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { EXAMPLES } from '../../../../src/cli/examples.ts';
import { wordsOf } from '../../../../src/cli/front.ts';
import { shapeOf } from '../../../../src/cli/lib/shape.ts';
import { createProgram } from '../../../../src/cli/program.ts';

const program = await createProgram({ version: '1.0.0', json: false }, {});
const below = (command: Command): Command[] => command.commands.flatMap((each) => [each, ...below(each)]);
const commands = below(program).map((command) => [wordsOf(command).join(' '), command] as const);

describe('the help of every command', () => {
  it.each(commands.filter(([, command]) => shapeOf(command).acts))('%s has an example', (path) => {
    expect(EXAMPLES[path]?.length ?? 0).toBeGreaterThan(0);
  });

  it.each(commands)('%s shows examples', (_, command) => {
    let text = '';
    command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp();
    expect(text).toContain('\nExamples:\n  sluice ');
  });
});

describe('the options of every command', () => {
  it.each(commands)('%s: no two mean the same', (_, command) => {
    const texts = command.options.map(({ description }) => description);
    expect(texts).toEqual([...new Set(texts)]);
    expect(texts.filter((text) => /same as|alias/.test(text))).toEqual([]);
  });

  it('finds the configuration and the state folder in one way', () => {
    const said = (name: string) =>
      commands.flatMap(([path, { options }]) =>
        options.flatMap((option) =>
          option.attributeName() === name && path !== 'demo' ? [option.description] : [],
        ),
      );
    expect(new Set(said('config')).size).toBe(1);
    expect(new Set(said('state')).size).toBe(1);
  });
});
