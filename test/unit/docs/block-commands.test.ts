// Commands in code blocks of documents exist, have their options, and answer in advance what they would ask in a script.
// The nightly runner (`npm run docs:commands`) runs the blocks of README, tutorials and guides, but not what it skips, nor
// the blocks of the reference.
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../../src/cli/program.ts';
import {
  allDocuments,
  commandsIn,
  mistakeIn,
  readDocument,
  resolveCommand,
  type ShownCommand,
} from './commands.ts';

const program = await createProgram({ version: '', json: false }, {});
const shown = new Map<string, ShownCommand[]>();
for (const document of await allDocuments()) {
  const commands = commandsIn(await readDocument(document));
  if (commands.length > 0) shown.set(document, commands);
}

/** Whether the command asks before it acts, and so refuses without `--yes` where there is no terminal. */
function asks(command: Command): boolean {
  const yes = command.options.find(({ long }) => long === '--yes');
  // `dlq discard` explains --yes as the other commands of dead letters do, and asks all the same.
  return (
    yes !== undefined && (/needed without a terminal/.test(yes.description) || command.name() === 'discard')
  );
}

/** Whether a script without `--yes` would end with an error. Some commands need it only when they name no ids. */
function lacksYes({ words }: ShownCommand): boolean {
  const found = resolveCommand(program, words);
  if ('unknown' in found) return false;
  const { command, rest } = found;
  if (!command.options.some(({ long }) => long === '--yes')) return false;
  if (['--yes', '--dry-run', '--help'].some((option) => rest.includes(option))) return false;
  return asks(command) || !namesSomething(rest);
}

/** An argument before the first option: the ids that a command applies to. */
function namesSomething(rest: readonly string[]): boolean {
  return rest[0] !== undefined && !rest[0].startsWith('-');
}

describe('commands in code blocks', () => {
  it.each([...shown])('of %s exist, with their options', (_document, commands) => {
    expect(commands.map(({ words }) => mistakeIn(program, words)).filter((one) => one !== null)).toEqual([]);
  });

  // The examples of the help texts are for terminals, where a command asks.
  const scripts = [...shown].filter(([document]) => document !== 'docs/reference/cli.md');

  it.each(scripts)('of %s have --yes where a script needs it', (_document, commands) => {
    // `exit=2` shows the refusal itself.
    const lacking = commands.filter((one) => !one.directions.includes('exit=2') && lacksYes(one));
    expect(lacking.map(({ text }) => text)).toEqual([]);
  });

  it('that ask are listed where the guide says so, and no others', async () => {
    const all = program.commands.flatMap((group) =>
      group.commands.filter(asks).map((command) => `${group.name()} ${command.name()}`),
    );
    const guide = (await readDocument('docs/how-to/command-line.md')).replaceAll(/\s+/g, ' ');
    const [, list = ''] = /show what they will do, and ask\. These are (.+?)\. /.exec(guide) ?? [];
    const named = [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set(all));
  });

  it('are found in README, tutorials, guides and reference', () => {
    const kinds = new Set([...shown.keys()].map((path) => path.replace(/^docs\/([\w-]+)\/.*$/, '$1')));
    expect([...kinds]).toEqual(expect.arrayContaining(['README.md', 'tutorials', 'how-to', 'reference']));
    expect([...shown.values()].flat().length).toBeGreaterThan(150);
  });
});

describe('commandsIn', () => {
  const block = (text: string, language = 'sh') => `\`\`\`${language}\n${text}\n\`\`\`\n`;

  it.each([
    ['variables and npx before it', 'A=1 B="x y" npx sluice dev --port 1', [['dev', '--port', '1']]],
    ['two in a line', 'cd x && npx sluice sync plan a | awk -F t', [['sync', 'plan', 'a']]],
    ['quotes', 'sluice find \'+55 11\' --x "a b"', [['find', '+55 11', '--x', 'a b']]],
    ['continued lines', 'sluice sync run \\\n  a', [['sync', 'run', 'a']]],
    ['comments and redirections', 'sluice poll gaps < /dev/null > x # --no', [['poll', 'gaps']]],
    ['in a substitution', 'id=$(npx sluice dlq list --json)', [['dlq', 'list', '--json']]],
    ['a folder named sluice', 'npm install ../sluice', []],
  ])('finds %s', (_what, text, words) => {
    expect(commandsIn(block(text)).map((one) => one.words)).toEqual(words);
  });

  it('takes of texts only lines that begin with a command', () => {
    const text = 'npx sluice user add ana\nsluice.yaml is valid\nrun sluice later';
    expect(commandsIn(block(text, 'text')).map((one) => one.words)).toEqual([['user', 'add', 'ana']]);
  });

  it('knows the comment before a block', () => {
    const [one] = commandsIn(`<!-- run: exit=2 -->\n\n${block('sluice outbox discard 1')}`);
    expect(one?.directions).toBe('exit=2');
    expect(one && lacksYes(one)).toBe(true);
  });

  it.each([
    ['campaign start spring', true],
    ['campaign start spring --yes', false],
    ['dlq discard 0-1', true],
    ['events retry --failed', true],
    ['events retry 1', false],
    ['sync run leads', false],
  ])('`sluice %s` lacks --yes: %s', (line, lacks) => {
    expect(lacksYes({ text: line, words: line.split(' '), directions: '' })).toBe(lacks);
  });
});
