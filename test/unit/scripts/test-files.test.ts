// A pattern that matches nothing hides tests: a folder was renamed, and the command that names it stays green.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import postgres from '../../../vitest.postgres.config.ts';

const ROOT = join(import.meta.dirname, '../../..');

it('each pattern of the suites for every PostgreSQL matches a file', () => {
  const { include = [], exclude = [] } = postgres.test ?? {};
  const own = [...include, ...exclude].filter((pattern) => pattern.startsWith('test/'));
  expect(own.length).toBeGreaterThan(5);
  expect(own.filter((pattern) => globSync(pattern, { cwd: ROOT }).length === 0)).toEqual([]);
});
