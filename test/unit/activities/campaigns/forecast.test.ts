// Plans of campaigns: what they cost, and when they are done.
import { describe, expect, it } from 'vitest';
import { getCampaign } from '../../../../src/jobs/campaigns/store/campaigns.ts';
import { type Case, forecastContext, NOW } from './forecast-context.ts';

const context = forecastContext();
const { activities, freeze, planned } = context;

describe('a plan', () => {
  it('counts the audience, the exclusions by code, and the members by zones', async () => {
    await freeze({ waiting: { 'America/Manaus': 3, 'America/New_York,America/Chicago': 2, '': 1 } });
    await context.db.query(
      `insert into campaign_members (run_id, key, part, state, code) values
         ($1, 'a', 0, 'excluded', 'OPTED_OUT'), ($1, 'b', 0, 'excluded', 'OPTED_OUT'),
         ($1, null, 0, 'excluded', 'NUMBER_INVALID'), ($1, 'd', 1, 'holdout', null)`,
      [context.run],
    );
    const plan = await activities().planCampaign({ run: context.run });
    expect(plan).toMatchObject({
      account: context.account,
      campaign: 'back',
      run: context.run,
      plannedBy: 'ana',
      approval: 'none',
      plannedAt: '2026-11-23T15:00:00.000Z',
      found: 30,
      audience: 10,
      merged: 20,
      holdout: 1,
      eligible: 6,
      parts: [
        { from: 'cards', found: 30 },
        { from: 'contacts', found: 0 },
      ],
      excluded: { OPTED_OUT: 2, NUMBER_INVALID: 1 },
      zones: [
        { zones: ['America/Manaus'], members: 3 },
        { zones: ['America/New_York', 'America/Chicago'], members: 2 },
        { zones: ['America/Sao_Paulo'], members: 1 },
      ],
      problems: [],
    });
  });

  it.each([
    ['a trigger alone', {}, {}, 120],
    ['reading the contact before', { config: { recheck: 'api' } }, { rechecks: 100 }, 60],
    ['cards that members came with', { after: { stage: true } }, { after: 100 }, 60],
    ['tags', { after: { tags: true } }, { after: 200 }, 40],
    [
      'both, and a rate of its own that is lower',
      { after: { stage: true, tags: true }, rate: 12 },
      { after: 300 },
      12,
    ],
    ['half of the contacts are not known', { unnamed: 50 }, { lookups: 50 }, 80],
    ['nobody checks contacts up whose number does', { unnamed: 50, identity: 'number' as const }, {}, 120],
    ['half of them have no card', { after: { stage: true }, cardless: 50 }, { after: 200 }, 40],
  ])('calls and pace: %s', async (_, some, expected, pace) => {
    const {
      config = {},
      after = {},
      unnamed = 0,
      cardless = 0,
      rate,
      identity = 'id',
    } = some as {
      config?: object;
      after?: { stage?: boolean; tags?: boolean };
      unnamed?: number;
      cardless?: number;
      rate?: number;
      identity?: 'id' | 'number';
    };
    const one: Case = {
      config: {
        ...config,
        after: {
          ...(after.stage ? { stage: { pipeline: 1, stage: 2 } } : {}),
          ...(after.tags ? { tags: ['back'] } : {}),
        },
        waves: { size: 100, settle: '0s', ...(rate === undefined ? {} : { callsPerMinute: rate }) },
      },
      waiting: { '': 100 },
      identity,
    };
    await freeze(one);
    await context.db.query(
      'update campaign_members set contact_id = null where run_id = $2 and contact_id <= $1',
      [unnamed, context.run],
    );
    await context.db.query('update campaign_members set card_id = null where run_id = $2 and card_id <= $1', [
      cardless,
      context.run,
    ]);
    const plan = await activities(one).planCampaign({ run: context.run });
    const none = { planning: 12, triggers: 100, rechecks: 0, lookups: 0, after: 0 };
    expect(plan.calls).toEqual({ ...none, ...expected });
    expect(plan).toMatchObject({ pacePerMinute: pace, callsPerMinute: 120 });
    // 99 slots after the first trigger, each half a percent wider than the pace.
    const seconds = (Date.parse(plan.finishAt as string) - NOW) / 1000;
    expect(seconds).toBeCloseTo((99 * 60 * 1.005) / pace, 2);
  });

  it('begins at its start, and lists at most 200 waves', async () => {
    const start = '2026-12-01T09:00:00-03:00';
    const config = { start, waves: { size: 1, settle: '0s', every: '1h' } };
    const plan = await planned({ config, waiting: { '': 230 } });
    expect(plan.waves).toHaveLength(200);
    expect(plan.moreWaves).toBe(30);
    expect(plan.waves[0]).toEqual({
      wave: 1,
      kind: 'wave',
      size: 1,
      startsAt: '2026-12-01T12:00:00.000Z',
      endsAt: '2026-12-01T12:00:00.000Z',
      heldUp: null,
    });
    expect(plan.finishAt).toBe('2026-12-11T01:00:00.000Z');
    expect(plan).toMatchObject({ timeZone: 'America/Sao_Paulo', moreDays: 0 });
    expect(plan.days.map(({ day, members }) => [day, members])).toEqual([
      ['2026-12-01', 15],
      ...[2, 3, 4, 5, 6, 7, 8, 9].map((day) => [`2026-12-0${day}`, 24]),
      ['2026-12-10', 23],
    ]);
  });

  it('windows apply in the zones of each member', async () => {
    const windows = { days: { mon: ['13:00-14:00'] } };
    const waiting = { 'Europe/Lisbon': 1, 'America/Manaus': 1, '': 1 };
    const { waves } = await planned({ config: { windows }, waiting });
    // 13:00 in São Paulo today; in Manaus an hour later; Lisbon's has passed: next Monday.
    expect(waves).toMatchObject([
      { startsAt: '2026-11-23T16:00:00.000Z', endsAt: '2026-11-30T13:00:00.000Z' },
    ]);
  });
});

describe('the plan is kept', () => {
  it('a repeated call makes it once, and the run is planned', async () => {
    const plan = await planned();
    await context.db.query('delete from campaign_members where run_id = $1', [context.run]);
    expect(await activities().planCampaign({ run: context.run })).toEqual(plan);
    expect(await getCampaign(context.db, context.run)).toMatchObject({ state: 'planned', plan });
  });

  it('a plan with problems is stored, too', async () => {
    await planned({ connections: [] });
    expect(await getCampaign(context.db, context.run)).toMatchObject({ state: 'planned' });
  });

  it('a plan that was replaced meanwhile is not', async () => {
    await freeze({});
    await context.db.query("update campaigns set state = 'void' where run_id = $1", [context.run]);
    await expect(activities().planCampaign({ run: context.run })).rejects.toMatchObject({
      type: 'PLAN_OVER',
      nonRetryable: true,
    });
    expect((await getCampaign(context.db, context.run)).plan).toBeNull();
  });

  it('no plan is made before the audience is frozen', async () => {
    await freeze({});
    await context.db.query("update campaign_members set state = 'found' where run_id = $1", [context.run]);
    await expect(activities().planCampaign({ run: context.run })).rejects.toThrow(/not frozen/);
  });
});
