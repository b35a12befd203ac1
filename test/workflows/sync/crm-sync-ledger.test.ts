// The CRM sync when its own ledger goes away, when an attempt outlives its timeout, and what others get to see of it.
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { runContext, type StepResult, stepContext } from '../../../activities/records/record-step.ts';
import { placeOf } from '../../../activities/records/record-work.ts';
import { runStep } from '../../../activities/records/run-step.ts';
import type { Database, Queryable } from '../../../src/core/sql/database.ts';
import { accountLists } from '../../../src/core/store/catalog.ts';
import { STEP_BITS } from '../../../src/jobs/sync/constants.ts';
import { loadRecord } from '../../../src/jobs/sync/store/due-records.ts';
import { LeaseLostError } from '../../../src/jobs/sync/store/records.ts';
import { getRun } from '../../../src/jobs/sync/store/runs.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import { type OperatorCommand, pauseUpdate, resumeUpdate } from '../../../workflows/messages.ts';
import { account } from '../../support/environment.ts';
import { effects } from '../../support/panel.ts';
import { HEADER, plainRows, type SyncHandle, sumOf, syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const { inEnvironment } = syncContext();

/** A database whose connection can be cut: every statement then fails, those in a transaction too. */
function breakable(db: Database): { db: Database; cut(): void; mend(): void; failures(): number } {
  let broken = false;
  let failures = 0;
  const guarded = (inner: Queryable): Queryable => ({
    async query<Row>(sql: string, params?: readonly unknown[]) {
      if (broken) {
        failures++;
        throw Object.assign(new Error('connection terminated'), { params });
      }
      return await inner.query<Row>(sql, params);
    },
  });
  return {
    db: {
      kind: db.kind,
      ...guarded(db),
      transaction: (work) => db.transaction((tx) => work(guarded(tx))),
      close: () => db.close(),
    },
    cut: () => void (broken = true),
    mend: () => void (broken = false),
    failures: () => failures,
  };
}

const silent = { info() {}, warn() {}, error() {} };

describe('a ledger that goes away', () => {
  it('FAULTS 27: in the middle of calls → the run waits, then everybody is there once', async () => {
    let line: ReturnType<typeof breakable> | undefined;
    const wrap = (db: Database) => {
      line = breakable(db);
      return line.db;
    };
    const sync = { concurrency: 4 };
    await inEnvironment(
      { csv: plainRows(10, 'New'), settleSeconds: 1, sync, wrap, log: silent },
      async (environment) => {
        await environment.panel.fault({ method: 'POST', kind: 'delay', ms: 100 });
        const handle = await environment.start();
        for (const calls of [4, 10]) {
          await until('calls went out', async () => (await environment.panel.requests()).length >= calls);
          const before = line?.failures() ?? 0;
          line?.cut();
          // Of what was under way something has run into the wall, and has tried again: tries are further and further apart.
          await until('work has failed', () => (line?.failures() ?? 0) >= before + 4);
          line?.mend();
        }
        const report = await handle.result();
        expect(report).toMatchObject({ read: 10, created: 10, cards: 10, failed: 0, unknown: 0, pending: 0 });
        const { contacts, cards } = await environment.panel.account();
        expect(contacts).toHaveLength(10);
        expect(cards).toHaveLength(10);
        expect(new Set(cards.map(({ contactId }) => contactId)).size).toBe(10);
        expect(effects(await environment.requests(), 'POST', /cards$/)).toHaveLength(10);
      },
    );
  });
});

describe('an attempt that outlives its timeout', () => {
  it('FAULTS 17: leaves one card, however the next attempts overlap it', async () => {
    await inEnvironment({ csv: plainRows(1), settleSeconds: 5, deadlineMs: 2000 }, async (environment) => {
      await environment.run();
      // The same person once more, now with a card: a record in the state in which its card is to be created.
      await environment.write(plainRows(1, 'New'));
      await environment.panel.fault({ path: '^/v1/cards$', kind: 'hang' });
      const handle = await environment.start();
      await until('the run got to the card', async () =>
        (await environment.panel.requests()).some(({ path }) => path === '/v1/cards'),
      );
      await handle.terminate('its worker is lost');
      await environment.panel.clearFaults();
      await environment.db.query(
        'update run_records set todo = $1, status = $2, holder = null where run_id = $3',
        [STEP_BITS.createCard, 'pending', 'acme/leads/2'],
      );
      const [row] = await environment.db.query<{ id: number }>(
        "select id from run_records where run_id = 'acme/leads/2'",
      );
      await environment.panel.fault({
        method: 'POST',
        path: '^/v1/cards$',
        kind: 'delay',
        ms: 400,
        times: 1,
      });
      const { deps } = environment;
      const run = runContext(deps, await getRun(environment.db, 'acme/leads/2'), accountLists('acme'));
      const attempt = async (step: 'createCard' | 'readBackCard'): Promise<StepResult> => {
        const c = stepContext(run, await loadRecord(environment.db, placeOf(run), row?.id ?? 0));
        return await new MockActivityEnvironment().run(() => runStep(deps, step, c));
      };
      const results = await Promise.all([1, 2, 3].map(() => attempt('createCard')));
      expect(results.filter(({ cardCreated }) => cardCreated)).toHaveLength(1);
      await attempt('createCard');
      await attempt('readBackCard');
      expect(effects(await environment.panel.requests(), 'POST', /cards$/)).toHaveLength(1);
      expect((await environment.panel.account()).cards).toHaveLength(1);
    });
  });
});

describe('a batch that lost its lease', () => {
  const TODO = STEP_BITS.lookup | STEP_BITS.upsertContact;

  it.each(['lookup', 'upsertContact'] as const)(
    'FAULTS 17: writes nothing of an answer that comes after that, be it to %s',
    async (step) => {
      await inEnvironment({ csv: plainRows(1) }, async (environment) => {
        await environment.run();
        const { db } = environment;
        const record = {
          key: '14155552000',
          contact: { number: '14155552000', name: 'Other' },
          tags: [],
          extraInfo: [],
        };
        const [row] = await db.query<{ id: number }>(
          "update run_records set status = 'pending', todo = $1, payload = $2, holder = 'late' returning id",
          [TODO, JSON.stringify(record)],
        );
        await db.query("update people set seen = null, hash_contact = ''");
        let calls = 0;
        const deps = { ...environment.deps, calls: { ...environment.deps.calls, count: () => void calls++ } };
        await environment.panel.fault({ path: '^/v1/contacts$', kind: 'delay', ms: 300 });
        const before = (await environment.panel.requests()).length;
        const run = runContext(deps, await getRun(db, 'acme/leads/1'), accountLists('acme'));
        const c = stepContext(run, await loadRecord(db, placeOf(run), row?.id ?? 0));
        const late = new MockActivityEnvironment().run(() => runStep(deps, step, c));
        const ended = expect(late).rejects.toThrow(LeaseLostError);
        await until('the call is under way', () => calls > 0);
        await db.query("update run_records set holder = 'next'");
        await ended;
        expect((await environment.panel.requests()).length).toBe(before + 1);
        const [person] = await db.query('select seen, hash_contact from people');
        expect(person).toEqual({ seen: null, hash_contact: '' });
        const [left] = await db.query('select todo, holder from run_records');
        expect(left).toEqual({ todo: TODO, holder: 'next' });
        // A write that has not begun does not go out.
        const again = new MockActivityEnvironment().run(() => runStep(deps, 'upsertContact', c));
        await expect(again).rejects.toThrow(LeaseLostError);
        expect((await environment.panel.requests()).length).toBe(before + 1);
      });
    },
  );
});

/** Everything in a value as text; bytes are read as UTF-8, so that payloads are searched. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, part]) => `${key}: ${textOf(part)}`)
    .join('\n');
}

describe('personal data and tokens', () => {
  it('FAULTS 50: are in no history, memo, search attribute, failure or log line, whatever goes wrong', async () => {
    const canaries = ['8765000', 'Canaria', 'canary@', 'svc_test_token', 'Kanarien'];
    const lines: string[] = [];
    const log = createLogger({ level: 'trace', destination: { write: (text) => lines.push(text) } });
    let line: ReturnType<typeof breakable> | undefined;
    const wrap = (db: Database) => {
      line = breakable(db);
      return line.db;
    };
    const person = (last: number) =>
      `11 98765-000${last},Canaria ${last},canary@${last}.example,crm|nonesuch,Kanarien GmbH,New,\n`;
    const csv = `${HEADER}${person(1)}${person(2)}${person(3)}${person(4)}11 98765-0001x,Canaria,canary@,,,,\n`;
    const connections = [{ id: 1, name: 'main', channel: 'whatsapp', status: 'CONNECTED' }];
    const fixture = account({ connections, numbersNotOnNetwork: ['5511987650002'] });
    const options = {
      csv,
      account: fixture,
      sync: { validateNumber: true },
      settleSeconds: 1,
      deadlineMs: 600,
    };
    await inEnvironment({ ...options, wrap, log }, async (environment) => {
      const echo = 'Canaria 5511987650001 canary@1.example svc_test_token';
      const faults = [
        { method: 'POST', path: 'contacts$', kind: 'status', status: 500, body: { error: echo } },
        { method: 'POST', path: 'contacts$', kind: 'status', status: 200, body: echo },
        { method: 'POST', path: 'contacts$', kind: 'hang' },
        { method: 'PUT', path: 'tags$', kind: 'status', status: 503, body: { error: echo, code: echo } },
        { method: 'POST', path: 'cards$', kind: 'reset-after' },
        { method: 'GET', path: '^/v1/cards$', kind: 'status', status: 500, body: echo },
        {
          method: 'GET',
          path: 'contacts$',
          kind: 'status',
          status: 401,
          body: { error: echo, code: 'ERR_TOKEN_REVOKED' },
        },
      ];
      for (const fault of faults) await environment.panel.fault({ times: 1, ...fault });
      const handle: SyncHandle = await environment.start();
      await until('the token was refused', async () =>
        (await environment.panel.requests()).some(({ status }) => status === 401),
      );
      const command: { args: [OperatorCommand] } = { args: [{ by: 'ana', reason: 'look' }] };
      await handle.executeUpdate(pauseUpdate, command);
      line?.cut();
      await handle.executeUpdate(resumeUpdate, command);
      await until('the ledger was missed', () => (line?.failures() ?? 0) > 2);
      const midway = await handle.describe();
      line?.mend();
      const report = await handle.result();
      expect(report).toMatchObject({ read: 5, created: 3, failed: 1, rejected: 1, unknown: 0 });
      expect(sumOf(report)).toBe(5);
      const reported = {
        history: textOf(await handle.fetchHistory()),
        midway: textOf(midway.raw),
        after: textOf((await handle.describe()).raw),
        logs: lines.join(''),
      };
      // The input stands in a payload, the reason in a failure: both would be seen.
      expect(reported.history).toContain('"account":"acme"');
      expect(reported.history).toContain('ERR_TOKEN_REVOKED');
      expect(reported.logs).toContain('ERR_NUMBER_NOT_ON_WHATSAPP');
      for (const [where, text] of Object.entries(reported)) {
        for (const canary of canaries) expect(text.includes(canary), `${canary} in ${where}`).toBe(false);
      }
    });
  });
});
