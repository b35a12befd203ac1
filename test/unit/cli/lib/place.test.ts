import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { describeSearch, fillState, findPlace } from '../../../../src/cli/lib/connect/place.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-place-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const below = join(root, 'project/data/2026');
mkdirSync(below, { recursive: true });
writeFileSync(join(root, 'project/sluice.yaml'), '');
// A folder of that name is not a configuration.
mkdirSync(join(root, 'project/data/sluice.yaml'));

describe('the configuration and the state folder', () => {
  it.each([
    ['beside the file', {}, {}, 'project', 'sluice.yaml', '.sluice'],
    ['from a subfolder', {}, {}, 'project/data/2026', '../../sluice.yaml', '../../.sluice'],
    ['by option', { config: 'project/sluice.yaml' }, {}, '.', 'project/sluice.yaml', 'project/.sluice'],
    ['option before variable', { state: 'a' }, { SLUICE_STATE: '/b' }, 'project', 'sluice.yaml', 'a'],
    ['state by variable', {}, { SLUICE_STATE: '/b' }, 'project', 'sluice.yaml', '/b'],
    ['empty variables', {}, { SLUICE_STATE: '', SLUICE_CONFIG: '' }, 'project', 'sluice.yaml', '.sluice'],
  ])('are found %s', (_, given, env, folder, config, state) => {
    const cwd = join(root, folder);
    const found = findPlace(given, env, cwd);
    expect(found.config).toBe(config);
    expect(found.state).toBe(state);
  });

  it('are found by a variable with an absolute path', () => {
    const file = join(root, 'project/sluice.yaml');
    const { config, state } = findPlace({}, { SLUICE_CONFIG: file }, tmpdir());
    expect(config).toBe(file);
    expect(resolve(tmpdir(), state)).toBe(join(root, 'project/.sluice'));
  });

  it('says where it searched when there is none', () => {
    const place = findPlace({}, {}, root);
    expect(place).toMatchObject({ config: null, state: '.sluice' });
    expect(place.searched[0]).toBe(root);
    expect(describeSearch(place)).toMatch(/ and the (?:\d+ folders|folder) above it$/);
  });
});

describe('the state folder of a command', () => {
  const command = (words: readonly string[], fallback?: string) => {
    const made = new Command()
      .option('--config <file>')
      .option('--state <dir>', '', fallback)
      .action(() => {});
    made.parse(words, { from: 'user' });
    fillState(made, { SLUICE_STATE: '/from-env' });
    return made.opts();
  };
  it.each([
    ['the option', ['--state', 'a'], undefined, 'a'],
    ['its own default', [], 'own', 'own'],
    ['the variable', [], undefined, '/from-env'],
  ])('is that of %s', (_, words, fallback, state) => {
    expect(command(words, fallback).state).toBe(state);
  });
});
