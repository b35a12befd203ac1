import { describe, expect, it } from 'vitest';
import { completionOf } from '../../../../src/cli/completion/candidates.ts';
import { scriptOf } from '../../../../src/cli/completion/scripts.ts';
import { shapeOf } from '../../../../src/cli/lib/shape.ts';
import { createProgram } from '../../../../src/cli/program.ts';

const shapes = shapeOf(await createProgram({ version: '', json: false }, {})).commands;
const NAMES = {
  account: ['acme', 'beta'],
  sync: ['leads'],
  campaign: ['spring', 'winback'],
  poller: ['inbox'],
};
const complete = (words: readonly string[]) => {
  const found = completionOf(shapes, words, (kind, config) => (config === 'empty.yaml' ? [] : NAMES[kind]));
  return typeof found === 'string' ? found : found.map(({ text }) => text);
};

describe('completion', () => {
  it.each([
    ['the first letters of a group', ['sy'], ['sync']],
    ['commands of a group', ['sync', 'schedule', 'p'], ['pause']],
    ['names of syncs', ['sync', 'run', ''], ['leads']],
    ['names of campaigns', ['campaign', 'start', 'w'], ['winback']],
    ['names of pollers, more than one', ['poll', 'start', 'inbox', ''], ['inbox']],
    ['names of accounts', ['account', 'show', ''], ['acme', 'beta']],
    ['names after options with a value', ['sync', 'rows', '--code', 'X', 'l'], ['leads']],
    ['names of another configuration', ['sync', 'run', '--config', 'empty.yaml', 'l'], []],
    ['a second name where there is one', ['sync', 'run', 'leads', 'l'], []],
    ['values of an option', ['events', 'list', '--account', ''], ['acme', 'beta']],
    ['values after =', ['events', 'list', '--account=b'], ['beta']],
    ['choices of an option', ['init', '--preset', 'hub'], ['hubspot']],
    ['choices of an argument', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['the value of --config', ['sync', 'run', '--config', 'x'], 'files'],
    ['the value of --state', ['sync', 'run', '--state', ''], 'folders'],
    ['a free value', ['sync', 'pause', 'leads', '--reason', ''], []],
    ['options', ['sync', 'run', 'leads', '--st'], ['--state']],
    ['options that are there once', ['sync', 'run', '--json', '--js'], []],
    ['options that repeat', ['sync', 'rows', '--code', 'X', '--cod'], ['--code']],
    ['arguments after --', ['sync', 'run', '--', '--'], []],
    ['commands after help', ['help', 'sync', 'ru'], ['runs', 'run']],
    ['nothing after a word that does not exist', ['snyc', ''], []],
  ])('knows %s', (_, words, found) => {
    expect(complete(words)).toEqual(found);
  });

  it('proposes all options where nothing else may follow', () => {
    expect(complete(['status', ''])).toEqual(
      expect.arrayContaining(['--config', '--json', '--utc', '--help']),
    );
  });

  it.each(['bash', 'zsh', 'fish'] as const)('quotes the path of the program for %s', (shell) => {
    const script = scriptOf(shell, ['/opt/node', "/home/ana's files/$HOME/main.js"]);
    const quoted = shell === 'fish' ? "ana\\'s files" : "ana'\\''s files";
    expect(script).toContain(`/opt/node '/home/${quoted}/$HOME/main.js' __complete ${shell}`);
  });
});
