// Faults: what the client sees, what was committed all the same, and what the log says about both.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Context, openContext } from './context.ts';

let context: Context;
beforeEach(async () => {
  context = await openContext();
});
afterEach(() => context.close());

const arm = async (fault: object) => {
  const got = await context.panel('POST', '/faults', fault);
  expect(got.status).toBe(200);
  return got.json;
};
const card = () => context.call('POST', '/v1/cards', { body: { contactId: 1, pipelineId: 1 } });
const cards = async () => (await context.panel('GET', '/accounts/acme')).json.cards.length;
const lastRow = async () => (await context.panel('GET', '/requests')).json.requests.at(-1);

describe('the effect', () => {
  it.each([
    ['reset-before', 1, { status: 0, code: null, fault: 'reset-before', served: null }],
    ['reset-after', 2, { status: 0, code: null, fault: 'reset-after', served: 201 }],
    ['truncate', 2, { status: 201, code: null, fault: 'truncate', served: 201 }],
  ])('of %s: the client has an error, the account %i cards', async (kind, count, row) => {
    await arm({ kind, method: 'post', path: '/v1/cards$', times: 1 });
    await expect(card()).rejects.toThrow();
    expect(await cards()).toBe(count);
    expect(await lastRow()).toMatchObject(row);
    expect((await card()).status).toBe(201);
  });

  it('of html: the client has a 200 page, the account the card', async () => {
    await arm({ kind: 'html' });
    const got = await card();
    expect([got.status, got.json]).toEqual([200, undefined]);
    expect(got.text).toMatch(/^<!doctype html>/i);
    expect(await cards()).toBe(2);
    expect(await lastRow()).toMatchObject({ status: 200, fault: 'html', served: 201 });
  });

  it('of hang: nothing comes, nothing happens', async () => {
    await arm({ kind: 'hang', path: 'cards' });
    const asked = card();
    const refused = expect(asked).rejects.toThrow();
    // A later call that is answered shows that the first one was taken in.
    expect((await context.call('GET', '/v1/tags')).status).toBe(200);
    await context.restart();
    await refused;
    expect(await cards()).toBe(1);
  });

  it('of delay: the answer is the service’s own', async () => {
    await arm({ kind: 'delay', ms: 5, times: 1 });
    expect((await card()).status).toBe(201);
    expect(await lastRow()).toMatchObject({ status: 201, fault: 'delay', served: 201 });
  });

  it('of a refusal that is cut after it: a refusal stays without effect', async () => {
    await arm({ kind: 'reset-after', times: 1 });
    await expect(context.call('GET', '/v1/cards/404')).rejects.toThrow();
    expect(await lastRow()).toMatchObject({ status: 0, served: 404 });
  });
});

describe('status', () => {
  it.each([
    [{ status: 502, body: 'bad gateway' }, 502, 'bad gateway', null],
    [
      { status: 429, body: { error: 'x', code: 'ERR_RATE_LIMITED' } },
      429,
      '{"error":"x","code":"ERR_RATE_LIMITED"}',
      'ERR_RATE_LIMITED',
    ],
    [{}, 500, '{"error":"Internal server error"}', null],
  ])('%j has no effect', async (part, status, text, code) => {
    await arm({ kind: 'status', times: 1, ...part });
    const got = await card();
    expect([got.status, got.text]).toEqual([status, text]);
    expect(got.headers).toHaveProperty('x-ratelimit-remaining');
    expect(await cards()).toBe(1);
    expect(await lastRow()).toMatchObject({ status, code, fault: 'status', served: null });
  });

  it('may carry any Retry-After', async () => {
    await arm({ kind: 'status', status: 429, body: {}, headers: { 'Retry-After': 'soon' } });
    expect((await card()).headers['retry-after']).toBe('soon');
  });
});

describe('which request', () => {
  it('path is an unanchored regex behind the base URL, the query is no part of it, hooks are', async () => {
    await arm({ kind: 'status', status: 503, path: 'contacts/\\d+$' });
    await arm({ kind: 'status', status: 504, path: '^/hooks/' });
    const status = async (method: string, path: string) => (await context.call(method, path)).status;
    expect(await status('GET', '/v1/contacts/1?x=y')).toBe(503);
    expect(await status('GET', '/v1/contacts')).toBe(200);
    expect(await status('GET', '/v1/contacts?x=contacts/1')).toBe(200);
    expect(await status('POST', '/hooks/h1')).toBe(504);
  });

  it('probability draws the same for the same seed', async () => {
    const draws = async (seed: number) => {
      await context.panel('DELETE', '/faults');
      await arm({ kind: 'status', status: 503, probability: 0.5, seed });
      const seen: number[] = [];
      for (let i = 0; i < 40; i += 1) seen.push((await context.call('GET', '/v1/tags')).status);
      return seen;
    };
    const first = await draws(7);
    expect(new Set(first)).toEqual(new Set([200, 503]));
    expect(await draws(7)).toEqual(first);
    expect(await draws(8)).not.toEqual(first);
  });

  it('times counts down, the list shows how often, DELETE clears, the panel is never cut off', async () => {
    await arm({ kind: 'reset-before', times: 2 });
    await expect(card()).rejects.toThrow();
    await expect(card()).rejects.toThrow();
    expect((await card()).status).toBe(201);
    expect((await context.panel('GET', '/faults')).json.faults).toMatchObject([
      { kind: 'reset-before', times: 2, fired: 2 },
    ]);
    await arm({ kind: 'hang' });
    await context.panel('DELETE', '/faults');
    expect((await context.panel('GET', '/faults')).json).toEqual({ faults: [] });
    expect((await card()).status).toBe(201);
  });

  it.each([
    [{ kind: 'explode' }, 'kind'],
    [{ kind: 'hang', path: '(' }, 'path'],
    [{ kind: 'hang', probability: 2 }, 'probability'],
    [{ kind: 'hang', when: 'now' }, 'when'],
    [{}, 'kind'],
  ])('%j is refused', async (fault, path) => {
    const got = await context.panel('POST', '/faults', fault);
    expect([got.status, got.json.path]).toEqual([400, path]);
  });
});
