import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { wordsOf } from '../../../../src/cli/front.ts';
import { shapeOf } from '../../../../src/cli/lib/shape.ts';
import { createProgram } from '../../../../src/cli/program.ts';

/** Why a command has no `--json`. */
const WITHOUT: Readonly<Record<string, string>> = {
  'optout export': 'prints JSON always',
  completion: 'prints a script',
  asyncapi: 'prints a document that is JSON',
  'config schema': 'prints a document that is JSON',
  'ingress openapi': 'prints a document that is JSON',
  dev: 'serves until Ctrl-C',
  worker: 'serves until Ctrl-C',
  ingress: 'serves until Ctrl-C',
  demo: 'its last line is JSON with --once',
  sandbox: 'its first line is JSON',
  login: 'changes the credentials of this user only',
  logout: 'changes the credentials of this user only',
};

const program = await createProgram({ version: '1.0.0', json: false }, {});
const below = (command: Command): Command[] => command.commands.flatMap((each) => [each, ...below(each)]);
const commands = below(program)
  .filter((command) => shapeOf(command).acts)
  .map((command) => [wordsOf(command).join(' '), command] as const);

describe('data for programs', () => {
  it.each(commands)('%s has --json, or a reason why not', (path, command) => {
    const json = command.options.filter(({ long }) => long === '--json');
    expect(json.length).toBe(path in WITHOUT ? 0 : 1);
    for (const { required, optional } of json) expect(required || optional).toBe(false);
  });

  it('has no reason for a command that does not exist', () => {
    expect(commands.map(([path]) => path)).toEqual(expect.arrayContaining(Object.keys(WITHOUT)));
  });
});
