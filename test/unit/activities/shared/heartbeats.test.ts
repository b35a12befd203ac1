// A worker that is lost is known by its missing heartbeats, so every activity sends them for as long as it works.
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, it } from 'vitest';
import { createApiActivities, createLedgerActivities } from '../../../../activities/index.ts';
import type { Deps } from '../../../../activities/shared/deps.ts';

/** A ledger that answers nothing until it is closed. */
function hangingLedger() {
  const closed = Promise.withResolvers<never>();
  const db = { kind: 'postgres', query: () => closed.promise, transaction: () => closed.promise };
  return { db, close: () => closed.reject(new Error('closed')) };
}

const activities = (db: unknown) => {
  const deps = {
    db,
    clock: { now: async () => 0 },
    calls: { flush: async () => {} },
    log: console,
    sinkNames: [],
  };
  return {
    ...createLedgerActivities(deps as unknown as Deps),
    ...createApiActivities(deps as unknown as Deps),
  };
};

it.each(['planPage', 'closeRun', 'takeBackRecords', 'decideNext', 'campaignCommand', 'readTags'] as const)(
  '%s sends heartbeats while the ledger does not answer',
  async (name) => {
    const { db, close } = hangingLedger();
    const environment = new MockActivityEnvironment();
    const beat = new Promise((resolve) => environment.once('heartbeat', resolve));
    const activity = activities(db)[name] as (input: unknown) => Promise<unknown>;
    const ended = environment
      .run(activity, { run: 'r', batch: 'b', command: {}, id: 'i' })
      .catch(() => 'ended');
    await beat;
    close();
    expect(await ended).toBe('ended');
  },
);
