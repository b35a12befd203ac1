// The scopes that the paced client asks tokens for are those that the sandbox demands.
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { scopeOf } from '../../../../src/service/api-client/scope-of.ts';

const ROUTES = resolve(import.meta.dirname, '../../../../src/sandbox/routes');

it('names the scope of each route of the service', async () => {
  const files = (await readdir(ROUTES)).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(files.map((name) => readFile(join(ROUTES, name), 'utf8')));
  const routes = texts.flatMap((text) => [
    ...text.matchAll(/method: '(\w+)',\s+path: '(\/v1\/[^']+)',\s+scope: '([^']+)'/g),
  ]);
  // Two of the 19 share a constant for their path; the contract tests of conversations call them.
  expect(routes.length).toBe(17);
  for (const [, method = '', path = '', scope] of routes) {
    const template = path.replace(/:(\w+)/g, '{$1}');
    expect([template, scopeOf(method.toUpperCase(), template)]).toEqual([template, scope]);
  }
});

it('refuses a call that it does not know', () => {
  expect(() => scopeOf('GET', '/v1/other')).toThrow('no scope is known for GET /v1/other');
});
