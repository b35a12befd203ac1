// An account with two tokens, against a service whose panel says what they may do.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { callApi } from '../../../../activities/shared/api-call.ts';
import { LANES } from '../../../../src/core/lanes.ts';
import type { Scope } from '../../../../src/core/scopes.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import type { MessagingClient } from '../../../../src/service/api-client/client.ts';
import { createBudget } from '../../../../src/service/budget/slots.ts';
import { testAccount, testDeps, testLog } from '../../../support/activities/deps.ts';
import { openService } from '../../../support/activities/service.ts';
import { specOf } from '../../core/sql/support.ts';
import { freshToken, planOf } from './slots-support.ts';

export let db: Database;
let service: Awaited<ReturnType<typeof openService>>;
let clients: MessagingClient[];
export let run: string;
export const said: object[] = [];
/** Call it at the top of a test file: it starts and ends the service and the ledger. */
export function useTwoTokens(): void {
  beforeAll(async () => {
    const scopes = ['contacts:write', 'cards:write'];
    service = await openService({
      id: 'acme',
      tokens: ['svc_a', 'svc_b'].map((value) => ({ value, scopes })),
    });
    clients = ['svc_a', 'svc_b'].map((token) => service.client({ token }));
    ({ db } = service);
    run = (await openRun(db, specOf('acme', 'leads'))).id;
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    said.length = 0;
    await db.query('delete from run_warnings');
    await panel().clearFaults();
  });
}

export const panel = () => service.panel;
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
  const account = testAccount(undefined, { tokens: access, tokenKey: freshToken(), settleSeconds: 1 });
  const deps = testDeps({
    db,
    account: () => account,
    budget: createBudget(db, () => planOf(60_000)),
    calls: service.calls,
    log: testLog(said),
  });
  const at = (lane: number) => new MockActivityEnvironment({ priority: { priorityKey: lane } });
  const tags = async (scope: Scope = 'contacts:read', beforeSend?: () => Promise<boolean>) =>
    await at(LANES.lead).run(() =>
      callApi(deps, account, run, scope, (client, options) => client.tags.list(options), beforeSend),
    );
  /** How the service answered since the last check, by its own log. */
  const answers = async () => (await service.requests()).map(({ status }) => status);
  return { deps, account, tags, answers, at };
}
