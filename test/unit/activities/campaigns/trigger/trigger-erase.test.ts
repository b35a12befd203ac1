// Erasing people while a batch triggers them: a trigger is never cut off, and none begins after the erasure.
import { setTimeout as delay } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import pLimit from 'p-limit';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createTriggerBatchActivities } from '../../../../../activities/campaigns/trigger/batch.ts';
import { LANES } from '../../../../../src/core/lanes.ts';
import {
  type Erasure,
  eraseLateCalls,
  erasePerson,
  PersonInUseError,
} from '../../../../../src/protect/person/erase-person.ts';
import { until } from '../../../../support/until.ts';
import { tablesWith } from '../../../operator/store/somebody.ts';
import { openTriggerContext, type Person } from './trigger-context.ts';

const context = await openTriggerContext();
afterAll(context.close);
beforeEach(context.fresh);

const logger = new DefaultLogger('ERROR');

function begin(run: string) {
  const env = new MockActivityEnvironment({ priority: { priorityKey: LANES.campaign } }, { logger });
  const { triggerBatch } = createTriggerBatchActivities(context.worker().deps);
  return env.run(triggerBatch, { run, alone: false, pacePerMinute: null, resumes: 0 });
}

const erase = ({ member }: Person) => erasePerson(context.db, 'acme', `m${member}`);

/** As an operator who repeats the command. */
async function eraseWhenFree(person: Person): Promise<Erasure> {
  for (;;) {
    try {
      const erased = await erase(person);
      if (erased === null) throw new Error('nobody was erased');
      return erased;
    } catch (error) {
      if (!(error instanceof PersonInUseError)) throw error;
      await delay(2);
    }
  }
}

const statesOf = async (run: string) =>
  await context.db.query<{ state: string; code: string | null; key: string | null; n: number }>(
    'select state, code, key, count(*)::int as n from campaign_members where run_id = $1 group by 1, 2, 3 order by 1',
    [run],
  );

const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

describe('erasing during a batch of triggers', () => {
  it('is refused while the trigger is in flight, and done after it', async () => {
    const { run, members } = await context.wave([1]);
    const [person] = members as [Person];
    await context.panel.fault({ path: '/v1/flows/trigger', kind: 'delay', ms: 300 });
    const batch = begin(run);
    await until('the call is in progress', () => context.fired());
    const refused = await erase(person).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PersonInUseError);
    expect((refused as Error).message).not.toContain(person.key);
    await batch;
    expect(await statesOf(run)).toEqual([{ state: 'triggered', code: null, key: person.key, n: 1 }]);
    const erased = await erase(person);
    expect(erased).toMatchObject({ anonymized: { campaign_members: 1 } });
    // The call reached the log before the batch ended, or is still in memory.
    await context.callLog.flush();
    await eraseLateCalls(context.db, (erased as Erasure).person);
    expect(await tablesWith(context.db, [person.key])).toEqual([]);
    expect(await context.runsOf(person)).toHaveLength(1);
  });

  it('of somebody who waits leaves nobody to trigger', async () => {
    const { run, members } = await context.wave(range(10, 2));
    const [gone, other] = members as [Person, Person];
    await erase(gone);
    await begin(run);
    expect(await statesOf(run)).toEqual([
      { state: 'skipped', code: 'ERASED', key: null, n: 1 },
      { state: 'triggered', code: null, key: other.key, n: 1 },
    ]);
    expect(await context.runsOf(gone)).toEqual([]);
  });

  it('of everybody at once: each is triggered and then erased, or skipped and never called', async () => {
    const { run, members } = await context.wave(range(20, 40));
    await context.panel.fault({ path: '/v1/flows/trigger', kind: 'delay', ms: 30 });
    const batch = begin(run);
    await until('the first call is in progress', () => context.fired());
    // Not more at a time than leave the batch a connection of the pool.
    const limit = pLimit(8);
    const erasures = await Promise.all(members.map((member) => limit(eraseWhenFree, member)));
    await batch;
    const states = await statesOf(run);
    expect(states.map(({ key }) => key).filter((key) => key !== null)).toEqual([]);
    const count = (state: string) => states.find((each) => each.state === state)?.n ?? 0;
    expect(count('triggered') + count('skipped')).toBe(40);
    expect(await context.calls()).toBe(count('triggered'));
    // Calls reach the log a moment after they ended.
    await context.callLog.flush();
    for (const { person } of erasures) await eraseLateCalls(context.db, person);
    const keys = members.map(({ key }) => key);
    expect(await tablesWith(context.db, keys)).toEqual([]);
  });
});
