// A run whose batches have to stop, or are cut off: what one of them finds out reaches the other, nothing that was found is
// hidden, and each record counts once.
import proto from '@temporalio/proto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { createSyncBatchActivities } from '../../../activities/sync/sync-batch.ts';
import { createSyncPlanActivities } from '../../../activities/sync/sync-plan.ts';
import type { EndCounts } from '../../../src/jobs/sync/contract/run.ts';
import { pauseUpdate, progressQuery, resumeUpdate } from '../../../workflows/messages.ts';
import { dyingDatabase } from '../../support/postgres/dying-database.ts';
import { emptyLedger } from '../../support/postgres/ledger.ts';
import { lateRefusals } from '../../support/reshaped/late-refusals.ts';
import { ignoreField, type Rule } from '../../support/reshaped/reshaped-service.ts';
import {
  HEADER,
  plainRows,
  progressOf,
  type SyncHandle,
  syncContext,
  untilPaused,
} from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const { inEnvironment } = syncContext();
const UPSERT = /^POST \/v1\/contacts$/;
const READ = /^GET \/v1\/contacts\/\d+$/;
const BY = { by: 'ana', reason: 'lunch' };

/** Rows whose first upsert is read back: extra info is in no answer. */
const withExtra = (count: number) => plainRows(count).replaceAll(',,,,,\n', ',,,ACME,,\n');

/** A batch beside another one. */
const BATCH = { stopped: 0, verified: -1, alone: false, verifies: true, resumes: 0 };

const ASKED_TO_STOP =
  proto.temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED;

/** Waits until each batch has sent three heartbeats since it was asked to stop: the answers to them carry the request. */
async function untilStopped(handle: SyncHandle): Promise<void> {
  const beats = new Map<string, Set<string>>();
  await until('the batches know that they must stop', async () => {
    const activities = (await handle.describe()).raw.pendingActivities ?? [];
    for (const { activityId, state, lastHeartbeatTime } of activities) {
      if (state !== ASKED_TO_STOP) continue;
      const seen = beats.get(activityId as string) ?? new Set();
      beats.set(activityId as string, seen.add(JSON.stringify(lastHeartbeatTime)));
    }
    return (
      activities.length > 0 &&
      activities.every(({ activityId }) => (beats.get(activityId as string)?.size ?? 0) > 3)
    );
  });
}

describe('a batch that must halt', () => {
  it('reaches the batch beside it, however long its own calls take', async () => {
    const PLACES = 4;
    const slow = Promise.withResolvers<void>();
    const everyOther = Promise.withResolvers<void>();
    let underWay = 0;
    const rule: Rule = {
      on: UPSERT,
      async answer({ body }, call) {
        const last = Number((call.body as { number: string }).number.slice(-4));
        if (last > 2008) {
          if (++underWay === PLACES - 1) everyOther.resolve();
          await slow.promise;
        }
        if (last !== 2008) return;
        // By then every other place has a slow call under way.
        await everyOther.promise;
        body.contact.number = '14155559999';
      },
    };
    const options = { csv: plainRows(30), sync: { concurrency: PLACES }, shape: [rule] };
    await inEnvironment(options, async (environment) => {
      const handle = await environment.start();
      expect(await untilPaused(handle)).toContain('OTHER_PERSON');
      // From then on whatever is under way comes to its answer, and nothing follows.
      await untilStopped(handle);
      const writes = environment.service?.writes().length;
      slow.resolve();
      await until('no batch is left', async () => (await handle.query(progressQuery)).running.length === 0);
      expect(environment.service?.writes()).toHaveLength(writes ?? 0);
    });
  });
});

it('a refusal that arrives after the resume does not pause the run again', async () => {
  const refusals = lateRefusals(UPSERT);
  const options = { csv: plainRows(30), sync: { concurrency: 4 }, shape: [refusals.rule] };
  await inEnvironment(options, async (environment) => {
    const handle = await environment.start();
    await until('two batches are in progress', async () => {
      const { running } = await handle.query(progressQuery);
      return running.length === 2;
    });
    refusals.refuse(4);
    await untilPaused(handle);
    refusals.serve();
    await handle.executeUpdate(resumeUpdate, { args: [BY] });
    await refusals.release();
    expect(await handle.result()).toMatchObject({ created: 30, failed: 0 });
  });
});

describe('a difference that is found while an operator has paused the run', () => {
  it('pauses the run again when it is resumed, and counts as accepted only after that', async () => {
    const shown = Promise.withResolvers<void>();
    let reads = 0;
    const rule: Rule = {
      on: READ,
      async answer() {
        if (++reads === 2) await shown.promise;
      },
    };
    const options = { csv: withExtra(3), shape: [ignoreField(UPSERT, 'extraInfo'), rule] };
    await inEnvironment(options, async (environment) => {
      const handle = await environment.start();
      await until('the write is checked', () => reads === 2);
      const pause = await handle.startUpdate(pauseUpdate, { args: [BY], waitForStage: 'ACCEPTED' });
      shown.resolve();
      expect(await pause.result()).toMatchObject({ paused: BY });
      const again = await handle.executeUpdate(resumeUpdate, { args: [BY] });
      expect(again.paused).toMatchObject({ by: 'sluice', code: 'NOT_AS_WRITTEN' });
      expect(await handle.executeUpdate(resumeUpdate, { args: [BY] })).toMatchObject({ paused: null });
      expect(await handle.result()).toMatchObject({ created: 3, failed: 0 });
    });
  });
});

describe('the progress of a run', () => {
  it.each([
    ['an internal error', { status: 500 }],
    ['a refusal', { status: 404, body: { error: 'no', code: 'ERR_NO_CONTACT_FOUND' } }],
  ])(
    'counts a record once, as the ledger has it, when the check of its last write ends in %s',
    async (_, fault) => {
      await inEnvironment({ csv: withExtra(3) }, async (environment) => {
        await environment.panel.fault({
          method: 'GET',
          path: 'contacts/',
          kind: 'status',
          times: 1,
          ...fault,
        });
        const handle = await environment.start();
        expect(await handle.result()).toMatchObject({ created: 3, failed: 0, unknown: 0 });
        expect(await progressOf(handle)).toMatchObject({ done: 3, created: 3, failed: 0 });
      });
    },
  );

  const kills = [8, 12, 16, 20, 24, 28].flatMap((statement) =>
    ['another attempt', 'the next batch'].map((then) => [statement, then] as const),
  );
  it.each(kills)(
    'FAULTS 16: counts each record once when a batch is killed at statement %d and %s goes on',
    async (statement, then) => {
      await inEnvironment({ csv: HEADER + plainRows(6).slice(HEADER.length) }, async (environment) => {
        const { deps, db } = environment;
        const plan = createSyncPlanActivities(deps);
        const attempt = <R>(n: number, work: () => Promise<R>) =>
          new MockActivityEnvironment({ attempt: n, activityId }).run(work) as Promise<R>;
        let activityId = 'batch-1';
        await emptyLedger(db);
        const { run } = await attempt(1, () => plan.openRun({ account: 'acme', sync: 'leads' }));
        await attempt(1, () => plan.planPage({ run }));
        const input = { ...BATCH, run, concurrencyLimit: 2 };
        const dying = dyingDatabase(db, statement);
        const doomed = createSyncBatchActivities({ ...deps, db: dying });
        await attempt(1, () => doomed.syncBatch(input)).catch((error: unknown) => {
          if (!dying.dead) throw error;
        });
        const [ended] = await db.query<{ n: number }>(
          "select count(*)::int as n from run_records where status <> 'pending'",
        );
        const { syncBatch } = createSyncBatchActivities(deps);
        let counted = 0;
        const count = ({ created = 0, updated = 0 }: EndCounts) => {
          counted += created + updated;
        };
        if (then === 'the next batch') {
          count(await attempt(1, () => plan.takeBackRecords({ run, batch: 'batch-1' })));
          expect(counted).toBe(ended?.n);
          const leased = await db.query(
            "select 1 from run_records where status = 'pending' and holder is not null",
          );
          expect(leased).toEqual([]);
          activityId = 'batch-2';
          count(await attempt(1, () => syncBatch(input)));
        } else count(await attempt(2, () => syncBatch(input)));
        expect(counted).toBe(6);
      });
    },
  );
});

it('FAULTS 23: a batch that was taken back while its worker stalled takes no further record', async () => {
  await inEnvironment({ csv: plainRows(12) }, async ({ deps, db, panel }) => {
    const plan = createSyncPlanActivities(deps);
    const { syncBatch } = createSyncBatchActivities(deps);
    await emptyLedger(db);
    const stalled = new MockActivityEnvironment({ activityId: 'batch-1' });
    const other = new MockActivityEnvironment({ activityId: 'batch-2' });
    const later = <R>(work: () => Promise<R>) => other.run(work) as Promise<R>;
    const { run } = await later(() => plan.openRun({ account: 'acme', sync: 'leads' }));
    await later(() => plan.planPage({ run }));
    const input = { ...BATCH, run, concurrencyLimit: 1 };
    const working = stalled.run(() => syncBatch(input));
    const { length } = await panel.requests();
    await until('it calls', async () => (await panel.requests()).length > length);
    const back = await later(() => plan.takeBackRecords({ run, batch: 'batch-1' }));
    const { created, updated } = await later(() => syncBatch(input));
    expect((back.created ?? 0) + (back.updated ?? 0) + created + updated).toBe(12);
    stalled.cancel();
    await working;
  });
});
