// What a run and its members tell sinks: each change once, in the transaction of the change.
import { describe, expect, it } from 'vitest';
import { giveUpLost } from '../../../../src/jobs/campaigns/store/commands.ts';
import { SinkEvent } from '../../../../src/jobs/events/contract/envelope.ts';
import type { AnnouncedType } from '../../../../src/jobs/outbox/contract/announce.ts';
import { ANNOUNCED_TYPES } from '../../../../src/jobs/outbox/contract/announce.ts';
import { commandsContext, NOW, people } from './commands-context.ts';
import { type DecisionContext, decisionContext, HOUR, refused } from './waves/decision-context.ts';

const { db } = commandsContext();

const ALL = ANNOUNCED_TYPES.filter((type) => type.startsWith('sluice.campaign.'));
const hearing = (events: readonly AnnouncedType[]) => [{ sink: 'crm', events: [...events] }];

/** A planned run of these members, whose sink hears of these types. */
async function planned(members: number, config: object = NOW, events: readonly AnnouncedType[] = ALL) {
  return await decisionContext(db(), { members: people(members), config, announce: hearing(events) });
}

async function events({ account }: DecisionContext): Promise<SinkEvent[]> {
  const rows = await db().query<{ event: unknown }>(
    'select event from outbox where account = $1 order by seq',
    [account],
  );
  return rows.map(({ event }) => SinkEvent.parse(event));
}
const typesOf = async (context: DecisionContext) =>
  (await events(context)).map(({ type }) => type.replace('sluice.campaign.', ''));

describe('a run', () => {
  it('tells its start, first pause, resumption and end, once, with its counts; and wakes the sink', async () => {
    const context = await planned(2);
    await context.open();
    await context.open();
    await context.command({ action: 'pause', by: 'ben', reason: 'lunch' });
    await context.command({ action: 'pause', by: 'cid', reason: 'dinner' });
    context.clock.at += HOUR;
    await context.command({ action: 'resume', by: 'ben', reason: '' }, 'resume');
    await context.command({ action: 'resume', by: 'ben', reason: '' }, 'resume');
    await context.command({ action: 'resume', by: 'ben', reason: '' });
    await context.batch();
    await context.all();
    expect([await context.close(), await context.close()]).toEqual([true, true]);
    const found = await events(context);
    expect(found.map(({ type, data }) => [type, 'by' in data ? data.by : undefined])).toEqual([
      ['sluice.campaign.started', 'ana'],
      ['sluice.campaign.paused', 'ben'],
      ['sluice.campaign.resumed', 'ben'],
      ['sluice.campaign.finished', null],
    ]);
    expect(found[1]).toMatchObject({
      partitionkey: context.run,
      source: `/sluice/accounts/${context.account}/campaigns/win`,
      data: { campaign: 'win', run: context.run, reason: 'lunch', code: null, counts: { waiting: 2 } },
    });
    expect(found[2]).toMatchObject({ data: { reason: null } });
    expect(found[3]).toMatchObject({ data: { counts: { triggered: 2, waiting: 0 } } });
    expect(new Set(found.map(({ id }) => id)).size).toBe(4);
    expect(context.woken).toEqual(['crm', 'crm', 'crm', 'crm']);
  });

  it('that is canceled tells it once, and its waiting members have no event', async () => {
    const context = await planned(3);
    await context.open();
    await context.command({ action: 'cancel', reason: 'wrong flow' });
    await context.command({ action: 'cancel', reason: 'again' });
    expect(await events(context)).toMatchObject([
      { type: 'sluice.campaign.started' },
      { type: 'sluice.campaign.cancelled', data: { reason: 'wrong flow', counts: { cancelled: 3 } } },
    ]);
  });

  it('that a stop rule pauses tells the rule', async () => {
    const context = await planned(4, { waves: { size: 2, settle: '0s' }, stop: { failed: 0.4, atLeast: 2 } });
    await context.open();
    const { members } = await context.batch();
    for (const id of members) await context.outcome(id, { state: 'failed', code: 'ERR_X' });
    const next = await context.next();
    expect(next).toMatchObject({ do: 'pause' });
    expect((await events(context)).at(-1)).toMatchObject({
      type: 'sluice.campaign.paused',
      data: { by: 'sluice', code: 'STOP_RULE' },
    });
  });
});

describe('a sink', () => {
  it.each<[string, { sink: string; events?: AnnouncedType[] }[]]>([
    ['without types hears of no campaign', [{ sink: 'crm' }]],
    ['of messages hears of no campaign', [{ sink: 'crm', events: ['message.received'] }]],
    ['that is not there hears nothing', []],
  ])('%s', async (_, announce) => {
    const context = await decisionContext(db(), { members: people(2), config: NOW, announce });
    await context.open();
    await context.command({ action: 'pause' });
    await context.command({ action: 'resume' });
    await context.batch();
    await context.command({ action: 'skipWave' });
    await context.close();
    expect([await events(context), context.woken]).toEqual([[], []]);
  });

  it('hears of the selected types alone, and another one of its own', async () => {
    const context = await decisionContext(db(), {
      members: people(1),
      config: NOW,
      announce: [...hearing(['sluice.campaign.started']), { sink: 'bi', events: ['sluice.campaign.paused'] }],
    });
    await context.open();
    await context.command({ action: 'pause' });
    const rows = await db().query('select sink, type from outbox where account = $1 order by seq', [
      context.account,
    ]);
    expect(rows).toEqual([
      { sink: 'crm', type: 'sluice.campaign.started' },
      { sink: 'bi', type: 'sluice.campaign.paused' },
    ]);
  });
});

describe('members', () => {
  it('of a skipped wave are announced one by one, once', async () => {
    const context = await planned(2);
    await context.open();
    await context.batch();
    await context.command({ action: 'skipWave' }, 'skip');
    await context.command({ action: 'skipWave' }, 'skip');
    const found = (await events(context)).slice(1);
    expect(found.map(({ type, partitionkey }) => [type, partitionkey])).toEqual([
      ['sluice.campaign.member.skipped', `${context.run}/${context.id(1)}`],
      ['sluice.campaign.member.skipped', `${context.run}/${context.id(2)}`],
    ]);
    expect(found[0]).toMatchObject({
      subject: String(context.id(1)),
      data: { member: context.id(1), number: '155511', wave: 1, code: 'WAVE_SKIPPED', row: null },
    });
  });

  it('are unknown when their worker is lost, and triggered when an operator resolves them', async () => {
    const context = await planned(1);
    await context.open();
    const { members } = await context.batch();
    await context.outcome(members[0] as number, { state: 'sending', sentAgo: 120 });
    await context.next();
    await context.next();
    context.clock.at += HOUR;
    const resolve = { action: 'resolve', members: null, as: 'triggered', again: false } as const;
    await context.command(resolve, 'one');
    await context.command(resolve, 'one');
    await context.close();
    expect(await typesOf(context)).toEqual(['started', 'member.unknown', 'member.triggered', 'finished']);
    const [, unknown, triggered] = await events(context);
    expect(unknown?.partitionkey).toBe(triggered?.partitionkey);
    expect(unknown).toMatchObject({ data: { code: 'TRIGGER_AMBIGUOUS' } });
    expect(triggered).toMatchObject({ data: { code: null, reason: null } });
  });

  it('that did not get the flow after all have failed; a retry that reopens the run is announced', async () => {
    const context = await planned(1);
    await context.open();
    const { members } = await context.batch();
    await context.outcome(members[0] as number, { state: 'unknown', sentAgo: 120 });
    await context.next();
    await context.close();
    context.clock.at += HOUR;
    await context.command({ action: 'resolve', members: null, as: 'notTriggered', again: false });
    await context.command({ action: 'retry', codes: null, by: 'ben', reason: 'mended' });
    expect(await typesOf(context)).toEqual(['started', 'finished', 'member.failed', 'resumed']);
  });

  it('keep no event of a command that is rolled back', async () => {
    const context = await planned(1);
    await context.open();
    const { members } = await context.batch();
    await context.outcome(members[0] as number, { state: 'failed', code: 'ERR_X' });
    await context.next();
    await context.close();
    const other = await decisionContext(
      db(),
      { members: people(1), config: NOW, announce: hearing(ALL) },
      context.account,
      2,
    );
    await other.open();
    const before = await events(context);
    expect(await refused(context.command({ action: 'retry', codes: null }))).toBe('ANOTHER_RUN');
    expect(await events(context)).toEqual(before);
    expect(await context.states()).toEqual(['failed ERR_X']);
  });

  it('that nobody hears of are only counted', async () => {
    const context = await planned(1, NOW, ['sluice.campaign.finished']);
    await context.open();
    const { members } = await context.batch();
    await context.outcome(members[0] as number, { state: 'sending', sentAgo: 120 });
    const statements: string[] = [];
    const tx = {
      query: <Row>(sql: string, params?: readonly unknown[]) => {
        statements.push(sql);
        return db().query<Row>(sql, params);
      },
    };
    const nobody = { hears: () => false, ended: () => expect.unreachable() };
    await giveUpLost(tx, context.run, { seconds: 60, code: 'X' }, new Date(), nobody);
    expect(statements).toHaveLength(1);
    expect(await context.states()).toEqual(['unknown X']);
  });
});
