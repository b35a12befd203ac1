// The fast check of names, before anything is loaded.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readNames } from '../../../../src/cli/lib/names.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-names-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function namesOf(yaml: string) {
  const file = join(folder, 'sluice.yaml');
  writeFileSync(file, yaml);
  return readNames(file);
}

describe('names of a configuration', () => {
  it('are read without the checks of a load', () => {
    expect(namesOf('syncs: { leads: {}, "": 1 }\ncampaigns: 3\n')?.names).toMatchObject({
      sync: ['leads', ''],
      campaign: [],
    });
  });

  it.each([
    'accounts: [',
    'syncs: { leads: {',
    'syncs:\n  leads: {}\n syncs: x',
    'a: 1\na: 2\n',
    'just text',
    '',
  ])('of a broken file are unknown, so that the load reports it: %j', (yaml) => {
    expect(namesOf(yaml)).toBeNull();
  });
});
