// The CRM sync on a token that is over its limit, refused or lacks scopes: the run waits, and nobody fails for it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { crmSync } from '../../../workflows/crm-sync.ts';
import { pauseUpdate, resumeUpdate } from '../../../workflows/messages.ts';
import { account, type Environment } from '../../support/environment.ts';
import { callNames as asked } from '../../support/panel.ts';
import {
  HEADER,
  plainRows,
  progressOf,
  type SyncHandle,
  syncContext,
  untilPaused,
} from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const context = syncContext();
const { inEnvironment } = context;

const LIMITED = { error: 'too many', code: 'ERR_RATE_LIMITED' };
const token = (over: object) => ({
  tokens: [{ value: 'svc_test_token', scopes: ['contacts:write', 'cards:write'], ...over }],
});
const resume = (handle: SyncHandle) =>
  handle.executeUpdate(resumeUpdate, { args: [{ by: 'ana', reason: 'mended' }] });

describe('FAULTS 7: a storm of 429', () => {
  /** Epoch seconds in a moment: the header's value when the window ends soon. */
  const soon = () => String(Math.floor(Date.now() / 1000) + 2);
  const cases: [string, () => Record<string, string>, { times: number; atLeastMs: number }][] = [
    ['seconds', () => ({ 'Retry-After': '1' }), { times: 3, atLeastMs: 1000 }],
    [
      'a date',
      () => ({ 'Retry-After': new Date(Date.now() + 2500).toUTCString() }),
      { times: 1, atLeastMs: 500 },
    ],
    ['missing', () => ({ 'X-RateLimit-Reset': soon() }), { times: 1, atLeastMs: 200 }],
    [
      'garbage',
      () => ({ 'Retry-After': 'apples', 'X-RateLimit-Reset': soon() }),
      { times: 1, atLeastMs: 200 },
    ],
  ];
  it('with Retry-After in seconds, as a date, missing, garbage → the whole token waits, no record fails', async () => {
    await inEnvironment({ csv: '', sync: { concurrency: 4 } }, async (environment) => {
      const rows: string[] = [];
      for (const [n, [name, headers, { times, atLeastMs }]] of cases.entries()) {
        for (let i = 0; i < 12; i++) rows.push(`+1 415 555 2${n}${10 + i},P${i},,,,,\n`);
        await environment.write(HEADER + rows.join(''));
        await environment.requests();
        const fault = { kind: 'status', status: 429, body: LIMITED, times, headers: headers() };
        await environment.panel.fault({ method: 'POST', path: '^/v1/contacts$', ...fault });
        expect(await environment.run(), name).toMatchObject({ created: 12, unchanged: n * 12, failed: 0 });
        const seen = (await environment.requests()).map(({ at, status }) => ({ at: Date.parse(at), status }));
        const refused = seen.filter(({ status }) => status === 429).map(({ at }) => at);
        expect(refused, name).toHaveLength(times);
        expect(seen, name).toHaveLength(12 + times);
        // What was under way when the first refusal came still goes out: at most as much as the run holds at once.
        const first = Math.min(...refused);
        const meanwhile = seen.filter(({ at }) => at > first && at < first + atLeastMs);
        expect(meanwhile.length, name).toBeLessThanOrEqual(4);
      }
    });
  });
});

describe('FAULTS 12: a token that is refused', () => {
  it('in the middle of a run → the run pauses itself with the reason; after a resume, all is exact', async () => {
    await inEnvironment({ csv: plainRows(10, 'New'), sync: { concurrency: 3 } }, async (environment) => {
      await environment.panel.fault({ kind: 'delay', ms: 60 });
      const handle = await environment.start();
      await until('some are done', async () => (await progressOf(handle)).done >= 2);
      await environment.panel.patch(token({ revoked: true }));
      expect(await untilPaused(handle)).toMatch(/ERR_TOKEN_REVOKED/);
      await until('what was under way has ended', async () => {
        const { raw } = await handle.describe();
        return (raw.pendingActivities ?? []).length === 0;
      });
      const refused = (await environment.panel.requests()).filter(({ status }) => status === 401).length;
      expect(refused).toBeLessThanOrEqual(3);
      expect((await progressOf(handle)).paused?.again).toBeUndefined();
      // Resumed too early: blocked again, which the run says, and nobody fails.
      await resume(handle);
      expect(await untilPaused(handle)).toMatch(/ERR_TOKEN_REVOKED/);
      const { at = '', again } = (await progressOf(handle)).paused ?? {};
      expect(again).toEqual({ by: 'ana', at: expect.any(String) });
      expect(Date.parse(at)).toBeGreaterThanOrEqual(Date.parse(again?.at ?? ''));

      await environment.panel.patch(token({ revoked: false }));
      await resume(handle);
      expect(await handle.result()).toMatchObject({
        read: 10,
        created: 10,
        cards: 10,
        failed: 0,
        pending: 0,
      });
      const { contacts, cards } = await environment.panel.account();
      expect(contacts).toHaveLength(10);
      expect(new Set(cards.map(({ contactId }) => contactId)).size).toBe(10);
      expect(cards).toHaveLength(10);
    });
  });

  it('again after a resume with which the run continued as new → it names the resume', async () => {
    await inEnvironment({ csv: plainRows(10, 'New'), sync: { concurrency: 3 } }, async (environment) => {
      await environment.panel.fault({ kind: 'delay', ms: 60 });
      const handle = await environment.start();
      await until('some are done', async () => (await progressOf(handle)).done >= 2);
      await environment.panel.patch(token({ revoked: true }));
      await untilPaused(handle);
      const first = (await handle.describe()).runId;
      // A run of batches has a short history: commands without an effect make it long.
      for (let n = 0; n < 75; n++)
        await handle.executeUpdate(pauseUpdate, { args: [{ by: 'ben', reason: 'lunch' }] });
      await resume(handle);
      await until('the run has continued as new', async () => (await handle.describe()).runId !== first);
      expect(await untilPaused(handle)).toMatch(/ERR_TOKEN_REVOKED/);
      expect((await progressOf(handle)).paused?.again).toEqual({ by: 'ana', at: expect.any(String) });
      await environment.panel.patch(token({ revoked: false }));
      await resume(handle);
      expect(await handle.result()).toMatchObject({ read: 10, created: 10, failed: 0, pending: 0 });
    });
  });

  const firstCalls: [string, string, object, object, RegExp][] = [
    [
      'expired before the first call',
      plainRows(2, 'New'),
      { expiresAt: '2020-01-01T00:00:00.000Z' },
      { expiresAt: null },
      /ERR_TOKEN_EXPIRED/,
    ],
    [
      'without the scope to write contacts',
      plainRows(2, 'New'),
      { scopes: ['contacts:read', 'cards:write'] },
      { scopes: ['contacts:write', 'cards:write'] },
      /ERR_SCOPE_MISSING/,
    ],
    [
      'without any scope for contacts',
      `${HEADER}11 98765-4321,A,,,,New,\n11 98765-4322,B,,,,New,\n`,
      { scopes: ['cards:write'] },
      { scopes: ['contacts:write', 'cards:write'] },
      /ERR_SCOPE_MISSING/,
    ],
  ];
  for (const [name, csv, before, after, reason] of firstCalls) {
    it(`${name} → the run waits with the reason; nobody fails`, async () => {
      await inEnvironment(
        { csv, account: account(token(before)), sync: { concurrency: 1 } },
        async (environment) => {
          const handle = await environment.start();
          expect(await untilPaused(handle)).toMatch(reason);
          expect((await environment.panel.requests()).filter(({ status }) => status >= 400)).toHaveLength(1);
          await environment.panel.patch(token(after));
          await resume(handle);
          expect(await handle.result()).toMatchObject({ created: 2, cards: 2, failed: 0, pending: 0 });
        },
      );
    });
  }

  it('for the list of tags only → the step stops; the next run with permission sets the tags', async () => {
    await inEnvironment({ csv: `${HEADER}+1 415 555 2671,A,,crm,,,\n` }, async (environment) => {
      const body = { error: 'no', code: 'ERR_SCOPE_MISSING', requiredScope: 'contacts:read' };
      await environment.panel.fault({ path: '^/v1/tags', kind: 'status', status: 403, body });
      const report = await environment.run();
      expect(report).toMatchObject({ created: 1, failed: 0, pending: 0 });
      expect(report.warnings.map(({ code }) => code)).toEqual(['ERR_SCOPE_MISSING']);
      await environment.panel.clearFaults();
      await environment.run();
      expect((await environment.panel.account()).contacts).toMatchObject([{ tagIds: [1] }]);
      expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
    });
  });
});

async function answerUpsert(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks = await request.toArray();
  const { number, name } = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as Record<string, string>;
  const at = new Date().toISOString();
  const empty = { email: null, document: null, profilePicUrl: null, disableBot: false, tags: [] };
  const contact = { id: 1, number, name, channel: 'whatsapp', createdAt: at, updatedAt: at, ...empty };
  response.writeHead(201).end(JSON.stringify({ requestId: 'r', created: true, contact }));
}

describe('a service that never answers', () => {
  it('blocks its own account only: the sync of another one goes on', async () => {
    const owner = new Set<ServerResponse>();
    // Nobody is there yet; the first to be made is answered, so that others follow, and is the last to be.
    let first = true;
    const server = createServer((request, response) => {
      if (request.method === 'POST' && first) {
        first = false;
        void answerUpsert(request, response);
      } else if (request.method === 'POST') owner.add(response.on('close', () => owner.delete(response)));
      else response.end('{"requestId":"r","count":0,"hasMore":false,"contacts":[]}');
    });
    await new Promise<void>((listening) => {
      server.listen(0, '127.0.0.1', listening);
    });
    const { port } = server.address() as { port: number };
    const tokens = ['env:OTHER_TOKEN'];
    const slow = { baseUrl: `http://127.0.0.1:${port}/wapi`, tokens, callsPerMinute: 60_000 };
    const sync = { account: 'slow', source: 'leads', mapping: 'leads', concurrency: 200 };
    const options = { csv: plainRows(100), more: { accounts: { slow }, syncs: { slow: sync } } };
    await inEnvironment(options, async (environment) => {
      const stuck = await context.temporal.client.workflow.start<typeof crmSync>('crmSync', {
        workflowId: `${environment.workQueue}/slow`,
        taskQueue: environment.workQueue,
        args: [{ account: 'slow', sync: 'slow' }],
      });
      await until('it holds calls of the other account', () => owner.size >= 16);
      expect(await environment.run()).toMatchObject({ created: 100, failed: 0, pending: 0 });
      await stuck.terminate();
      server.close();
      server.closeAllConnections();
    });
  });
});

describe('what the snapshot of the account costs', () => {
  const people = (count: number) =>
    HEADER + Array.from({ length: count }, (_, n) => `11 98765-43${10 + n},P${n},,,,,\n`).join('');
  const strangers = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: n + 1, number: `1415555${1000 + n}`, name: `S${n}` }));

  async function readsOf(environment: Environment): Promise<string[]> {
    await environment.run();
    return asked((await environment.requests()).filter(({ method }) => method === 'GET'));
  }

  it('five people against two hundred contacts → two pages instead of five look-ups', async () => {
    await inEnvironment(
      { csv: people(5), account: account({ contacts: strangers(200) }) },
      async (environment) => {
        expect(await readsOf(environment)).toEqual(['GET /v1/contacts', 'GET /v1/contacts']);
        expect((await environment.panel.account()).contacts).toHaveLength(205);
      },
    );
  });

  it('two people against four hundred contacts → one page that shows the count, and two look-ups', async () => {
    await inEnvironment(
      { csv: people(2), account: account({ contacts: strangers(400) }) },
      async (environment) => {
        expect(await readsOf(environment)).toHaveLength(3);
        expect((await environment.panel.account()).contacts).toHaveLength(402);
      },
    );
  });

  it('one person → one look-up and no snapshot', async () => {
    await inEnvironment(
      { csv: people(1), account: account({ contacts: strangers(150) }) },
      async (environment) => {
        expect(await readsOf(environment)).toHaveLength(1);
      },
    );
  });

  it('FAULTS 15: a contact that slips between two pages is looked up: no second one with a ninth digit', async () => {
    const old = { id: 500, number: '551187654310', name: 'Old' };
    const contacts = [...strangers(199), old];
    await inEnvironment({ csv: people(5), account: account({ contacts }) }, async (environment) => {
      const at = '2026-01-01T00:00:00.000Z';
      const view = (each: object) => ({
        email: null,
        document: null,
        channel: 'whatsapp',
        profilePicUrl: null,
        disableBot: false,
        tags: [],
        createdAt: at,
        updatedAt: at,
        ...each,
      });
      // The second page begins with the last contact of the first one, and the old contact has moved to the front.
      const pages = [contacts.slice(0, 100), contacts.slice(99, 199)];
      for (const page of pages) {
        const body = { requestId: 'r', count: 200, hasMore: page === pages[0], contacts: page.map(view) };
        const fault = { method: 'GET', path: '^/v1/contacts$', kind: 'status', status: 200, body, times: 1 };
        await environment.panel.fault(fault);
      }
      expect(await environment.run()).toMatchObject({ created: 4, updated: 1 });
      expect((await environment.panel.account()).contacts).toHaveLength(204);
    });
  });
});
