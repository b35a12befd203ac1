// Presets, names and checks that other modules make.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configContext, GOOD } from './context.ts';

const context = configContext();
const { load, problemsOf } = context;

describe('presets', () => {
  const WITH_PRESET = GOOD.replace(
    'contact: { number: phone, name: [nickname, name] }',
    'preset: presets/crm.yaml',
  );

  it('take the place of the mapping', async () => {
    await mkdir(join(context.dir, 'presets'));
    await writeFile(join(context.dir, 'presets/crm.yaml'), 'contact:\n  number: phone\n');
    expect((await load(WITH_PRESET)).spec('leads').mapping.contact.number).toBe('phone');
  });

  it('have their mistakes shown in their own file, after those of the main file', async () => {
    await mkdir(join(context.dir, 'presets'));
    await writeFile(
      join(context.dir, 'presets/crm.yaml'),
      '# mine\ncontact:\n  number: phone\n  emial: mail\n',
    );
    expect(await problemsOf(WITH_PRESET.replace('source: crm', 'source: crn'))).toEqual([
      'sluice.yaml:14:5  syncs.leads.source: there is no source "crn"; did you mean "crm"?',
      'presets/crm.yaml:4:3  contact.emial: unknown key; did you mean "email"?',
    ]);
  });

  it('have the checks of the caller pointed at their own file', async () => {
    await mkdir(join(context.dir, 'presets'));
    await writeFile(join(context.dir, 'presets/crm.yaml'), 'contact:\n  number: =$$(\n');
    const checkMapping = () => [{ path: ['contact', 'number'], message: 'no expression' }];
    expect(await problemsOf(WITH_PRESET, { checkMapping })).toEqual([
      'presets/crm.yaml:2:3  contact.number: no expression',
    ]);
  });
});

it('shows all mistakes at once, in the order of the file', async () => {
  const text = GOOD.replace('baseUrl', 'baseURL')
    .replace('path: data/leads.csv', 'pth: data/leads.csv')
    .replace('account: acme', 'account: acm')
    .replace('number: phone', 'number: []');
  const checkMapping = () => [{ path: ['contact'], message: 'never reached: the mapping has no shape' }];
  const checkAssumptions = () => [{ path: ['a'], message: 'never reached: the account has none' }];
  expect(await problemsOf(text, { checkMapping, checkAssumptions })).toEqual([
    'sluice.yaml:3:3  accounts.acme.baseUrl: is missing; expected text',
    'sluice.yaml:4:5  accounts.acme.baseURL: unknown key; did you mean "baseUrl"?',
    'sluice.yaml:7:3  sources.crm.path: is missing; expected text',
    'sluice.yaml:7:21  sources.crm.pth: unknown key; did you mean "path"?',
    'sluice.yaml:10:16  mappings.people.contact.number: needs at least one entry',
    'sluice.yaml:13:5  syncs.leads.account: there is no account "acm"; did you mean "acme"?',
  ]);
});

it('points the checks of the caller at the entry they complain about', async () => {
  const text = GOOD.replace('tokens:', 'assumptions:\n      tagsWrapper: 5\n    tokens:');
  const checkMapping = () => [{ path: ['contact', 'name', 1], message: 'never so' }];
  const checkAssumptions = (given: Record<string, unknown>) =>
    Object.keys(given).map((key) => ({ path: [key], message: 'must be text' }));
  expect(await problemsOf(text, { checkMapping, checkAssumptions })).toEqual([
    'sluice.yaml:6:7  accounts.acme.assumptions.tagsWrapper: must be text',
    'sluice.yaml:12:48  mappings.people.contact.name[1]: never so',
  ]);
});

it('never repeats a token, wherever one was pasted', async () => {
  const token = 'svc_live_CANARY-1';
  for (const [from, to] of [
    ['env:ACME_TOKEN', token],
    ['env:ACME_TOKEN', `env:${token}`],
    ['account: acme', `account: ${token.toLowerCase()}`],
    ['source: crm', `${token}: crm`],
    ['type: csv', `type: ${token}`],
    ['leads:', `${token}:`],
    ['leads:', `? {${token}: 1}\n  : 2\n  leads:`],
    ['leads:', `leads: *${token}`],
    ['accounts:', `accounts: !${token} x\nother:`],
    ['syncs:', `${token}: 1\n${token}: 2\nsyncs:`],
  ] as const) {
    const problems = await problemsOf(GOOD.replace(from, to));
    expect(problems.join('\n').toLowerCase(), to).not.toContain('canary');
  }
});
