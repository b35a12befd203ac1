// What operators do to a run of a campaign: each once, exact, and kept with who and why.
import { describe, expect, it } from 'vitest';
import { commandsContext, people } from './commands-context.ts';
import { decisionContext, HOUR, NOON, refused } from './waves/decision-context.ts';

const { db, running, ended } = commandsContext();

describe('the audit', () => {
  it('a repeated command is one, and records who, why and how many', async () => {
    const context = await ended(['failed ERR_X', 'failed ERR_Y', 'triggered']);
    const command = { action: 'retry', codes: ['ERR_X'], by: 'ben', reason: 'mended' } as const;
    expect(await context.command(command, 'one')).toEqual({ members: 1 });
    expect(await context.command(command, 'one')).toEqual({ members: 1 });
    expect((await context.audit()).slice(1)).toMatchObject([
      { id: 'one', by: 'ben', action: 'retry', reason: 'mended', members: 1, details: { codes: ['ERR_X'] } },
    ]);
    expect(await context.states()).toEqual(['waiting', 'failed ERR_Y', 'triggered']);
  });

  it('accepts any text as a reason, and cuts a long one', async () => {
    const context = await running({ members: people(1) });
    const reason = `a\0b\ud800${'😀'.repeat(400)}`;
    await context.command({ action: 'pause', reason });
    const [, line] = await context.audit();
    expect(line?.reason).toHaveLength(500);
    expect(line?.reason).toMatch(/^ab\ufffd😀+…$/u);
    expect((await context.open()).paused?.reason).toBe(line?.reason);
  });

  it.each<[name: string, command: object]>([
    ['nobody', { action: 'pause', by: '' }],
    ['an action that there is not', { action: 'explode' }],
    ['a rate of none', { action: 'rate', callsPerMinute: 0 }],
    ['a rate beyond all services', { action: 'rate', callsPerMinute: 100_001 }],
    ['no code at all', { action: 'retry', codes: [] }],
    ['a member that is no number', { action: 'resolve', members: [1.5], as: 'triggered', again: false }],
    ['a flow that ran, and again', { action: 'resolve', members: null, as: 'triggered', again: true }],
  ])('%s is refused, and changes nothing', async (_, command) => {
    const context = await running({ members: people(1) });
    expect(await refused(context.command(command as never))).toBe('INVALID_COMMAND');
    expect(await context.audit()).toHaveLength(1);
  });

  it('an unknown run is refused', async () => {
    const context = await running({ members: [] });
    const command = { by: 'ben', reason: '', action: 'pause' } as const;
    expect(await refused(context.activities.campaignCommand({ run: 'no/+win/1', command, id: 'x' }))).toBe(
      'NO_SUCH_RUN',
    );
  });
});

describe('approval', () => {
  const config = { approval: 'second-person' };

  it('lets another person approve, and then it starts; the first approval is kept', async () => {
    const context = await decisionContext(db(), { members: people(1), config });
    expect(await refused(context.command({ action: 'approve', by: 'ana' }))).toBe('SAME_PERSON');
    expect(await refused(context.open())).toBe('NOT_APPROVED');
    await context.command({ action: 'approve', by: 'ben' });
    await context.command({ action: 'approve', by: 'carl' });
    expect(await context.row()).toMatchObject({ approved_by: 'ben', approved_at: new Date(NOON) });
    expect(await context.open()).toMatchObject({ paused: null });
    expect(await refused(context.command({ action: 'approve', by: 'dora' }))).toBe('NOT_PLANNED');
  });

  it('a plan that cannot be started cannot be approved', async () => {
    const plan = { problems: [{ code: 'EMPTY_AUDIENCE', reason: 'there is nobody to trigger' }] };
    const context = await decisionContext(db(), { members: people(1), config, plan });
    expect(await refused(context.command({ action: 'approve', by: 'ben' }))).toBe('PLAN_HAS_PROBLEMS');
    expect(await context.row()).toMatchObject({ approved_by: null });
  });

  it('a new rate for an approved plan needs a new approval', async () => {
    const context = await decisionContext(db(), { members: people(1), config });
    await context.command({ action: 'approve', by: 'ben' });
    await context.command({ action: 'rate', callsPerMinute: 5 });
    expect(await context.row()).toMatchObject({ pace: 5, approved_by: null, approved_at: null });
    expect(await refused(context.open())).toBe('NOT_APPROVED');
  });

  it('an edit voids the plan, approved or not', async () => {
    const context = await decisionContext(db(), { members: people(1), config });
    await context.command({ action: 'approve' });
    context.edit({ flow: 2 });
    expect(await refused(context.command({ action: 'approve', by: 'carl' }))).toBe('PLAN_VOID');
    expect(await refused(context.open())).toBe('PLAN_VOID');
  });
});

describe('pause and resume', () => {
  it('FAULTS 23: after a pause nobody is triggered; the first pause is kept, and a resume repeats nobody', async () => {
    const context = await ended(['triggered', 'waiting', 'waiting']);
    await context.command({ action: 'pause', by: 'ben', reason: 'lunch' });
    await context.command({ action: 'pause', by: 'sluice', reason: 'ERR_TOKEN_REVOKED: gone' });
    expect(await context.row()).toMatchObject({ paused: { by: 'ben', reason: 'lunch' } });
    expect(await context.next()).toMatchObject({ do: 'pause', reason: 'lunch' });
    expect((await context.take()).members).toEqual([]);
    await context.command({ action: 'resume' });
    await context.next();
    expect(await context.all()).toEqual([2, 3]);
    expect((await context.audit()).map(({ action }) => action)).toEqual([
      'start',
      'pause',
      'pause',
      'resume',
    ]);
  });

  type Event = readonly ['pause' | 'resume', code?: string];
  const X = 'ERR_TOKEN_REVOKED';
  it.each<[name: string, events: readonly Event[], again: boolean]>([
    ['the same refusal after a resume', [['pause', X], ['resume'], ['pause', X]], true],
    ['another refusal', [['pause', X], ['resume'], ['pause', 'ERR_SCOPE_MISSING']], false],
    ['a person pauses after it', [['pause', X], ['resume'], ['pause']], false],
    [
      'a person has paused in between',
      [['pause', X], ['resume'], ['pause'], ['resume'], ['pause', X]],
      false,
    ],
    ['resumed twice', [['pause', X], ['resume'], ['resume'], ['pause', X]], true],
    ['the first refusal', [['pause', X]], false],
    ['two pauses of a person', [['pause'], ['resume'], ['pause']], false],
  ])('%s → the pause says whether the resume was in vain, and when', async (_, events, isAgain) => {
    const context = await running({ members: people(1) });
    for (const [action, code] of events) {
      context.clock.at += 60_000;
      const reason = code === undefined ? '' : `${code}: gone`;
      await context.command(
        action === 'pause'
          ? { action, by: code === undefined ? 'ben' : 'sluice', reason, code }
          : { action, by: 'ana' },
      );
    }
    const { paused } = await context.row();
    const at = (minutesAgo: number) => new Date(context.clock.at - minutesAgo * 60_000).toISOString();
    expect(paused).toMatchObject({ at: at(0) });
    const resumed = events.findIndex(([action]) => action === 'resume');
    const again = isAgain ? { by: 'ana', at: at(events.length - 1 - resumed) } : undefined;
    expect((paused as { again?: object }).again).toEqual(again);
    // A workflow that continues as new has it from the ledger.
    expect((await context.open()).paused).toEqual(paused);
  });

  it.each(['planned', 'finished'])('a run that is %s is not paused', async (state) => {
    const context = await decisionContext(db(), { members: people(1), state });
    const type = state === 'planned' ? 'NOT_RUNNING' : 'CAMPAIGN_OVER';
    for (const action of ['pause', 'resume', 'skipWave'] as const)
      expect(await refused(context.command({ action }))).toBe(type);
  });
});

describe('cancel', () => {
  it('FAULTS 25: a cancelled run stays cancelled under any command, and its counts add up', async () => {
    const context = await running({
      members: people(6),
      config: { waves: { size: 5, settle: '0s' } },
      others: ['holdout', 'excluded'],
    });
    const { members } = await context.batch();
    const [one, two, three] = members as [number, number, number];
    await context.outcome(one, { state: 'triggered' });
    await context.outcome(two, { state: 'failed', code: 'ERR_X' });
    await context.outcome(three, { state: 'unknown' });
    expect(await context.command({ action: 'cancel' })).toEqual({ members: 3 });
    for (let again = 0; again < 2; again++) {
      expect(await context.row()).toMatchObject({ state: 'cancelled', ended_at: new Date(NOON) });
      expect(await refused(context.open())).toBe('CAMPAIGN_CANCELLED');
      expect(await context.next()).toMatchObject({
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
      expect(await context.close()).toBe(true);
      expect(await context.command({ action: 'cancel' })).toEqual({ members: 0 });
      for (const command of [
        { action: 'resume' },
        { action: 'retry', codes: null },
        { action: 'skipWave' },
      ] as const)
        expect(await refused(context.command(command))).toBe('CAMPAIGN_CANCELLED');
      expect(
        await refused(context.command({ action: 'resolve', members: null, as: 'notTriggered', again: true })),
      ).toBe('CAMPAIGN_CANCELLED');
    }
    expect((await context.waves()).every(({ ended_at, judged_at }) => ended_at && judged_at)).toBe(true);
    // What is unknown can be settled still.
    expect(
      await context.command({ action: 'resolve', members: null, as: 'notTriggered', again: false }),
    ).toEqual({
      members: 1,
    });
  });

  it('lets a call in progress reach its outcome, and gives up a lost one', async () => {
    const context = await running({ members: people(3) });
    const { members } = await context.batch();
    await context.outcome(members[0] as number, { state: 'sending', sentAgo: 5 });
    await context.outcome(members[1] as number, { state: 'sending', sentAgo: 65 });
    expect(await context.command({ action: 'cancel' })).toEqual({ members: 1 });
    expect(await context.states()).toEqual(['sending', 'unknown TRIGGER_AMBIGUOUS', 'cancelled']);
    expect(await context.close()).toBe(false);
    await db().query("update campaign_members set sent_at = sent_at - interval '90 seconds' where id = $1", [
      members[0],
    ]);
    expect(await context.close()).toBe(true);
    expect(await context.row()).toMatchObject({ state: 'cancelled' });
    expect((await context.states())[0]).toBe('unknown TRIGGER_AMBIGUOUS');
  });

  it('ends a plan that was never started, but not a finished run', async () => {
    const planned = await decisionContext(db(), { members: people(2) });
    expect(await planned.command({ action: 'cancel' })).toEqual({ members: 2 });
    expect(await refused(planned.open())).toBe('CAMPAIGN_CANCELLED');
    const finished = await decisionContext(db(), { members: [], state: 'finished' });
    expect(await refused(finished.command({ action: 'cancel' }))).toBe('CAMPAIGN_OVER');
  });
});

describe('skip-wave', () => {
  const config = { waves: { size: [2, 3], settle: '10m', every: '1h' }, stop: { failed: 0.1, atLeast: 1 } };

  it('skips the rest of the open wave, and no rule judges it', async () => {
    const context = await running({ members: people(4), config });
    const { members } = await context.batch();
    await context.outcome(members[0] as number, { state: 'failed', code: 'ERR_X' });
    expect(await context.command({ action: 'skipWave' })).toEqual({ members: 1 });
    expect(await context.next()).toMatchObject({ do: 'waitUntil', why: 'every', untilMs: NOON + HOUR });
    context.clock.at += HOUR;
    await context.next();
    expect(await context.all()).toEqual([1, 2]);
    expect(await context.states()).toEqual([
      'triggered',
      'triggered',
      'failed ERR_X',
      'skipped WAVE_SKIPPED',
    ]);
    expect((await context.waves())[0]).toMatchObject({ wave: 1, size: 2, broken: [] });
  });

  it('between two waves skips the next one, with its own size', async () => {
    const context = await running({ members: people(7), config });
    await context.next();
    await context.all();
    expect(await context.next()).toMatchObject({ do: 'waitUntil' });
    expect(await context.command({ action: 'skipWave' })).toEqual({ members: 3 });
    expect((await context.audit()).at(-1)).toMatchObject({ details: { wave: 2 } });
    context.clock.at += 2 * HOUR;
    await context.next();
    expect(await context.all()).toEqual([1, 2]);
    expect((await context.waves()).map(({ size, kind }) => [size, kind])).toEqual([
      [2, 'wave'],
      [3, 'wave'],
      [2, 'wave'],
    ]);
  });

  it('says so if there is none', async () => {
    const context = await ended(['triggered']);
    expect(await refused(context.command({ action: 'skipWave' }))).toBe('NOTHING_TO_DO');
    expect(await context.waves()).toHaveLength(1);
  });
});
