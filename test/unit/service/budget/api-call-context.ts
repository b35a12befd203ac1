// An account with two tokens, against a service whose panel says what they may do.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { callApi } from '../../../../activities/shared/api-call.ts';
import type { AccountAccess, Deps } from '../../../../activities/shared/deps.ts';
import { LANES } from '../../../../src/core/lanes.ts';
import type { Scope } from '../../../../src/core/scopes.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/server.ts';
import { MessagingClient } from '../../../../src/service/api-client/client.ts';
import { createBudget } from '../../../../src/service/budget/slots.ts';
import { type TestCallCounter, testCallCounter } from '../../../support/call-counter.ts';
import { panelOf } from '../../../support/panel.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { specOf } from '../../core/sql/support.ts';
import { freshToken, planOf } from './slots-support.ts';

export let db: Database;
let calls: TestCallCounter;
let sandbox: Sandbox;
let dir: string;
let clients: MessagingClient[];
export let run: string;
export const said: object[] = [];
/** Call it at the top of a test file: it starts and ends the service and the ledger. */
export function useTwoTokens(): void {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sluice-tokens-'));
    const scopes = ['contacts:write', 'cards:write'];
    sandbox = await startSandbox({
      port: 0,
      dataDir: dir,
      fixture: { accounts: [{ id: 'acme', tokens: ['svc_a', 'svc_b'].map((value) => ({ value, scopes })) }] },
      rate: 0,
    });
    clients = ['svc_a', 'svc_b'].map((token) => new MessagingClient({ baseUrl: sandbox.baseUrl, token }));
    db = await testLedger();
    calls = testCallCounter(db);
    run = (await openRun(db, specOf('acme', 'leads'))).id;
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await calls.close();
    await sandbox.close();
    await db.close();
    await rm(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    said.length = 0;
    await db.query('delete from run_warnings');
    await panel().clearFaults();
  });
}

export const panel = () => panelOf(sandbox.panelUrl);
export const tokens = (a: object, b: object) =>
  panel().patch({
    tokens: [
      { value: 'svc_a', ...a },
      { value: 'svc_b', ...b },
    ],
  });
export const ALL = { scopes: ['contacts:write', 'cards:write'], revoked: false };

/** An account of its own, so that nothing is known of its tokens yet. */
export function context() {
  const access = clients.map((client, n) => ({ client, key: freshToken(), position: n + 1 }));
  const account: AccountAccess = {
    name: 'acme',
    tokens: access,
    tokenKey: freshToken(),
    settleSeconds: 1,
    announce: [],
    optOut: { tags: [], words: [] },
  };
  const never = () => {
    throw new Error('not used here');
  };
  const deps = {
    db,
    spec: never,
    openSource: never,
    compileMapping: never,
    sink: never,
    account: () => account,
    budget: createBudget(db, () => planOf(60_000)),
    calls,
    log: { info() {}, warn: (fields: object) => said.push(fields), error: console.error },
  } as unknown as Deps;
  const at = (lane: number) => new MockActivityEnvironment({ priority: { priorityKey: lane } });
  const tags = async (scope: Scope = 'contacts:read', beforeSend?: () => Promise<boolean>) =>
    await at(LANES.lead).run(() =>
      callApi(deps, account, run, scope, (client, options) => client.tags.list(options), beforeSend),
    );
  /** How the service answered since the last check, by its own log. */
  let seen = 0;
  const answers = async () => {
    const all = await panel().requests(seen);
    seen = all.at(-1)?.seq ?? seen;
    return all.map(({ status }) => status);
  };
  return { deps, account, tags, answers, at };
}
