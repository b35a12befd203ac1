// The CRM sync while the service loses answers: everybody once, every card once, and the truth in the report.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../../src/config/load.ts';
import { followSync } from '../../../src/jobs/sync/commands/follow-sync.ts';
import { account, type Environment } from '../../support/environment.ts';
import { openTestOperator } from '../../support/operator/operator.ts';
import { effects } from '../../support/panel.ts';
import { HEADER, plainRows, sumOf, syncContext, untilTrouble } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const context = syncContext();
const { inEnvironment } = context;

const CARDS = '^/v1/cards$';
const NO_CARDS = { requestId: 'r', count: 0, hasMore: false, totalValue: 0, cards: [] };
const INTERNAL = { kind: 'status', status: 500 };

/** Card creations that had an effect. */
async function creations(environment: Environment): Promise<number> {
  return effects(await environment.panel.requests(), 'POST', /^\/v1\/cards$/).length;
}

/** One of each: with a record for each fault and all under way at once, each fault meets another record. */
const LOST_ANSWERS = [
  { kind: 'reset-after' },
  { kind: 'reset-before' },
  INTERNAL,
  { kind: 'html' },
  { kind: 'truncate' },
  { kind: 'hang' },
];

/** Arms one fault of each kind; answers a check that each was met. */
async function armAll(environment: Environment, where: object, faults: readonly object[]): Promise<void> {
  for (const fault of faults) await environment.panel.fault({ ...where, times: 1, ...fault });
}

async function met(environment: Environment, method: string, path: RegExp): Promise<string[]> {
  const seen = (await environment.panel.requests()).filter(
    (each) => each.method === method && path.test(each.path),
  );
  return seen.flatMap(({ fault }) => fault ?? []).sort();
}

const EVERY_KIND = ['hang', 'html', 'reset-after', 'reset-before', 'status', 'truncate'];

/** Finds the workflow of this environment, whose id has a prefix, under every id. */
function clientOf(workflowId: string): Client {
  const { client } = context.temporal;
  const getHandle = (_: string, run?: string) => client.workflow.getHandle(workflowId, run);
  return Object.create(client, { workflow: { value: { getHandle } } }) as Client;
}

describe('a service that does not answer', () => {
  it('is reported once to those who follow the run, and the run continues when it is back', async () => {
    await inEnvironment({ csv: `${HEADER}+1 415 555 2000,Ana,,crm,,,\n` }, async (environment) => {
      await environment.panel.fault({ method: 'GET', path: '^/v1/tags$', kind: 'reset-before' });
      const lines: string[] = [];
      const progress = { update: () => {}, finish: () => {}, line: (text: string) => lines.push(text) };
      const { signal } = new AbortController();
      const handle = await environment.start();
      const { firstExecutionRunId: execution } = handle;
      const config = { spec: () => ({ account: 'acme' }) } as unknown as LoadedConfig;
      const operator = await openTestOperator({
        db: environment.db,
        temporal: clientOf(handle.workflowId),
        config,
      });
      const { client } = operator;
      const followed = followSync({ client, execution, progress, signal, attended: true, sync: 'leads' });
      await until('the trouble is named', () => lines.length > 0);
      await environment.panel.clearFaults();
      expect(await followed).toMatchObject({ read: 1, created: 1, failed: 0 });
      expect(lines).toEqual([expect.stringMatching(/^retrying: GET \/v1\/tags: .*\[TRANSPORT_RESET\]$/)]);
      await operator.close();
    });
  });
});

describe('a card whose answer was lost', () => {
  it('FAULTS 1, 4, 5, 6, 9: by reset, internal error, HTML, cut JSON, silence → one card each, counted once', async () => {
    await inEnvironment(
      { csv: plainRows(8, 'New'), settleSeconds: 1, deadlineMs: 500 },
      async (environment) => {
        await armAll(environment, { method: 'POST', path: CARDS }, LOST_ANSWERS);
        expect(await environment.run()).toMatchObject({
          read: 8,
          created: 8,
          failed: 0,
          unknown: 0,
          cards: 8,
        });
        expect(await met(environment, 'POST', /cards$/)).toEqual([...EVERY_KIND].sort());
        expect(
          new Set((await environment.panel.account()).cards.map(({ contactId }) => contactId)).size,
        ).toBe(8);
        expect(await creations(environment)).toBe(8);
        expect(await environment.run()).toMatchObject({ unchanged: 8, calls: 0 });
      },
    );
  });

  it('FAULTS 14: accepted without a card, which never shows → unknown, never sent again', async () => {
    await inEnvironment({ csv: plainRows(1, 'New'), settleSeconds: 1 }, async (environment) => {
      await environment.panel.fault({
        method: 'POST',
        path: CARDS,
        times: 1,
        kind: 'status',
        status: 201,
        body: { requestId: 'r', card: 'created' },
      });
      expect(await environment.run()).toMatchObject({ created: 0, failed: 0, unknown: 1, cards: 0 });
      const [row] = await environment.db.query("select code from run_records where status = 'unknown'");
      expect(row).toEqual({ code: 'NOT_SHOWN' });
      expect(
        (await environment.requests()).filter(
          ({ method, path }) => method === 'POST' && path.endsWith('/cards'),
        ),
      ).toHaveLength(1);
    });
  });

  it('FAULTS 2: with the read-back down too → unknown, not sent again; the next run finds and adopts it', async () => {
    await inEnvironment({ csv: plainRows(1, 'New') }, async (environment) => {
      await environment.panel.fault({ method: 'POST', path: CARDS, kind: 'reset-after', times: 1 });
      await environment.panel.fault({ method: 'GET', path: CARDS, ...INTERNAL });
      const handle = await environment.start();
      await untilTrouble(handle, 'HTTP_500');
      // Eleven failed read-backs take minutes, so the test writes them into the ledger.
      await environment.db.query('update run_records set attempts = 11');
      const report = await handle.result();
      expect(report).toMatchObject({ read: 1, created: 0, failed: 0, unknown: 1, cards: 0 });
      expect(await environment.db.query('select state from intents')).toEqual([{ state: 'unknown' }]);
      expect(await creations(environment)).toBe(1);

      await environment.panel.clearFaults();
      expect(await environment.run()).toMatchObject({ read: 1, failed: 0, unknown: 0, cards: 0 });
      expect(await creations(environment)).toBe(1);
      expect(await environment.run()).toMatchObject({ unchanged: 1, calls: 0 });
    });
  });

  it('FAULTS 3: and the read-back lags behind → still one card', async () => {
    await inEnvironment({ csv: plainRows(1, 'New'), settleSeconds: 2 }, async (environment) => {
      await environment.panel.fault({ method: 'POST', path: CARDS, kind: 'reset-after', times: 1 });
      await environment.panel.fault({
        method: 'GET',
        path: CARDS,
        times: 1,
        kind: 'status',
        status: 200,
        body: NO_CARDS,
      });
      expect(await environment.run()).toMatchObject({ created: 1, unknown: 0, cards: 1 });
      expect(await creations(environment)).toBe(1);
    });
  });

  it('FAULTS 14: and the read-back shows a card that cannot be read → no second card', async () => {
    const unreadable = { ...NO_CARDS, count: 1, cards: [{ title: 'without id' }] };
    await inEnvironment({ csv: plainRows(1, 'New'), settleSeconds: 0 }, async (environment) => {
      await environment.panel.fault({ method: 'POST', path: CARDS, kind: 'reset-after', times: 1 });
      await environment.panel.fault({
        method: 'GET',
        path: CARDS,
        kind: 'status',
        status: 200,
        body: unreadable,
      });
      expect(await environment.run()).toMatchObject({ read: 1, failed: 0, unknown: 1 });
      expect(await creations(environment)).toBe(1);
      await environment.panel.clearFaults();
      expect(await environment.run()).toMatchObject({ failed: 0, unknown: 0 });
      expect(await creations(environment)).toBe(1);
    });
  });

  it('each time it is created → set aside as unknown after three calls, never a fourth', async () => {
    await inEnvironment({ csv: plainRows(1, 'New'), settleSeconds: 0 }, async (environment) => {
      await environment.panel.fault({ method: 'POST', path: CARDS, kind: 'reset-before' });
      expect(await environment.run()).toMatchObject({ read: 1, unknown: 1, failed: 0, cards: 0 });
      const tried = (await environment.requests()).filter(
        (each) => each.method === 'POST' && /cards/.test(each.path),
      );
      expect(tried).toHaveLength(3);
    });
  });
});

describe('a card that certainly was not created', () => {
  it('FAULTS 4: refused connections → tried again without reading back, one card', async () => {
    await inEnvironment({ csv: plainRows(1, 'New') }, async (environment) => {
      // The 429 holds the creation back until the service has gone.
      const wait = {
        status: 429,
        body: { error: 'wait', code: 'ERR_RATE_LIMITED' },
        headers: { 'Retry-After': '2' },
      };
      await environment.panel.fault({ method: 'POST', path: CARDS, kind: 'status', times: 1, ...wait });
      const handle = await environment.start();
      await until('the creation was sent away', async () =>
        (await environment.panel.requests()).some(({ status }) => status === 429),
      );
      const bringBack = await environment.outage();
      await untilTrouble(handle, 'TRANSPORT_CONNECT');
      await bringBack();
      expect(await handle.result()).toMatchObject({ created: 1, cards: 1, unknown: 0 });
      const seen = await environment.requests();
      expect(effects(seen, 'POST', /^\/v1\/cards$/)).toHaveLength(1);
      expect(seen.filter(({ method, path }) => method === 'GET' && path === '/v1/cards')).toEqual([]);
    });
  });
});

describe('moves whose answers were lost', () => {
  it("by reset, internal error, HTML, cut JSON, silence → each stage's automation runs once", async () => {
    await inEnvironment(
      { csv: plainRows(7, 'New'), settleSeconds: 1, deadlineMs: 500 },
      async (environment) => {
        await environment.run();
        await environment.write(plainRows(7, 'Talking'));
        await armAll(environment, { method: 'PATCH', path: '/stage$' }, LOST_ANSWERS);
        expect(await environment.run()).toMatchObject({ updated: 7, unknown: 0, failed: 0 });
        expect(await met(environment, 'PATCH', /stage$/)).toEqual(EVERY_KIND);
        const moved = effects(await environment.requests(), 'PATCH', /stage$/).map(({ path }) => path);
        expect(moved).toHaveLength(7);
        expect(new Set(moved).size).toBe(7);
        expect((await environment.panel.account()).cards.every(({ stageId }) => stageId === 12)).toBe(true);
        expect(await environment.run()).toMatchObject({ unchanged: 7, calls: 0 });
      },
    );
  });
});

describe('reads and upserts', () => {
  it('FAULTS 5, 6, 9: internal error, reset, HTML, cut JSON, silence → tried again; nobody failed, nobody twice', async () => {
    const people = Array.from({ length: 7 }, (_, n) => `11 98765-432${n},P${n},,crm,,,\n`).join('');
    await inEnvironment({ csv: HEADER + people, deadlineMs: 500 }, async (environment) => {
      await environment.panel.fault({ path: '^/v1/tags', times: 1, kind: 'html' });
      await environment.panel.fault({ method: 'GET', path: '^/v1/contacts$', times: 1, kind: 'hang' });
      await armAll(environment, { method: 'POST', path: '^/v1/contacts$' }, LOST_ANSWERS);
      await armAll(environment, { method: 'PUT', path: '/tags$' }, LOST_ANSWERS);
      const report = await environment.run();
      expect(report).toMatchObject({ read: 7, created: 7, failed: 0, unknown: 0 });
      expect(sumOf(report)).toBe(report.read);
      expect(await met(environment, 'POST', /contacts$/)).toEqual(EVERY_KIND);
      expect(await met(environment, 'PUT', /tags$/)).toEqual(EVERY_KIND);
      const { contacts } = await environment.panel.account();
      expect(contacts).toHaveLength(7);
      expect(contacts.every(({ tagIds }) => tagIds[0] === 1)).toBe(true);
      expect(await environment.run()).toMatchObject({ unchanged: 7, calls: 0 });
    });
  });

  it('an upsert whose first attempts were lost, of a person that somebody else then made with a card → no second card', async () => {
    await inEnvironment({ csv: plainRows(1, 'New') }, async (environment) => {
      await environment.panel.fault({ method: 'POST', path: '^/v1/contacts$', kind: 'reset-before' });
      const handle = await environment.start();
      await untilTrouble(handle, 'TRANSPORT_RESET');
      await environment.panel.patch({
        contacts: [{ id: 50, number: '14155552000', name: 'by hand' }],
        cards: [{ id: 60, contactId: 50, pipelineId: 1, stageId: 12, title: 'by hand' }],
      });
      await environment.panel.clearFaults();
      await handle.result();
      expect((await environment.panel.account()).cards).toMatchObject([{ id: 60 }]);
    });
  });

  it('FAULTS 10: a redirect to another host → not followed, the token stays, the record waits', async () => {
    const seen: unknown[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers);
      response.end('{}');
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    try {
      const Location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/wapi/v1/contacts`;
      await inEnvironment({ csv: plainRows(1) }, async (environment) => {
        await environment.panel.fault({
          method: 'POST',
          path: '^/v1/contacts$',
          kind: 'status',
          times: 1,
          status: 307,
          headers: { Location },
        });
        expect(await environment.run()).toMatchObject({ created: 1, failed: 0 });
        expect(seen).toEqual([]);
      });
    } finally {
      await new Promise((done) => other.close(done));
    }
  });

  it('FAULTS 13, 14: one refused record fails alone, and an upsert whose answer shows no contact is read back', async () => {
    const connections = [{ id: 1, name: 'main', channel: 'whatsapp', status: 'CONNECTED' }];
    const fixture = account({ connections, numbersNotOnNetwork: ['14155552001'] });
    const sync = { validateNumber: true, concurrency: 1 };
    await inEnvironment({ csv: plainRows(4), account: fixture, sync }, async (environment) => {
      await environment.panel.fault({
        method: 'POST',
        path: '^/v1/contacts$',
        kind: 'status',
        times: 1,
        status: 200,
        body: { requestId: 'r', created: true, contact: { id: 'x' } },
      });
      const report = await environment.run();
      expect(report).toMatchObject({ read: 4, created: 3, failed: 1 });
      expect(sumOf(report)).toBe(4);
      expect(
        await environment.db.query(
          "select row_no, code, reason from run_records where status = 'failed' order by row_no",
        ),
      ).toMatchObject([{ row_no: 2, code: 'ERR_NUMBER_NOT_ON_WHATSAPP' }]);
    });
  });
});
