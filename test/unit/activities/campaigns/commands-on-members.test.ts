// What operators do to members of a run: retry those that failed, resolve those with an unknown outcome.
import { describe, expect, it } from 'vitest';
import { addRestore, endRestore } from '../../../../src/protect/restore/restores.ts';
import { commandsContext, NOW, people } from './commands-context.ts';
import { decisionContext, HOUR, NOON, refused } from './waves/decision-context.ts';

const { db, running, ended, touches } = commandsContext();

describe('retry', () => {
  it('retries members with a code in a wave of their own, right after the open one, before settle and every', async () => {
    const config = { waves: { size: 3, settle: '10m', every: '1d' } };
    const context = await running({ members: people(5), config });
    const { members } = await context.batch();
    await context.outcome(members[0] as number, { state: 'failed', code: 'ERR_X' });
    expect(await context.command({ action: 'retry', codes: ['ERR_X', 'ERR_Z'] })).toEqual({ members: 1 });
    await context.next();
    await context.all();
    expect(await context.next()).toMatchObject({ do: 'triggerBatch', wave: 2 });
    expect(await context.all()).toEqual([3]);
    expect(
      (await context.waves()).map(({ kind, size, members, moved_on }) => [kind, size, members, moved_on]),
    ).toEqual([
      ['wave', 3, 2, { failed: 1 }],
      ['retry', 1, 1, {}],
    ]);
  });

  it('reopens a finished run, which then finishes again', async () => {
    const context = await ended(['failed ERR_X', 'triggered', 'failed ERR_Y']);
    expect(await context.next()).toMatchObject({ do: 'finish' });
    expect(await context.close()).toBe(true);
    await context.open();
    expect(await context.command({ action: 'retry', codes: null })).toEqual({ members: 2 });
    expect(await context.row()).toMatchObject({ state: 'running', ended_at: null });
    await context.next();
    expect(await context.all()).toEqual([1, 3]);
    expect(await context.next()).toMatchObject({ do: 'finish' });
    expect(await context.close()).toBe(true);
    expect(await context.row()).toMatchObject({ state: 'finished' });
    expect((await context.audit()).map(({ id, action }) => (action === 'retry' ? action : id))).toEqual([
      'start',
      'finish/1',
      'retry',
      'finish/2',
    ]);
  });

  it('waits until a restore of the ledger has ended, which may have forgotten an earlier retry', async () => {
    const context = await ended(['failed ERR_X', 'unknown']);
    await context.next();
    await context.close();
    await addRestore(db(), new Date(NOON), { runs: 0, events: 0, campaigns: 0, members: 0 });
    for (const command of [
      { action: 'retry', codes: null },
      { action: 'resolve', members: null, as: 'notTriggered', again: true },
    ] as const)
      expect(await refused(context.command(command))).toBe('RESTORED');
    expect(await context.row()).toMatchObject({ state: 'finished' });
    await endRestore(db(), 'user:ana');
    expect(await context.command({ action: 'retry', codes: null })).toEqual({ members: 1 });
  });

  it('leaves a finished run unchanged if no member matches, or there is a newer run', async () => {
    const context = await ended(['failed ERR_X']);
    await context.next();
    await context.close();
    expect(await context.command({ action: 'retry', codes: ['ERR_Y'] })).toEqual({ members: 0 });
    expect(await context.row()).toMatchObject({ state: 'finished' });
    await decisionContext(db(), { members: [] }, context.account, 2);
    expect(await refused(context.command({ action: 'retry', codes: null }))).toBe('ANOTHER_RUN');
    expect(await context.states()).toEqual(['failed ERR_X']);
  });

  it('does not reopen a finished run without a workflow to continue it', async () => {
    const context = await ended(['failed ERR_X']);
    await context.next();
    await context.close();
    const command = { by: 'ben', reason: '', action: 'retry', codes: null } as const;
    const input = { run: context.run, command, id: 'x', withoutWorkflow: true };
    expect(await refused(context.activities.campaignCommand(input))).toBe('ANOTHER_RUN');
    expect(await context.row()).toMatchObject({ state: 'finished' });
    expect(await context.states()).toEqual(['failed ERR_X']);
  });

  it('is refused after the end of the campaign', async () => {
    const context = await ended(['failed ERR_X'], { ...NOW, end: '2026-11-16T14:00:00Z' });
    context.clock.at += 2 * HOUR;
    expect(await refused(context.command({ action: 'retry', codes: null }))).toBe('CAMPAIGN_OVER');
  });
});

describe('resolve', () => {
  const all = { action: 'resolve', members: null } as const;

  it('as triggered counts them at the time of their touch, and hands over follow-up events', async () => {
    const context = await ended(['unknown TRIGGER_AMBIGUOUS', 'unknown', 'triggered'], {
      ...NOW,
      after: { tags: ['reached'] },
    });
    context.clock.at += HOUR;
    const command = { ...all, members: [context.id(1)], as: 'triggered', again: false } as const;
    const done = await context.command(command, 'one');
    expect(done).toMatchObject({ members: 1, after: [expect.any(String)] });
    expect(await context.command(command, 'one')).toEqual(done);
    expect(await context.states()).toEqual(['triggered', 'unknown', 'triggered']);
    const [row] = await db().query('select triggered_at, events from campaign_members where id = $1', [
      context.id(1),
    ]);
    expect(row).toEqual({ triggered_at: new Date(NOON), events: done.after });
    expect(await touches(context)).toEqual([1, 2, 3]);
    // Until a workflow of events has them, the end of the run hands them over as well.
    await context.next();
    expect(await context.activities.closeCampaign({ run: context.run })).toEqual({
      closed: true,
      after: done.after,
    });
    await db().query("update events set state = 'ended'");
    expect(await context.activities.closeCampaign({ run: context.run })).toEqual({ closed: true, after: [] });
  });

  it('as not triggered they fail, and no touch counts', async () => {
    const context = await ended(['unknown', 'triggered', 'unknown']);
    expect(await context.command({ ...all, as: 'notTriggered', again: false })).toEqual({ members: 2 });
    expect(await context.states()).toEqual(['failed NOT_TRIGGERED', 'triggered', 'failed NOT_TRIGGERED']);
    expect(await touches(context)).toEqual([2]);
    expect(await context.next()).toMatchObject({ do: 'finish' });
  });

  it('with again they are triggered again, in a wave of their own, also in a finished run', async () => {
    const context = await ended(['unknown', 'triggered', 'unknown']);
    await context.next();
    await context.close();
    const members = [context.id(3)];
    expect(await context.command({ ...all, members, as: 'notTriggered', again: true })).toEqual({
      members: 1,
    });
    expect(await touches(context)).toEqual([1, 2]);
    await context.next();
    expect(await context.all()).toEqual([3]);
    expect(await context.states()).toEqual(['unknown', 'triggered', 'triggered']);
    expect((await context.waves()).map(({ kind, moved_on }) => [kind, moved_on])).toEqual([
      ['wave', { unknown: 1 }],
      ['retry', {}],
    ]);
  });

  it('changes a finished run without reopening it', async () => {
    const context = await ended(['unknown']);
    await context.next();
    await context.close();
    expect(await context.command({ ...all, as: 'notTriggered', again: false })).toEqual({ members: 1 });
    expect(await context.row()).toMatchObject({ state: 'finished' });
  });

  it('changes nothing when one of the members is not unknown', async () => {
    const context = await ended(['unknown', 'triggered']);
    const members = [context.id(1), context.id(2)];
    expect(await refused(context.command({ ...all, members, as: 'notTriggered', again: false }))).toBe(
      'NOT_UNKNOWN',
    );
    expect(await context.states()).toEqual(['unknown', 'triggered']);
    expect(await context.audit()).toHaveLength(1);
  });
});
