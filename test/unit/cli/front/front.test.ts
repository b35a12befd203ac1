import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { createFront } from '../../../../src/cli/front.ts';
import { errorReport } from '../../../../src/cli/lib/describe-plain.ts';
import { shapeOf } from '../../../../src/cli/lib/shape.ts';
import { createProgram } from '../../../../src/cli/program.ts';
import { ConfigError, UnknownNameError } from '../../../../src/core/config/errors.ts';
import { acquireFolderLock } from '../../../../src/core/lock/folder-lock.ts';

const APPEARANCE = { version: '1.0.0', json: false };
const real = await createProgram(APPEARANCE, {});
const shapes = JSON.parse(JSON.stringify(shapeOf(real).commands));

const folder = mkdtempSync(join(tmpdir(), 'sluice-front-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const CONFIG = join(folder, 'sluice.yaml');
writeFileSync(
  CONFIG,
  'accounts: { acme: {} }\nsyncs: { leads: {} }\ncampaigns: { spring: {} }\npollers: { inbox: {} }\n',
);

/** Returns what runs, and what is printed. */
async function front(words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const ran: string[] = [];
  let out = '';
  const env = Object.assign({ SLUICE_CONFIG: CONFIG }, more);
  const program = createFront(shapes, APPEARANCE, env, async (group) => void ran.push(group));
  const capture = (text: string) => void (out += text);
  const quiet = (command: typeof program) => {
    command.configureOutput({ writeOut: capture, writeErr: capture });
    command.commands.forEach(quiet);
  };
  quiet(program);
  const error = await program.parseAsync(words, { from: 'user' }).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { ran, out, error };
}

describe('the front of the command line', () => {
  it.each([
    ['a command', ['sync', 'run', 'leads'], 'sync'],
    ['an action of a group', ['ingress'], 'ingress'],
    ['a name in a list', ['poll', 'start', 'inbox'], 'poll'],
    ['the id of a run', ['campaign', 'cancel', 'acme/+old/3'], 'campaign'],
    ['a name that only the ledger may know', ['campaign', 'status', 'old'], 'campaign'],
    ['repeated options', ['sync', 'rows', 'leads', '--code', 'A', '--code', 'B'], 'sync'],
  ])('runs %s', async (_, words, group) => {
    expect(await front(words)).toMatchObject({ ran: [group], error: null });
  });

  it.each([
    ['a sync', ['sync', 'run', 'laeds'], 'there is no sync "laeds"; did you mean "leads"?'],
    ['a campaign', ['campaign', 'start', 'x'], 'there is no campaign "x"; campaigns: spring'],
    ['one poller of several', ['poll', 'start', 'inbox', 'x'], 'there is no poller "x"; pollers: inbox'],
    ['an account', ['doctor', '--account', 'amce'], 'there is no account "amce"; did you mean "acme"?'],
  ])('refuses %s that does not exist before anything is loaded', async (_, words, message) => {
    const { ran, error } = await front(words);
    expect(ran).toEqual([]);
    expect(error).toBeInstanceOf(UnknownNameError);
    expect((error as Error).message).toBe(message);
  });

  describe('a name that only a Sluice with another configuration knows', () => {
    const words = ['sync', 'run', 'elsewhere'];

    it('goes to the process that runs on the state folder', async () => {
      const state = join(folder, 'state');
      mkdirSync(state);
      const lock = await acquireFolderLock(state, { command: 'sluice dev', operator: '/run/sluice.sock' });
      try {
        expect(await front([...words, '--state', state])).toMatchObject({ ran: ['sync'], error: null });
      } finally {
        await lock.release();
      }
      expect(await front([...words, '--state', state])).toMatchObject({ ran: [] });
    });

    it('goes to the server elsewhere', async () => {
      const more = { SLUICE_SERVER: 'https://sluice.example.com' };
      expect(await front(words, more)).toMatchObject({ ran: ['sync'], error: null });
    });
  });

  it.each([
    ['a word', ['snyc'], 'Did you mean sync?'],
    ['a word that people try', ['errors', '--since', '2h'], 'Did you mean failures?'],
    ['a command of a group', ['sync', 'rnu'], 'Did you mean run?'],
    ['an option', ['sync', 'run', 'leads', '--jsno'], 'Did you mean --json?'],
  ])('proposes the right spelling of %s', async (_, words, hint) => {
    const { ran, out, error } = await front(words);
    expect([ran, out.includes(hint), error instanceof CommanderError]).toEqual([[], true, true]);
  });

  it.each(real.commands.flatMap((group) => [group, ...group.commands]))(
    'shows the same help as the command itself: $_name',
    async (command) => {
      const words = command.parent === real ? [command.name()] : [command.parent!.name(), command.name()];
      let help = '';
      command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
      expect((await front([...words, '--help'])).out).toBe(help);
    },
  );
});

describe('an error as JSON', () => {
  it.each([
    [new UnknownNameError('sync', 'x', 'y'), { message: 'there is no sync', exitCode: 3 }, 'UNKNOWN_NAME'],
    [
      Object.assign(new Error('a'), { code: 'ERR_TOKEN_INVALID' }),
      { message: 'a', exitCode: 4 },
      'ERR_TOKEN_INVALID',
    ],
    [Object.assign(new Error('a'), { code: 'not_found' }), { message: 'a', exitCode: 3 }, 'NOT_FOUND'],
    [new Error('a'), { message: 'a', exitCode: 1 }, 'ERROR'],
  ])('has a code, the message and the exit code: %s', (error, described, code) => {
    const { message, exitCode } = described;
    expect(errorReport(error, described)).toEqual({ error: { code, message, exit: exitCode } });
  });

  it('has the words of commander in one line', () => {
    const error = new CommanderError(1, 'x', "error: unknown option '--a'\n(Did you mean --b?)");
    expect(errorReport(error, { message: null, exitCode: 2 }).error.message).toBe(
      "unknown option '--a' (Did you mean --b?)",
    );
  });

  it('has the problems of a configuration', () => {
    const problem = { file: 'sluice.yaml', line: 3, column: 5, path: 'syncs', message: 'is wrong' };
    const report = errorReport(new ConfigError([problem]), { message: 'm', exitCode: 2 });
    expect(report.error.problems).toEqual([problem]);
  });
});
