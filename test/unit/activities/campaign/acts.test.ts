// What operators do to a run of a campaign: each once, exact, and kept with who and why.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/ledger/database.ts';
import { testLedger } from '../../../support/ledger.ts';
import { HOUR, NOON, type RoomOptions, refused, type TurnRoom, turnRoom } from './turn-room.ts';

let db: Database;
beforeAll(async () => {
  db = await testLedger();
});

const people = (count: number) => Array.from({ length: count }, () => 'Etc/UTC');
const NOW = { waves: { settle: '0s' } };

async function running(options: RoomOptions): Promise<TurnRoom> {
  const room = await turnRoom(db, { config: NOW, ...options });
  await room.open();
  return room;
}

/** One member of each of these outcomes, in this order, and the run as it stands then. */
async function ended(outcomes: readonly string[], config: object = NOW): Promise<TurnRoom> {
  const room = await running({ members: people(outcomes.length), config });
  const { members } = await room.batch();
  for (const [n, id] of members.entries()) {
    const [state, code] = (outcomes[n] as string).split(' ');
    if (state !== 'waiting')
      await room.outcome(id, { state: state as 'failed', ...(code && { code }), sentAgo: 120 });
  }
  return room;
}

const touches = async (room: TurnRoom): Promise<number[]> =>
  room.numbers(
    (
      await db.query<{ id: number }>(
        'select member_id as id from campaign_touches where run_id = $1 order by 1',
        [room.run],
      )
    ).map(({ id }) => id),
  );

describe('the audit', () => {
  it('an act that is done twice is one, and keeps who, why and how many', async () => {
    const room = await ended(['failed ERR_X', 'failed ERR_Y', 'triggered']);
    const act = { action: 'retry', codes: ['ERR_X'], by: 'ben', reason: 'mended' } as const;
    expect(await room.act(act, 'one')).toEqual({ members: 1 });
    expect(await room.act(act, 'one')).toEqual({ members: 1 });
    expect((await room.audit()).slice(1)).toMatchObject([
      { id: 'one', by: 'ben', action: 'retry', reason: 'mended', members: 1, details: { codes: ['ERR_X'] } },
    ]);
    expect(await room.states()).toEqual(['waiting', 'failed ERR_Y', 'triggered']);
  });

  it('takes any text as a reason, and cuts a long one', async () => {
    const room = await running({ members: people(1) });
    const reason = `a\0b\ud800${'😀'.repeat(400)}`;
    await room.act({ action: 'pause', reason });
    const [, line] = await room.audit();
    expect(line?.reason).toHaveLength(500);
    expect(line?.reason).toMatch(/^ab\ufffd😀+…$/u);
    expect((await room.open()).held?.reason).toBe(line?.reason);
  });

  it.each<[name: string, act: object]>([
    ['nobody', { action: 'pause', by: '' }],
    ['an action that there is not', { action: 'explode' }],
    ['a rate of none', { action: 'rate', callsPerMinute: 0 }],
    ['a rate beyond all services', { action: 'rate', callsPerMinute: 100_001 }],
    ['no code at all', { action: 'retry', codes: [] }],
    ['a member that is no number', { action: 'resolve', members: [1.5], as: 'triggered', again: false }],
    ['a flow that ran, and again', { action: 'resolve', members: null, as: 'triggered', again: true }],
  ])('%s is refused, and changes nothing', async (_, act) => {
    const room = await running({ members: people(1) });
    expect(await refused(room.act(act as never))).toBe('INVALID_COMMAND');
    expect(await room.audit()).toHaveLength(1);
  });

  it('nothing is done to a run that nobody knows', async () => {
    const room = await running({ members: [] });
    const act = { by: 'ben', reason: '', action: 'pause' } as const;
    expect(await refused(room.activities.campaignAct({ run: 'no/+win/1', act, id: 'x' }))).toBe(
      'NO_SUCH_RUN',
    );
  });
});

describe('approval', () => {
  const config = { approval: 'second-person' };

  it('lets somebody else approve, and then it starts; the first approval stands', async () => {
    const room = await turnRoom(db, { members: people(1), config });
    expect(await refused(room.act({ action: 'approve', by: 'ana' }))).toBe('SAME_PERSON');
    expect(await refused(room.open())).toBe('NOT_APPROVED');
    await room.act({ action: 'approve', by: 'ben' });
    await room.act({ action: 'approve', by: 'carl' });
    expect(await room.row()).toMatchObject({ approved_by: 'ben', approved_at: new Date(NOON) });
    expect(await room.open()).toMatchObject({ held: null });
    expect(await refused(room.act({ action: 'approve', by: 'dora' }))).toBe('NOT_PLANNED');
  });

  it('another rate for a plan that was approved has to be approved, too', async () => {
    const room = await turnRoom(db, { members: people(1), config });
    await room.act({ action: 'approve', by: 'ben' });
    await room.act({ action: 'rate', callsPerMinute: 5 });
    expect(await room.row()).toMatchObject({ pace: 5, approved_by: null, approved_at: null });
    expect(await refused(room.open())).toBe('NOT_APPROVED');
  });

  it('an edit voids the plan, approved or not', async () => {
    const room = await turnRoom(db, { members: people(1), config });
    await room.act({ action: 'approve' });
    room.edit({ flow: 2 });
    expect(await refused(room.act({ action: 'approve', by: 'carl' }))).toBe('PLAN_VOID');
    expect(await refused(room.open())).toBe('PLAN_VOID');
  });
});

describe('pause and resume', () => {
  it('FAULTS 23: after a pause no turn hands anybody out; the first hold stands, and a resume repeats nobody', async () => {
    const room = await ended(['triggered', 'waiting', 'waiting']);
    await room.act({ action: 'pause', by: 'ben', reason: 'lunch' });
    await room.act({ action: 'pause', by: 'sluice', reason: 'ERR_TOKEN_REVOKED: gone' });
    expect(await room.row()).toMatchObject({ held: { by: 'ben', reason: 'lunch' } });
    expect(await room.next()).toMatchObject({ do: 'pause', reason: 'lunch' });
    expect((await room.take()).members).toEqual([]);
    await room.act({ action: 'resume' });
    await room.next();
    expect(await room.all()).toEqual([2, 3]);
    expect((await room.audit()).map(({ action }) => action)).toEqual(['start', 'pause', 'pause', 'resume']);
  });

  it.each(['planned', 'finished'])('a run that is %s is not paused', async (state) => {
    const room = await turnRoom(db, { members: people(1), state });
    const type = state === 'planned' ? 'NOT_RUNNING' : 'CAMPAIGN_OVER';
    for (const action of ['pause', 'resume', 'skipWave'] as const)
      expect(await refused(room.act({ action }))).toBe(type);
  });
});

describe('cancel', () => {
  it('FAULTS 25: a cancelled run stays cancelled, whatever is done to it, and its counts add up', async () => {
    const room = await running({
      members: people(6),
      config: { waves: { size: 5, settle: '0s' } },
      others: ['holdout', 'excluded'],
    });
    const { members } = await room.batch();
    const [one, two, three] = members as [number, number, number];
    await room.outcome(one, { state: 'triggered' });
    await room.outcome(two, { state: 'failed', code: 'ERR_X' });
    await room.outcome(three, { state: 'unknown' });
    expect(await room.act({ action: 'cancel' })).toEqual({ members: 3 });
    for (let again = 0; again < 2; again++) {
      expect(await room.row()).toMatchObject({ state: 'cancelled', ended_at: new Date(NOON) });
      expect(await refused(room.open())).toBe('CAMPAIGN_CANCELLED');
      expect(await room.next()).toMatchObject({
        do: 'finish',
        counts: {
          triggered: 1,
          failed: 1,
          unknown: 1,
          cancelled: 3,
          holdout: 1,
          excluded: 1,
          waiting: 0,
          sending: 0,
        },
      });
      expect(await room.close()).toBe(true);
      expect(await room.act({ action: 'cancel' })).toEqual({ members: 0 });
      for (const act of [
        { action: 'resume' },
        { action: 'retry', codes: null },
        { action: 'skipWave' },
      ] as const)
        expect(await refused(room.act(act))).toBe('CAMPAIGN_CANCELLED');
      expect(
        await refused(room.act({ action: 'resolve', members: null, as: 'notTriggered', again: true })),
      ).toBe('CAMPAIGN_CANCELLED');
    }
    expect((await room.waves()).every(({ ended_at, judged_at }) => ended_at && judged_at)).toBe(true);
    // What is unknown can be settled still.
    expect(await room.act({ action: 'resolve', members: null, as: 'notTriggered', again: false })).toEqual({
      members: 1,
    });
  });

  it('leaves a call that is under way to its outcome, and gives up on one that nobody makes any more', async () => {
    const room = await running({ members: people(3) });
    const { members } = await room.batch();
    await room.outcome(members[0] as number, { state: 'sending', sentAgo: 5 });
    await room.outcome(members[1] as number, { state: 'sending', sentAgo: 65 });
    expect(await room.act({ action: 'cancel' })).toEqual({ members: 1 });
    expect(await room.states()).toEqual(['sending', 'unknown TRIGGER_AMBIGUOUS', 'cancelled']);
    expect(await room.close()).toBe(false);
    await db.query("update campaign_members set sent_at = sent_at - interval '90 seconds' where id = $1", [
      members[0],
    ]);
    expect(await room.close()).toBe(true);
    expect(await room.row()).toMatchObject({ state: 'cancelled' });
    expect((await room.states())[0]).toBe('unknown TRIGGER_AMBIGUOUS');
  });

  it('ends a plan that was never started, and not a run that has finished', async () => {
    const planned = await turnRoom(db, { members: people(2) });
    expect(await planned.act({ action: 'cancel' })).toEqual({ members: 2 });
    expect(await refused(planned.open())).toBe('CAMPAIGN_CANCELLED');
    const finished = await turnRoom(db, { members: [], state: 'finished' });
    expect(await refused(finished.act({ action: 'cancel' }))).toBe('CAMPAIGN_OVER');
  });
});

describe('skip-wave', () => {
  const config = { waves: { size: [2, 3], settle: '10m', every: '1h' }, stop: { failed: 0.1, atLeast: 1 } };

  it('leaves out the rest of the wave under way, which no rule judges then', async () => {
    const room = await running({ members: people(4), config });
    const { members } = await room.batch();
    await room.outcome(members[0] as number, { state: 'failed', code: 'ERR_X' });
    expect(await room.act({ action: 'skipWave' })).toEqual({ members: 1 });
    expect(await room.next()).toMatchObject({ do: 'waitUntil', why: 'every', untilMs: NOON + HOUR });
    room.clock.at += HOUR;
    await room.next();
    expect(await room.all()).toEqual([1, 2]);
    expect(await room.states()).toEqual(['triggered', 'triggered', 'failed ERR_X', 'skipped WAVE_SKIPPED']);
    expect((await room.waves())[0]).toMatchObject({ wave: 1, size: 2, broken: [] });
  });

  it('between two waves leaves out the next one, of its own size', async () => {
    const room = await running({ members: people(7), config });
    await room.next();
    await room.all();
    expect(await room.next()).toMatchObject({ do: 'waitUntil' });
    expect(await room.act({ action: 'skipWave' })).toEqual({ members: 3 });
    expect((await room.audit()).at(-1)).toMatchObject({ details: { wave: 2 } });
    room.clock.at += 2 * HOUR;
    await room.next();
    expect(await room.all()).toEqual([1, 2]);
    expect((await room.waves()).map(({ size, kind }) => [size, kind])).toEqual([
      [2, 'wave'],
      [3, 'wave'],
      [2, 'wave'],
    ]);
  });

  it('says so when there is none', async () => {
    const room = await ended(['triggered']);
    expect(await refused(room.act({ action: 'skipWave' }))).toBe('NOTHING_TO_DO');
    expect(await room.waves()).toHaveLength(1);
  });
});

describe('retry', () => {
  it('tries those of a code again in a wave of their own, right behind the present one, before settle and every', async () => {
    const config = { waves: { size: 3, settle: '10m', every: '1d' } };
    const room = await running({ members: people(5), config });
    const { members } = await room.batch();
    await room.outcome(members[0] as number, { state: 'failed', code: 'ERR_X' });
    expect(await room.act({ action: 'retry', codes: ['ERR_X', 'ERR_Z'] })).toEqual({ members: 1 });
    await room.next();
    await room.all();
    expect(await room.next()).toMatchObject({ do: 'triggerBatch', wave: 2 });
    expect(await room.all()).toEqual([3]);
    expect(
      (await room.waves()).map(({ kind, size, members, moved_on }) => [kind, size, members, moved_on]),
    ).toEqual([
      ['wave', 3, 2, { failed: 1 }],
      ['retry', 1, 1, {}],
    ]);
  });

  it('opens a run that has finished, which finishes once more', async () => {
    const room = await ended(['failed ERR_X', 'triggered', 'failed ERR_Y']);
    expect(await room.next()).toMatchObject({ do: 'finish' });
    expect(await room.close()).toBe(true);
    await room.open();
    expect(await room.act({ action: 'retry', codes: null })).toEqual({ members: 2 });
    expect(await room.row()).toMatchObject({ state: 'running', ended_at: null });
    await room.next();
    expect(await room.all()).toEqual([1, 3]);
    expect(await room.next()).toMatchObject({ do: 'finish' });
    expect(await room.close()).toBe(true);
    expect(await room.row()).toMatchObject({ state: 'finished' });
    expect((await room.audit()).map(({ id, action }) => (action === 'retry' ? action : id))).toEqual([
      ...['start', 'finish/1', 'retry', 'finish/2'],
    ]);
  });

  it('leaves a finished run as it is when nobody failed so, or there is a newer run', async () => {
    const room = await ended(['failed ERR_X']);
    await room.next();
    await room.close();
    expect(await room.act({ action: 'retry', codes: ['ERR_Y'] })).toEqual({ members: 0 });
    expect(await room.row()).toMatchObject({ state: 'finished' });
    await turnRoom(db, { members: [] }, room.account, 2);
    expect(await refused(room.act({ action: 'retry', codes: null }))).toBe('ANOTHER_RUN');
    expect(await room.states()).toEqual(['failed ERR_X']);
  });

  it('does not open a finished run that no workflow would go on with', async () => {
    const room = await ended(['failed ERR_X']);
    await room.next();
    await room.close();
    const act = { by: 'ben', reason: '', action: 'retry', codes: null } as const;
    const command = { run: room.run, act, id: 'x', withoutWorkflow: true };
    expect(await refused(room.activities.campaignAct(command))).toBe('ANOTHER_RUN');
    expect(await room.row()).toMatchObject({ state: 'finished' });
    expect(await room.states()).toEqual(['failed ERR_X']);
  });

  it('is refused after the end of the campaign, when everybody who waits is left out', async () => {
    const room = await ended(['failed ERR_X'], { ...NOW, end: '2026-11-16T14:00:00Z' });
    room.clock.at += 2 * HOUR;
    expect(await refused(room.act({ action: 'retry', codes: null }))).toBe('CAMPAIGN_OVER');
  });
});

describe('resolve', () => {
  const all = { action: 'resolve', members: null } as const;

  it('as triggered counts them so, at the time of their touch, and hands on what follows', async () => {
    const room = await ended(['unknown TRIGGER_AMBIGUOUS', 'unknown', 'triggered'], {
      ...NOW,
      after: { tags: ['reached'] },
    });
    room.clock.at += HOUR;
    const act = { ...all, members: [room.id(1)], as: 'triggered', again: false } as const;
    const done = await room.act(act, 'one');
    expect(done).toMatchObject({ members: 1, after: [expect.any(String)] });
    expect(await room.act(act, 'one')).toEqual(done);
    expect(await room.states()).toEqual(['triggered', 'unknown', 'triggered']);
    const [row] = await db.query('select triggered_at, events from campaign_members where id = $1', [
      room.id(1),
    ]);
    expect(row).toEqual({ triggered_at: new Date(NOON), events: done.after });
    expect(await touches(room)).toEqual([1, 2, 3]);
    // Until a workflow of events has them, the end of the run hands them over as well.
    await room.next();
    expect(await room.activities.closeCampaign({ run: room.run })).toEqual({
      ...{ closed: true, after: done.after },
    });
    await db.query("update events set state = 'ended'");
    expect(await room.activities.closeCampaign({ run: room.run })).toEqual({ closed: true, after: [] });
  });

  it('as not triggered they failed, and nobody counts a touch of them', async () => {
    const room = await ended(['unknown', 'triggered', 'unknown']);
    expect(await room.act({ ...all, as: 'notTriggered', again: false })).toEqual({ members: 2 });
    expect(await room.states()).toEqual(['failed NOT_TRIGGERED', 'triggered', 'failed NOT_TRIGGERED']);
    expect(await touches(room)).toEqual([2]);
    expect(await room.next()).toMatchObject({ do: 'finish' });
  });

  it('with again they are triggered once more, in a wave of their own, also in a run that has finished', async () => {
    const room = await ended(['unknown', 'triggered', 'unknown']);
    await room.next();
    await room.close();
    const members = [room.id(3)];
    expect(await room.act({ ...all, members, as: 'notTriggered', again: true })).toEqual({ members: 1 });
    expect(await touches(room)).toEqual([1, 2]);
    await room.next();
    expect(await room.all()).toEqual([3]);
    expect(await room.states()).toEqual(['unknown', 'triggered', 'triggered']);
    expect((await room.waves()).map(({ kind, moved_on }) => [kind, moved_on])).toEqual([
      ['wave', { unknown: 1 }],
      ['retry', {}],
    ]);
  });

  it('settles a finished run without opening it', async () => {
    const room = await ended(['unknown']);
    await room.next();
    await room.close();
    expect(await room.act({ ...all, as: 'notTriggered', again: false })).toEqual({ members: 1 });
    expect(await room.row()).toMatchObject({ state: 'finished' });
  });

  it('changes nothing when one of the members is not unknown', async () => {
    const room = await ended(['unknown', 'triggered']);
    const members = [room.id(1), room.id(2)];
    expect(await refused(room.act({ ...all, members, as: 'notTriggered', again: false }))).toBe(
      'NOT_UNKNOWN',
    );
    expect(await room.states()).toEqual(['unknown', 'triggered']);
    expect(await room.audit()).toHaveLength(1);
  });
});
