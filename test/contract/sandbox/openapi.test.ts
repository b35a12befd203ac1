// The sandbox's own OpenAPI document: complete, true to its examples, and outside of what it describes.
import type { Router } from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHOICES } from '../../../src/sandbox/choices.ts';
import { wapiRouter } from '../../../src/sandbox/http/wapi.ts';
import { LIST_PAGE } from '../../../src/sandbox/openapi/parameters.ts';
import type { SandboxParts } from '../../../src/sandbox/parts.ts';
import { ALL, type Context, openContext } from './context.ts';
import { Conformance, type Got } from './openapi-conformance.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a document is searched at any depth
type Any = any;

let context: Context;
let document: Any;
let conformance: Conformance;
beforeAll(async () => {
  context = await openContext({
    choices: { cardQuery: { titleSearch: '<script>alert(1)</script>', sortDirection: 'way' } },
  });
  document = JSON.parse(await (await fetch(`${context.baseUrl}/openapi.json`)).text());
  conformance = new Conformance(document);
});
afterAll(() => context.close());

const operations = (): [string, string, Any][] =>
  Object.entries<Any>(document.paths).flatMap(([path, item]) =>
    Object.entries<Any>(item).map(([method, operation]): [string, string, Any] => [method, path, operation]),
  );

/** Every method and path that the router itself has, those below routers that it uses included. */
function routesOf(router: Router): string[] {
  return router.stack.flatMap((layer) => {
    if (layer.route === undefined) {
      const inner = layer.handle as unknown as Partial<Router>;
      return inner.stack === undefined ? [] : routesOf(inner as Router);
    }
    const { path, stack } = layer.route;
    return [...new Set(stack.map(({ method }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`))];
  });
}

describe('the document', () => {
  it('shows every route of the router and no other', () => {
    const about = ['', '/start.js', '/swagger-ui.css', '/swagger-ui-bundle.js'].map(
      (file) => `get /docs${file}`,
    );
    about.push('get /openapi.json');
    const served = routesOf(wapiRouter({ choices: CHOICES } as SandboxParts));
    expect(served).toEqual(expect.arrayContaining(about));
    expect(
      operations()
        .map(([method, path]) => `${method} ${path}`)
        .sort(),
    ).toEqual(served.filter((route) => !about.includes(route)).sort());
  });

  it('has every path parameter, an id of its own and a scope for each operation', () => {
    const ids = operations().map(([, , operation]) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, path, operation] of operations()) {
      const inPath = (operation.parameters ?? []).filter((each: Any) => each.in === 'path');
      expect(inPath.map(({ name }: Any) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      if (path.startsWith('/hooks')) expect(operation.security).toEqual([]);
      else expect(operation.description).toContain(operation['x-required-scope']);
    }
  });

  it('asks for the very scope that the service asks for', async () => {
    for (const [method, path, operation] of operations()) {
      if (operation['x-required-scope'] === undefined) continue;
      const got = await context.call(method.toUpperCase(), path.replace(/\{\w+\}/g, '1'), {
        token: 'svc_test_none',
      });
      expect([got.status, got.json.requiredScope]).toEqual([403, operation['x-required-scope']]);
    }
  });

  it('gives examples that fit their own schemas', () => {
    let checked = 0;
    const fits = (schema: Any, value: unknown, where: string) => {
      checked += 1;
      const result = conformance.schema(schema).safeParse(value);
      expect(result.success ? '' : `${where}: ${result.error.message}`).toBe('');
    };
    for (const [method, path, operation] of operations()) {
      for (const { schema, example, name } of operation.parameters ?? []) {
        if (example !== undefined) fits(schema, example, `${method} ${path} ${name}`);
      }
      const bodies = [
        operation.requestBody,
        ...Object.values(operation.responses).map((each) => conformance.resolve(each)),
      ];
      for (const content of bodies.map((each: Any) => each?.content?.['application/json'])) {
        if (content?.example !== undefined) fits(content.schema, content.example, `${method} ${path}`);
        for (const { value } of Object.values<Any>(content?.examples ?? {}))
          fits(content.schema, value, `${method} ${path}`);
      }
    }
    expect(checked).toBeGreaterThan(150);
  });

  it('shows caps and defaults as the service has them', async () => {
    const { parameters } = document.paths['/v1/contacts'].get;
    const size = parameters.find(({ name }: Any) => name === 'pageSize');
    expect([size.schema.default, size.description]).toEqual([
      LIST_PAGE.default,
      expect.stringContaining('100'),
    ]);
  });

  it('shows the names that this server was asked to use', async () => {
    const names = document.paths['/v1/cards'].get.parameters.map(({ name }: Any) => name);
    expect(names).toEqual(expect.arrayContaining(['way', '<script>alert(1)</script>']));
    expect(names).not.toContain('sortOrder');
  });

  it('has no parameter that nothing reads: a body field beyond it changes nothing', async () => {
    const sent = {
      number: '5511900001111',
      name: 'Eva',
      channel: 'facebook',
      id: 77,
      requestId: 'x',
      constructor: 1,
    };
    const { contact } = (await context.call('POST', '/v1/contacts', { body: sent })).json;
    expect(contact).toMatchObject({ name: 'Eva', channel: 'whatsapp' });
    expect(contact.id).not.toBe(77);
  });
});

describe('an answer that the document does not show is found', () => {
  const headers = {
    'x-ratelimit-limit': '1',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '1',
    'content-type': 'application/json',
  };
  const answer = (status: number, json: unknown, changed = {}): Got => ({
    status,
    headers: { ...headers, ...changed },
    text: JSON.stringify(json),
    json,
  });
  const requestId = '5d1f6c0e-6f43-4c55-9f1a-0d7b7a1c2e3f';
  const limited = { error: 'x', code: 'ERR_RATE_LIMITED', retryAfter: 3 };
  it.each([
    ['a fitting one', 'GET', '/v1/tags', answer(200, { requestId, tags: [] }), true],
    ['a field too many', 'GET', '/v1/tags', answer(200, { requestId, tags: [], more: 1 }), false],
    ['a field too few', 'GET', '/v1/tags', answer(200, { tags: [] }), false],
    ['another status', 'GET', '/v1/tags', answer(204, {}), false],
    [
      'a header missing',
      'GET',
      '/v1/tags',
      answer(200, { requestId, tags: [] }, { 'x-ratelimit-reset': undefined }),
      false,
    ],
    [
      'a code of another operation',
      'GET',
      '/v1/cards/1',
      answer(404, { error: 'x', code: 'ERR_NO_CONTACT_FOUND' }),
      false,
    ],
    [
      'an extra that is missing',
      'GET',
      '/v1/tags',
      answer(429, { ...limited, retryAfter: undefined }, { 'retry-after': '3' }),
      false,
    ],
    ['429 without Retry-After', 'GET', '/v1/tags', answer(429, limited), false],
    ['429 with Retry-After', 'GET', '/v1/tags', answer(429, limited, { 'retry-after': '3' }), true],
    ['a success of no operation', 'GET', '/v1/nothing', answer(200, { requestId }), false],
  ])('%s', (_name, method, path, got, isFine) => {
    const complaint = conformance.complaint(method, path, got);
    expect(complaint === null).toBe(isFine);
  });
});

it('document and page need no token, spend no call, meet no fault and leave no row in the log', async () => {
  const quiet = await openContext({ rate: 2 });
  try {
    await quiet.panel('POST', '/faults', { method: 'GET', path: '.*', kind: 'status', status: 503 });
    const before = (await quiet.panel('GET', '/requests')).json.requests.length;
    for (const path of ['/openapi.json', '/docs', '/docs/swagger-ui.css', '/openapi.json']) {
      const got = await quiet.call('GET', path, { token: ALL });
      expect([got.status, got.headers['x-ratelimit-limit']]).toEqual([200, undefined]);
    }
    expect((await quiet.panel('GET', '/requests')).json.requests.length).toBe(before);
    await quiet.panel('DELETE', '/faults');
    expect((await quiet.call('GET', '/v1/tags')).headers['x-ratelimit-remaining']).toBe('1');
  } finally {
    await quiet.close();
  }
});
