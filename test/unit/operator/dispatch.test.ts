// Every call passes the same checks, whatever it came through.
import { ServiceError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { ROLES } from '../../../src/core/endpoint.ts';
import { LedgerError } from '../../../src/core/sql/database.ts';
import { ENDPOINTS, type Route } from '../../../src/operator/contract/index.ts';
import { OperatorError } from '../../../src/operator/error.ts';
import type { Caller } from '../../../src/operator/service/caller.ts';
import { type AuditEntry, createDispatch } from '../../../src/operator/service/dispatch.ts';

const ANA: Caller = { identity: 'user:ana', name: 'Ana', role: 'operator', via: 'session' };

interface Line extends AuditEntry {
  outcome: string;
  more?: object | undefined;
}

function dispatching(handler: (input: unknown) => Promise<unknown>, auditFails = false) {
  const lines: Line[] = [];
  const called: unknown[] = [];
  const handlers = new Proxy(
    {},
    {
      get: () => async (input: unknown) => {
        called.push(input);
        return await handler(input);
      },
    },
  );
  const dispatch = createDispatch({
    handlers: handlers as never,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    audit: {
      async write(entry, outcome) {
        if (auditFails) throw new Error('the ledger is away');
        return lines.push({ ...entry, outcome }) - 1;
      },
      async count(entry) {
        lines.push({ ...entry, outcome: 'ok' });
      },
      async complete(id, outcome, more) {
        Object.assign(lines[id] as Line, { outcome, more });
      },
    },
  });
  return { dispatch, lines, called };
}

const RETRY = 'POST /outbox/retry' satisfies Route;

describe('roles', () => {
  const routes = Object.entries(ENDPOINTS).flatMap(([route, { role }]) =>
    role === 'anyone' ? [] : [{ route: route as Route, role }],
  );
  it.each(routes)(
    '$route is refused without login and to lesser roles than $role',
    async ({ route, role }) => {
      const { dispatch, called } = dispatching(async () => ({}));
      await expect(dispatch(route, {}, null)).rejects.toMatchObject({ kind: 'unauthenticated' });
      for (const less of ROLES.slice(0, ROLES.indexOf(role)))
        await expect(dispatch(route, {}, { ...ANA, role: less })).rejects.toMatchObject({
          kind: 'forbidden',
        });
      expect(called).toEqual([]);
    },
  );
});

describe('the audit log', () => {
  it('has a command before it begins, and then its outcome', async () => {
    const { dispatch, lines } = dispatching(async () => {
      expect(lines.map(({ outcome }) => outcome)).toEqual(['started']);
      return { count: 1 };
    });
    await dispatch(RETRY, { sinks: ['bus'], reason: 'fixed' }, ANA);
    expect(lines).toMatchObject([
      {
        caller: ANA,
        action: RETRY,
        target: '/outbox/retry',
        details: { reason: 'fixed', sinks: ['bus'] },
        outcome: 'ok',
      },
    ]);
  });

  it('has of a reveal the ids that are shown, before anything is shown, and no personal data', async () => {
    const people = ['p1', 'p2'].map((person) => ({
      account: 'acme',
      person,
      number: '+5511987654321',
      name: 'Ana',
      email: null,
      contact: null,
      by: ['phone'],
    }));
    const output = { people, more: false, readings: [], rejected: [], merged: [], excluded: [] };
    const { dispatch, lines } = dispatching(async () => output);
    await dispatch('POST /people/search', { query: 'ana', unmask: true }, ANA);
    expect(lines).toMatchObject([
      {
        action: 'reveal',
        outcome: 'ok',
        more: { 'people.account': ['acme'], 'people.person': ['p1', 'p2'] },
      },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/98765|phone/);
  });

  it.each<[Route, object, object]>([
    [
      'POST /campaign-drafts/audience',
      { campaign: 'spring', config: { text: 'SECRET' } },
      { campaign: 'spring' },
    ],
    ['POST /uploads/{upload}/preview', { upload: 'u', mapping: { contact: { number: 'SECRET' } } }, {}],
    ['POST /syncs/{sync}/plans', { sync: 'leads' }, {}],
  ])('has of %s who asked and how it ended, and no text', async (route, input, details) => {
    const { dispatch, lines } = dispatching(async () => {
      throw new OperatorError('tooMany', 'too many', { code: 'PREVIEWS_LIMITED' });
    });
    await dispatch(route, input, { ...ANA, role: 'admin' }).catch(() => undefined);
    expect(lines[0]).toMatchObject({ caller: { identity: 'user:ana' }, action: route });
    if (route !== 'POST /syncs/{sync}/plans') expect(lines[0]).toMatchObject({ details });
    const last = lines.at(-1);
    expect(JSON.stringify(last)).toContain('PREVIEWS_LIMITED');
    expect(last).toMatchObject({ outcome: 'failed' });
    expect(JSON.stringify(lines)).not.toContain('SECRET');
  });

  it.each<[Route, object]>([
    ['POST /people/search', { query: 'SECRET' }],
    ['POST /campaigns/{campaign}/members', { campaign: 'back', search: 'SECRET' }],
  ])(
    'has of %s who searched, without the text, and a viewer can guess 30 times a minute',
    async (route, input) => {
      const { dispatch, lines, called } = dispatching(async () => {
        throw new OperatorError('notFound', 'nobody');
      });
      const refused: unknown[] = [];
      for (let time = 0; time < 40; time += 1)
        await dispatch(route, input, { ...ANA, role: 'viewer' }).catch((error: unknown) =>
          refused.push(error),
        );
      expect(called).toHaveLength(30);
      expect(refused.at(-1)).toMatchObject({ kind: 'tooMany', code: 'SEARCHES_LIMITED' });
      expect(lines[0]).toMatchObject({ caller: { identity: 'user:ana' }, action: route, outcome: 'ok' });
      expect(JSON.stringify(lines)).not.toContain('SECRET');
    },
  );

  it('has nothing of a list of members without a search', async () => {
    const { dispatch, lines } = dispatching(async () => ({ run: 'r', members: [], next: null }));
    await dispatch('POST /campaigns/{campaign}/members', { campaign: 'back', search: ' ' }, ANA);
    expect(lines).toEqual([]);
  });

  it('has of a reveal of rows the runs and the numbers of the rows', () => {
    expect(ENDPOINTS['GET /syncs/{sync}/rows'].auditOutput).toEqual(['runs', 'rows.row']);
  });

  it.each(Object.entries(ENDPOINTS).filter(([, { input }]) => 'unmask' in input.shape))(
    '%s reveals only what its address or the kept ids name',
    (route, endpoint) => {
      const isList = !/\{(person|conversation|event|id)\}/.test(route);
      expect('auditOutput' in endpoint).toBe(isList);
    },
  );

  it('has refusals of commands, by role and by the handler', async () => {
    const { dispatch, lines } = dispatching(() =>
      Promise.reject(new OperatorError('conflict', 'no', { code: 'X' })),
    );
    await expect(dispatch(RETRY, {}, { ...ANA, role: 'viewer' })).rejects.toThrow('needs the role operator');
    await expect(dispatch(RETRY, {}, ANA)).rejects.toMatchObject({ kind: 'conflict', code: 'X' });
    expect(lines.map(({ outcome, more }) => [outcome, more])).toEqual([
      ['denied', undefined],
      ['failed', { kind: 'conflict', code: 'X' }],
    ]);
  });

  it('has nothing of reads and of strangers', async () => {
    const { dispatch, lines } = dispatching(async () => ({ sinks: [] }));
    await dispatch('GET /sinks', {}, ANA);
    await expect(dispatch(RETRY, {}, null)).rejects.toThrow('log in first');
    expect(lines).toEqual([]);
  });

  it('is a condition: a command that cannot be recorded does not begin', async () => {
    const { dispatch, called } = dispatching(async () => ({ count: 1 }), true);
    await expect(dispatch(RETRY, {}, ANA)).rejects.toThrow('the ledger is away');
    expect(called).toEqual([]);
  });
});

describe('input and output', () => {
  it.each<[string, unknown]>([
    ['an unknown field', { limits: 3 }],
    ['a wrong type', { limit: 'many' }],
    ['a number out of range', { limit: 0 }],
    ['no object', null],
    ['a list', []],
    ['a polluted prototype', JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}')],
  ])('%s is refused, and nothing is called', async (_, input) => {
    const { dispatch, called } = dispatching(async () => ({ events: [], next: null }));
    await expect(dispatch('GET /outbox', input, ANA)).rejects.toMatchObject({ kind: 'invalid' });
    expect(called).toEqual([]);
  });

  it('a refusal names the field and never the value', async () => {
    const { dispatch } = dispatching(async () => ({}));
    const error = await dispatch('GET /outbox', { account: 5_511_987_654_321 }, ANA).catch((e: Error) => e);
    expect((error as Error).message).toMatch(/^account: /);
    expect((error as Error).message).not.toContain('987654321');
  });

  it.each<[Route, object]>([
    ['GET /outbox', { account: 'a\0b' }],
    ['GET /outbox', { sinks: ['bus', '\0'] }],
    ['GET /audit', { from: '0000-01-01T00:00:00Z' }],
    ['GET /audit', { from: '2026-11-23T10:00:00+23:59' }],
    ['GET /syncs/{sync}/rows', { sync: 'leads', row: 2 ** 31 }],
    ['GET /syncs/{sync}/progress', { sync: 'leads', execution: 'nobody' }],
  ])('%s refuses what no ledger stores: %j', async (route, input) => {
    const { dispatch, called } = dispatching(async () => ({}));
    await expect(dispatch(route, input, { ...ANA, role: 'admin' })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'INPUT',
    });
    expect(called).toEqual([]);
  });

  it.each(['2026-11-23T10:00:00Z', '2026-02-28T00:00:00.123+14:00', '0001-01-01T00:00:00-03:00'])(
    'the time %s is taken',
    async (from) => {
      const { dispatch } = dispatching(async () => ({ lines: [], next: null }));
      expect(await dispatch('GET /audit', { from }, { ...ANA, role: 'admin' })).toMatchObject({ lines: [] });
    },
  );

  it.each<[string, string | null, string]>([
    ['a ledger that refuses connections', 'ECONNREFUSED', 'unavailable'],
    ['a pool without a connection', null, 'unavailable'],
    ['a ledger that shuts down', '57P01', 'unavailable'],
    ['a full disk', '53100', 'unavailable'],
    ['a statement that is wrong', '42601', 'failed'],
    ['a constraint that nobody expected', '23505', 'failed'],
  ])('%s is %s: %s', async (_, code, kind) => {
    const cause = Object.assign(new Error('no'), code === null ? {} : { code });
    const { dispatch } = dispatching(() => Promise.reject(new LedgerError(cause)));
    await expect(dispatch('GET /sinks', {}, ANA)).rejects.toMatchObject({ kind });
  });

  it('a Temporal server that is away is unavailable', async () => {
    const grpc = Object.assign(new Error('14 UNAVAILABLE'), { code: 14, details: '', metadata: {} });
    const { dispatch } = dispatching(() => Promise.reject(new ServiceError('Failed', { cause: grpc })));
    await expect(dispatch('GET /sinks', {}, ANA)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'TEMPORAL',
    });
  });

  it('what the contract does not name stays in the server', async () => {
    const secret = { sinks: [], password: 'hunter2' };
    const { dispatch } = dispatching(async () => secret);
    expect(await dispatch('GET /sinks', {}, ANA)).toEqual({ sinks: [] });
  });

  it('an unexpected error tells the caller nothing about its cause', async () => {
    const { dispatch } = dispatching(() => Promise.reject(new TypeError('55 11 98765-4321 is broken')));
    const error = await dispatch('GET /sinks', {}, ANA).catch((e: Error) => e);
    expect(error).toMatchObject({ kind: 'failed' });
    expect((error as Error).message).not.toContain('98765');
  });
});

describe('the contract', () => {
  it.each(Object.entries(ENDPOINTS))(
    '%s is written as the server and the client read it',
    (route, endpoint) => {
      expect(route).toMatch(/^(GET|POST|PUT|PATCH|DELETE) (\/[a-z0-9-]+|\/\{\w+\})+$/);
      const fields = Object.keys((endpoint.input as z.ZodObject).shape);
      for (const [, name] of route.matchAll(/\{(\w+)\}/g)) expect(fields).toContain(name);
      for (const name of (endpoint as { audit?: readonly string[] }).audit ?? [])
        expect(fields).toContain(name);
      expect(endpoint.summary).toMatch(/^[A-Z].*\.$/);
      // Path parameters, search texts and reasons reach proxies' logs if they are in a URL.
      if (route.startsWith('GET '))
        for (const personal of ['phone', 'number', 'email']) expect(fields).not.toContain(personal);
    },
  );
});
