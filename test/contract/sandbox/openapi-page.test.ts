// The page that shows the OpenAPI document: all it needs comes from this server, and nothing else may run in it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
