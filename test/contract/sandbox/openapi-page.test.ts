// The readable page of the OpenAPI document: all of it there, and inert whatever a name or a header says.
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Context, openContext } from './context.ts';

const EVIL = `<script>alert('x')</script>"><img src=x onerror=alert(1)>`;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: object;
}

let context: Context;
let page: string;
// oxlint-disable-next-line typescript/no-explicit-any -- a document is searched at any depth
let document: any;
beforeAll(async () => {
  context = await openContext({
    choices: {
      cardQuery: { titleSearch: EVIL, sortDirection: 'way' },
      flowContact: { contactId: EVIL, number: 'number' },
    },
  });
  page = (await context.call('GET', '/docs', { token: null })).text;
  document = (await context.call('GET', '/openapi.json', { token: null })).json;
});
afterAll(() => context.close());

const escaped = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

describe('the page', () => {
  it('shows every operation with its path, parameters and codes', () => {
    for (const [path, item] of Object.entries<Record<string, Operation>>(document.paths)) {
      for (const { operationId, summary, parameters = [], responses } of Object.values(item)) {
        const [, rest = ''] = page.split(`<article id="${operationId}">`);
        const [article = ''] = rest.split('</article>');
        expect(article).toContain(escaped(path));
        expect(article).toContain(escaped(summary));
        for (const { name } of parameters) expect(article).toContain(escaped(name));
        for (const status of Object.keys(responses)) expect(article).toContain(`<b>${status}</b>`);
        expect(article).toContain('curl');
      }
    }
    for (const code of ['ERR_SOURCE_REQUIRED_FOR_STAGE', 'ERR_TICKET_IN_HUMAN_SERVICE', 'ERR_RATE_LIMITED']) {
      expect(page).toContain(code);
    }
  });

  it('shows a name that is markup as text, runs nothing and loads nothing', async () => {
    expect(page).toContain(escaped(EVIL));
    expect(page).not.toMatch(/<script|<img|<link|<iframe|<[^>]*\son\w+=|javascript:|@import|url\(/i);
    const got = await context.call('GET', '/docs', { token: null });
    expect(got.headers['content-security-policy']).toContain("default-src 'none'");
    expect(
      page.match(/(href|src)="[^"]*"/g)?.filter((link) => !/^href="(#\w+|openapi\.json)"$/.test(link)),
    ).toEqual([]);
  });

  it.each([EVIL, '"$(id)"', 'a b'])('does not repeat the host %s', async (host) => {
    const { body } = await request(`${context.baseUrl}/docs`, { headers: { host } });
    expect(await body.text()).toContain(`export BASE_URL=${new URL(context.baseUrl).origin}/wapi`);
  });

  it('closes every element that it opens', () => {
    const open: string[] = [];
    for (const [, slash, name = ''] of page.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
      if (name === 'meta') continue;
      if (slash === '') open.push(name);
      else expect(open.pop()).toBe(name);
    }
    expect(open).toEqual([]);
  });
});
