// What stops a running campaign, and what keeps it from ending.
import { describe, expect, it } from 'vitest';
import { testLedger } from '../../../../support/postgres/ledger.ts';
import {
  type ContextOptions,
  type DecisionContext,
  decisionContext,
  HOUR,
  NOON,
} from './decision-context.ts';

const db = await testLedger();

const UTC = 'Etc/UTC';
const people = (count: number, zones = UTC) => Array.from({ length: count }, () => zones);

async function running(options: ContextOptions): Promise<DecisionContext> {
  const context = await decisionContext(db, options);
  await context.open();
  return context;
}

describe('stop rules', () => {
  const config = { waves: { size: 2, settle: '10m' }, stop: { failed: 0.4, atLeast: 2 } };

  it('pause the campaign once the wave is judged; the pause outlives a lost response, and a resume continues', async () => {
    const context = await running({ members: people(4), config });
    await context.next();
    await context.all({ state: 'failed', code: 'ERR_X' });
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'settle' });
    context.clock.at += HOUR / 6;
    const pause = await context.next();
    expect(pause).toMatchObject({ do: 'pause', code: 'STOP_RULE', wave: 1 });
    expect((pause as { reason: string }).reason).toMatch(
      /^STOP_RULE: wave 1: 2 of 2 members \(100 ?%\) failed/,
    );
    // The worker died before it could say so.
    expect(await context.next()).toEqual(pause);
    expect(await context.open()).toMatchObject({
      paused: { by: 'sluice', code: 'STOP_RULE', reason: expect.stringMatching(/^STOP_RULE: wave 1/) },
    });
    await context.command({ action: 'resume' });
    expect(await context.next()).toMatchObject({ do: 'triggerBatch', wave: 2 });
    expect((await context.waves())[0]).toMatchObject({ broken: [{ code: 'STOP_FAILED' }] });
  });

  it('judge the last wave, too, but there is nobody left to be spared', async () => {
    const context = await running({ members: people(2), config });
    await context.next();
    await context.all({ state: 'failed', code: 'ERR_X' });
    await context.next();
    context.clock.at += HOUR / 6;
    expect(await context.next()).toMatchObject({ do: 'finish' });
    expect((await context.waves())[0]).toMatchObject({ broken: [{ code: 'STOP_FAILED' }] });
  });

  it('see the failures of members that an operator has tried again', async () => {
    const context = await running({ members: people(4), config });
    await context.next();
    await context.all({ state: 'failed', code: 'ERR_X' });
    await context.next();
    expect(await context.command({ action: 'retry', codes: null })).toEqual({ members: 2 });
    expect(await context.next()).toMatchObject({ do: 'triggerBatch', wave: 2 });
    context.clock.at += HOUR / 6;
    expect(await context.next()).toMatchObject({ do: 'pause', code: 'STOP_RULE' });
  });
});

describe('never finished with somebody left', () => {
  it('FAULTS 24: a reboot in a wave leaves members that wait, or whose call is not over: the run stays open', async () => {
    const context = await running({ members: people(3), config: { waves: { settle: '0s' } } });
    const { members } = await context.batch();
    await context.outcome(members[0] as number, { state: 'triggered' });
    await context.outcome(members[1] as number, { state: 'sending', sentAgo: 10 });
    expect(await context.close()).toBe(false);
    // The workflow starts again.
    await context.open();
    await context.next();
    expect(await context.all()).toEqual([3]);
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'retry', untilMs: NOON + 30_000 });
    expect(await context.close()).toBe(false);
    await db.query("update campaign_members set sent_at = sent_at - interval '51 seconds' where id = $1", [
      members[1],
    ]);
    expect(await context.next()).toMatchObject({
      do: 'finish',
      counts: { triggered: 2, unknown: 1, waiting: 0, sending: 0 },
    });
    expect([await context.close(), await context.close()]).toEqual([true, true]);
    expect(await context.row()).toMatchObject({ state: 'finished', ended_at: new Date(NOON) });
    expect((await context.audit()).map(({ id }) => id)).toEqual(['start', 'finish/1']);
  });

  it('somebody who waits in a wave that is over comes again', async () => {
    const context = await running({ members: people(1), config: { waves: { settle: '0s' } } });
    await context.next();
    await context.all();
    expect(await context.next()).toMatchObject({ do: 'finish' });
    await db.query("update campaign_members set state = 'waiting' where run_id = $1", [context.run]);
    expect(await context.close()).toBe(false);
    expect(await context.next()).toMatchObject({ do: 'triggerBatch', wave: 2 });
  });

  it('a run without anybody to trigger ends at once', async () => {
    const context = await running({ members: [], others: ['excluded', 'holdout'] });
    expect(await context.next()).toMatchObject({ do: 'finish', wave: null });
    expect(await context.close()).toBe(true);
  });

  it('a run whose audience is still being read does not end', async () => {
    const context = await running({ members: [], others: ['found'] });
    expect(await context.close()).toBe(false);
  });
});
