import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, describe, expect, it } from 'vitest';
import { withSessionOptions } from '../../../../src/cli/lib/connect/session.ts';
import { formatTime } from '../../../../src/cli/lib/terminal/format.ts';
import { zoneOf } from '../../../../src/cli/lib/zone.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-zone-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function configOf(name: string, zones: Readonly<Record<string, string | null>>): string {
  const lines = Object.entries(zones).map(
    ([account, zone]) => `  ${account}:\n    baseUrl: x\n${zone === null ? '' : `    timeZone: ${zone}\n`}`,
  );
  const file = join(folder, name);
  writeFileSync(file, `accounts:\n${lines.join('')}`);
  return file;
}
const one = configOf('one.yaml', { acme: 'America/Sao_Paulo' });
const same = configOf('same.yaml', { acme: 'America/Sao_Paulo', beta: 'America/Sao_Paulo' });
const two = configOf('two.yaml', { acme: 'America/Sao_Paulo', beta: 'America/Manaus' });
const none = configOf('none.yaml', { acme: null });
const wrong = configOf('wrong.yaml', { acme: 'Mars/Base' });

function zoneWith(argv: readonly string[], env: NodeJS.ProcessEnv = {}): string | null {
  const command = withSessionOptions(new Command('list')).option('--account <name>');
  command.parse(argv, { from: 'user' });
  return zoneOf(command, env);
}

describe('the zone of times', () => {
  it.each([
    ['that of the only account', ['--config', one], 'America/Sao_Paulo'],
    ['that of all accounts', ['--config', same], 'America/Sao_Paulo'],
    ['UTC where accounts differ', ['--config', two], 'UTC'],
    ['that of the named account', ['--config', two, '--account', 'beta'], 'America/Manaus'],
    ['UTC without a zone', ['--config', none], 'UTC'],
    ['UTC for a zone that does not exist', ['--config', wrong], 'UTC'],
    ['UTC with --utc', ['--config', one, '--utc'], 'UTC'],
    ["the machine's with a server elsewhere", ['--config', one, '--server', 'https://s'], null],
    ['UTC with --utc and a server elsewhere', ['--server', 'https://s', '--utc'], 'UTC'],
    ["the machine's without a configuration", ['--config', join(folder, 'missing.yaml')], null],
  ])('is %s', (_, argv, zone) => {
    expect(zoneWith(argv)).toBe(zone);
  });

  it("is the machine's with SLUICE_SERVER, and for a command without times", () => {
    expect(zoneWith(['--config', one], { SLUICE_SERVER: 'https://s' })).toBeNull();
    expect(zoneOf(new Command('schema'), {})).toBeNull();
  });
});

describe('a time', () => {
  it.each([
    ['America/Sao_Paulo', '2026-11-23 08:20:15 -03:00'],
    ['Asia/Kathmandu', '2026-11-23 17:05:15 +05:45'],
    ['Europe/London', '2026-11-23 11:20:15 UTC'],
    ['UTC', '2026-11-23 11:20:15 UTC'],
  ])('in %s is %s', (zone, text) => {
    expect(formatTime('2026-11-23T11:20:15.999Z', zone)).toBe(text);
    expect(new Date(text).getTime()).toBe(Date.parse('2026-11-23T11:20:15Z'));
  });
});
