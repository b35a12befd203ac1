// Text from outside on its way to a terminal: names of files, commands and columns, cells, keys of a configuration.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildOnce } from '../../support/runner/build.ts';

/** Clears the screen, sets the title of the window, hides text, turns its direction; in 8 bits, too. */
const EVIL = '\u001b[2J\u001b]0;owned\u0007\u001b[8m\u009b31m\u202e\u200b\u2028\u007f';
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\u2028\u2029]/u;

let dist: string;
let dir: string;
beforeAll(async () => {
  dist = await buildOnce();
});
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-terminal-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function sluice(...args: string[]): Promise<{ out: string; err: string }> {
  const child = spawn(process.execPath, [join(dist, 'src/cli/main.js'), ...args], {
    cwd: dir,
    env: { ...process.env, ACME_TOKEN: 'svc_test_x', SLUICE_LOG_LEVEL: 'info' },
  });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  await once(child, 'close');
  return text;
}

const config = (column: string, path: string) =>
  JSON.stringify({
    version: 1,
    accounts: { acme: { baseUrl: 'http://127.0.0.1:9/wapi', tokens: ['env:ACME_TOKEN'], timeZone: 'UTC' } },
    sources: { crm: { type: 'csv', path } },
    mappings: { leads: { defaultCountry: 'BR', contact: { number: column, name: 'Name' } } },
    syncs: { leads: { account: 'acme', source: 'crm', mapping: 'leads' } },
  });

describe('no text from outside steers the terminal', () => {
  it.each([
    ['a command that does not exist', [EVIL]],
    ['an option that does not exist', ['config', 'check', `--${EVIL}`]],
    ['a file that does not exist', ['config', 'check', '--config', `${EVIL}.yaml`]],
    ['a fixture that does not exist', ['sandbox', '--data', 'd', '--fixture', `${EVIL}.json`]],
    ['a host that does not exist', ['sandbox', '--data', 'd', '--host', EVIL]],
  ])('%s', async (_name, args) => {
    const { out, err } = await sluice(...args);
    expect(out + err).not.toMatch(UNSAFE);
    expect(err).toContain('\\u001b[2J');
    expect(err).toContain('\\u202e');
  });

  it('keys and values of a configuration', async () => {
    await writeFile(
      join(dir, 'sluice.yaml'),
      JSON.stringify({ version: 1, [EVIL]: 1, accounts: { [EVIL]: {} } }),
    );
    const { out, err } = await sluice('config', 'check');
    expect(out + err).not.toMatch(UNSAFE);
    expect(err).toContain('\\u001b[2J');
  });

  it('cells, titles and the name of the file of a source', async () => {
    const file = `leads${EVIL}.csv`.replaceAll('\u0007', '');
    const title = `Phone${EVIL}`;
    await writeFile(join(dir, file), `Name,"${title}"\n${EVIL},12${EVIL}\nBia,abc\n`);
    await writeFile(join(dir, 'sluice.yaml'), config(title, file));
    const { out, err } = await sluice('sync', 'plan', 'leads');
    expect(out + err).not.toMatch(UNSAFE);
    expect((out + err).length).toBeGreaterThan(20);
  });
});
