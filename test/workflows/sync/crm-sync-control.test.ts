// Pausing, resuming, cancelling and restarting a sync: what the operator reads is what the service saw.
import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { reportRun } from '../../../src/jobs/sync/store/run-report.ts';
import { pauseUpdate, resumeUpdate } from '../../../workflows/messages.ts';
import type { Environment } from '../../support/environment.ts';
import { effects } from '../../support/panel.ts';
import {
  HEADER,
  plainRows,
  progressOf,
  type SyncHandle,
  sumOf,
  syncContext,
} from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const { inEnvironment } = syncContext();

const BY = { by: 'ana', reason: 'lunch' };
const pause = (handle: SyncHandle) => handle.executeUpdate(pauseUpdate, { args: [BY] });
const resume = (handle: SyncHandle) => handle.executeUpdate(resumeUpdate, { args: [BY] });
/** So many people make it worth a call to see who is there. */
const MANY = 20;
const SLOW = { kind: 'delay', ms: 150 };

/** Waits until the service has answered so many calls. */
async function untilCalls(environment: Environment, count: number): Promise<void> {
  await until(
    `${count} calls were answered`,
    async () => (await environment.panel.requests()).length >= count,
  );
}

/** The log must not grow while Temporal does something else for a while. */
async function expectStill(environment: Environment, handle: SyncHandle): Promise<void> {
  const before = await environment.panel.requests();
  for (let n = 0; n < 40; n++) await progressOf(handle);
  expect(await environment.panel.requests()).toEqual(before);
}

/** Each of `count` people has one contact and one card, each made by one effect. */
async function expectEachOnce(environment: Environment, count: number): Promise<void> {
  const { contacts, cards } = await environment.panel.account();
  expect(contacts).toHaveLength(count);
  expect(new Set(cards.map(({ contactId }) => contactId)).size).toBe(count);
  const all = await environment.panel.requests();
  expect(effects(all, 'POST', /cards$/)).toHaveLength(count);
  // Of many people that nobody knows the card's call makes the contact too.
  const upserts = effects(all, 'POST', /contacts$/).length;
  expect(upserts).toBe(count < MANY ? count : 0);
}

describe('a pause', () => {
  it('FAULTS 23: after its answer nothing new goes out; resume repeats nothing', async () => {
    await inEnvironment({ csv: plainRows(12, 'New'), sync: { concurrency: 4 } }, async (environment) => {
      await environment.panel.fault(SLOW);
      const handle = await environment.start();
      await untilCalls(environment, 5);
      expect(await pause(handle)).toMatchObject({ paused: BY });
      await expectStill(environment, handle);
      expect((await progressOf(handle)).done).toBeLessThan(12);
      await environment.panel.clearFaults();
      expect(await resume(handle)).toMatchObject({ paused: null });
      expect(await handle.result()).toMatchObject({ read: 12, created: 12, cards: 12, pending: 0 });
      await expectEachOnce(environment, 12);
    });
  });

  it('FAULTS 23: while the account is being read is answered only when that call has ended', async () => {
    await inEnvironment({ csv: plainRows(2, 'New') }, async (environment) => {
      await environment.panel.fault({ path: '^/v1/pipelines', kind: 'delay', ms: 1500 });
      const handle = await environment.start();
      await until('the pipelines were asked for', async () => {
        const { raw } = await handle.describe();
        return raw.pendingActivities?.some(
          ({ state, activityType }) => activityType?.name === 'readPipelines' && state === 2,
        );
      });
      await pause(handle);
      const { raw } = await handle.describe();
      expect(raw.pendingActivities ?? []).toEqual([]);
      await expectStill(environment, handle);
      await environment.panel.clearFaults();
      await resume(handle);
      expect(await handle.result()).toMatchObject({ created: 2, cards: 2 });
    });
  });

  it('resumed before it was answered, again and again → the run continues, whatever was under way', async () => {
    await inEnvironment({ csv: plainRows(1), deadlineMs: 500 }, async (environment) => {
      await environment.panel.fault({ path: '^/v1/contacts$', kind: 'hang' });
      const handle = await environment.start();
      const impatience = async () => {
        const asked = await handle.startUpdate(pauseUpdate, { args: [BY], waitForStage: 'ACCEPTED' });
        await resume(handle);
        await asked.result();
      };
      for (let n = 1; n <= 3; n++) {
        await untilCalls(environment, n);
        await impatience();
      }
      await environment.panel.clearFaults();
      expect(await handle.result()).toMatchObject({ created: 1, failed: 0, pending: 0 });
    });
  });

  it('resumed before it was answered, while the account is being read → the run continues', async () => {
    const people = Array.from({ length: 3 }, (_, n) => `11 98765-432${n},P${n},,,,,\n`).join('');
    await inEnvironment({ csv: HEADER + people, deadlineMs: 500 }, async (environment) => {
      await environment.panel.fault({ method: 'GET', path: '^/v1/contacts$', kind: 'hang' });
      const handle = await environment.start();
      await untilCalls(environment, 1);
      const asked = await handle.startUpdate(pauseUpdate, { args: [BY], waitForStage: 'ACCEPTED' });
      await resume(handle);
      await asked.result();
      await environment.panel.clearFaults();
      expect(await handle.result()).toMatchObject({ created: 3, failed: 0, pending: 0 });
    });
  });
});

describe('a long run', () => {
  it('FAULTS 22: continues as new in time; pauses around that moment are kept and nothing is done twice', async () => {
    const people = 50;
    await inEnvironment({ csv: plainRows(people, 'New'), sync: { concurrency: 2 } }, async (environment) => {
      await environment.panel.fault({ kind: 'delay', ms: 150 });
      const handle = await environment.start();
      const first = (await handle.describe()).runId;
      let at = 0;
      let done = 0;
      // A pause every so often, so that some come right before, in and after a continue-as-new.
      while ((await progressOf(handle)).phase !== 'ended') {
        at += 10;
        const calls = await until('more calls, or the end', async () => {
          const { length } = await environment.panel.requests();
          return length >= at || (await progressOf(handle)).phase === 'ended' ? length : null;
        });
        at = Math.max(at, calls);
        // The run may end meanwhile: a paused one too, when nothing is left to do.
        const answer = await pause(handle).catch((error: Error) => error);
        if (answer instanceof Error) break;
        expect(answer).toMatchObject({ paused: BY, read: people, total: people });
        expect(answer.done).toBeGreaterThanOrEqual(done);
        done = answer.done;
        // A run of batches has a short history: commands make it long.
        for (let n = 0; n < 24; n++) await pause(handle).catch(() => undefined);
        await expectStill(environment, handle);
        expect((await progressOf(handle)).paused).toMatchObject(BY);
        if ((await resume(handle).catch((error: Error) => error)) instanceof Error) break;
      }
      expect(await handle.result()).toMatchObject({ read: people, created: people, cards: people });
      expect((await handle.describe()).runId).not.toBe(first);
      await expectEachOnce(environment, people);
    });
  });
});

describe('a cancellation', () => {
  it('FAULTS 25: stays, with exact counts; the next run does the rest and no more', async () => {
    await inEnvironment(
      { csv: `${plainRows(12, 'New')}x,Nobody,,,,,\n`, sync: { concurrency: 3 } },
      async (environment) => {
        // A cancellation reaches a batch within a second or two: by then some calls have to be left.
        await environment.panel.fault({ kind: 'delay', ms: 500 });
        const handle = await environment.start();
        await untilCalls(environment, 8);
        await pause(handle);
        await resume(handle);
        await untilCalls(environment, 10);
        await handle.cancel();
        await expect(handle.result()).rejects.toThrow(WorkflowFailedError);
        const { status } = await handle.describe();
        expect(status.name).toBe('CANCELLED');
        const report = await reportRun(environment.db, 'acme/leads/1');
        const { contacts, cards } = await environment.panel.account();
        expect(report).toMatchObject({ read: 13, rejected: 1, failed: 0, unknown: 0 });
        expect(report.pending).toBeGreaterThan(0);
        expect(sumOf(report)).toBe(13);
        // Whoever is not pending has all, whoever is pending lacks something.
        expect(report.created).toBe(cards.length);
        expect(report.created).toBeLessThanOrEqual(contacts.length);
        expect(report.calls).toBe((await environment.panel.requests()).length);

        await environment.panel.clearFaults();
        expect(await environment.run()).toMatchObject({
          read: 13,
          rejected: 1,
          pending: 0,
          failed: 0,
          unknown: 0,
        });
        await expectEachOnce(environment, 12);
      },
    );
  });
});

describe('a sync that is started again while it runs', () => {
  it('FAULTS 20: is the same run', async () => {
    await inEnvironment({ csv: HEADER + plainRows(6, 'New').slice(HEADER.length) }, async (environment) => {
      await environment.panel.fault(SLOW);
      const handles = await Promise.all(Array.from({ length: 8 }, () => environment.start()));
      const reports = await Promise.all(handles.map((handle) => handle.result()));
      expect(new Set(reports.map(({ run }) => run))).toEqual(new Set(['acme/leads/1']));
      expect(reports[0]).toMatchObject({ created: 6, cards: 6 });
      await expectEachOnce(environment, 6);
    });
  });
});
