import { expect, it } from 'vitest';
import { moveLeadingOptions } from '../../../../src/cli/lib/leading-options.ts';

it.each([
  ['--config a.yaml status', 'status --config a.yaml'],
  ['--config=a.yaml --json sync list', 'sync list --config=a.yaml --json'],
  ['--utc find --account acme -- 55', 'find --account acme --utc -- 55'],
  ['status --config a.yaml', 'status --config a.yaml'],
  ['--help', '--help'],
  ['--json', '--json'],
  ['--config', '--config'],
  ['--config a.yaml', '--config a.yaml'],
  ['--unknown status', '--unknown status'],
  ['', ''],
])('%s means %s', (given, meant) => {
  expect(moveLeadingOptions(given === '' ? [] : given.split(' ')).join(' ')).toBe(meant);
});
