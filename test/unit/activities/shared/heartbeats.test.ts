// A worker that is lost is known by its missing heartbeats, so every activity sends them for as long as it works.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { createLedgerActivities } from '../../../../activities/index.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { partOf, testDeps } from '../../../support/activities/deps.ts';

/** A ledger that answers nothing until it is closed. */
function hangingLedger() {
  const closed = Promise.withResolvers<never>();
  const db = partOf<Database>('db', {
    kind: 'postgres',
    query: () => closed.promise,
    transaction: () => closed.promise,
  });
  return { db, close: () => closed.reject(new Error('closed')) };
}

const logger = new DefaultLogger('ERROR');

it.each(['planPage', 'closeRun', 'takeBackRecords', 'decideNext'] as const)(
  '%s sends heartbeats while the ledger does not answer',
  async (name) => {
    const { db, close } = hangingLedger();
    const environment = new MockActivityEnvironment({}, { logger });
    const beat = new Promise((resolve) => environment.once('heartbeat', resolve));
    const deps = testDeps({ db, clock: { now: async () => 0 } });
    const activity = createLedgerActivities(deps)[name] as (input: unknown) => Promise<unknown>;
    const done = environment.run(activity, { run: 'r', batch: 'b', command: {}, id: 'i' });

    await Promise.race([beat, done]);
    close();
    await expect(done).rejects.toThrow('closed');
  },
);
