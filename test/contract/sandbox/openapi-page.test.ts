// The page that shows the OpenAPI document: all it needs comes from this server, and nothing else may run in it.
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHOICES } from '../../../src/sandbox/choices.ts';
import { openApiRouter } from '../../../src/sandbox/openapi/serve.ts';
import { type Context, openContext } from './context.ts';

const EVIL = `<script>alert('x')</script>"><img src=x onerror=alert(1)>`;

let context: Context;
beforeAll(async () => {
  context = await openContext({ choices: { cardQuery: { titleSearch: EVIL, sortDirection: 'way' } } });
});
afterAll(() => context.close());

const get = (path: string) => context.call('GET', path, { token: null });

describe('the page', () => {
  it('loads files of this server only, and each is there', async () => {
    const { text } = await get('/docs');
    const links = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, link = '']) => link);
    expect(links).toEqual(expect.arrayContaining(['docs/swagger-ui-bundle.js', 'docs/swagger-ui.css']));
    for (const link of links.filter((one) => one !== 'data:,')) {
      expect(link).toMatch(/^(docs\/[\w.-]+|openapi\.json)$/);
      const { status, headers } = await get(`/${link}`);
      expect([link, status, headers['cache-control']]).toEqual([link, 200, 'no-store']);
    }
    expect((await get('/docs/start.js')).text).toContain('validatorUrl: null');
  });

  it('loads where packages are in a folder whose name begins with a dot, as with npx', async () => {
    const root = await mkdtemp(join(tmpdir(), '.npx-'));
    const resolve = (file: string) => join(root, '.pnpm', file);
    await mkdir(dirname(resolve('swagger-ui-dist/x')), { recursive: true });
    for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
      await writeFile(resolve(`swagger-ui-dist/${file}`), `/* ${file} */`);
    }
    const server = express()
      .use(openApiRouter([], CHOICES, resolve))
      .listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
        const answer = await fetch(`http://127.0.0.1:${port}/docs/${file}`);
        expect([answer.status, await answer.text()]).toEqual([200, `/* ${file} */`]);
      }
    } finally {
      server.close();
      server.closeAllConnections();
      await rm(root, { recursive: true });
    }
  });

  it.each([
    [416, { range: 'bytes=99999999-' }],
    [412, { 'if-match': '"other"' }],
  ])(
    'answers %d, without a trace of the program, for headers that no file meets',
    async (status, headers) => {
      const answer = await fetch(`${context.baseUrl}/docs/swagger-ui.css`, { headers });
      expect([answer.status, await answer.text()]).toEqual([status, '']);
    },
  );

  it('runs nothing of a name that is markup', async () => {
    expect(JSON.stringify((await get('/openapi.json')).json)).toContain('onerror=alert(1)');
    const { headers, text } = await get('/docs');
    expect(text).not.toContain('onerror');
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "script-src 'self'", "connect-src 'self'"]),
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it.each([
    '/docs/',
    '/docs/index.html',
    '/docs/package.json',
    '/docs/..%2fpackage.json',
    '/docs/swagger-ui.js',
  ])('serves no other file of the viewer: %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});
