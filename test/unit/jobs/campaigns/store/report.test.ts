// What a run of a campaign came to: figures that add up, and what is left of it when its members are forgotten.
import { beforeEach, describe, expect, it } from 'vitest';
import { MEMBER_STATES } from '../../../../../src/jobs/campaigns/constants.ts';
import type { CampaignFigures } from '../../../../../src/jobs/campaigns/contract/report.ts';
import { figuresOf } from '../../../../../src/jobs/campaigns/store/figures.ts';
import {
  forgetMembers,
  forgetTouches,
  forgetVariables,
} from '../../../../../src/jobs/campaigns/store/forget.ts';
import { auditOf, listReports, reportOf } from '../../../../../src/jobs/campaigns/store/report.ts';
import { catchUp } from '../../../../../src/jobs/campaigns/store/results.ts';
import { emptyLedger, testLedger } from '../../../../support/postgres/ledger.ts';
import { campaignRows, RUN, t } from './rows.ts';

const db = await testLedger();
beforeEach(() => emptyLedger(db));
const rows = campaignRows(() => db);
const key = (n: number) => `55119876${String(n).padStart(5, '0')}`;

const wave = (n: number, over: { kind?: string; ended?: boolean; broken?: object[] } = {}) =>
  db.query(
    `insert into campaign_waves (run_id, wave, kind, size, started_at, ended_at, broken) values ($1, $2, $3, 5, $4, $5, $6::jsonb)`,
    [RUN, n, over.kind ?? 'wave', t(n), over.ended ? t(n + 10) : null, JSON.stringify(over.broken ?? [])],
  );

const sum = (codes: Readonly<Record<string, number>>) => Object.values(codes).reduce((a, b) => a + b, 0);
const added = (f: CampaignFigures) =>
  sum(f.excluded) +
  f.holdout +
  f.found +
  f.waiting +
  f.sending +
  f.triggered +
  sum(f.skipped) +
  sum(f.failed) +
  f.unknown +
  f.cancelled;

/** One of each state, and some more. */
async function mixed(): Promise<void> {
  await rows.run();
  let n = 0;
  const add = (over: object, count = 1) => rows.member({ key: key((n += 10)), wave: null, count, ...over });
  await add({ state: 'excluded', code: 'OPTED_OUT' });
  await add({ state: 'excluded', code: 'NUMBER_INVALID', key: null }, 3);
  await add({ state: 'holdout' });
  await add({ state: 'waiting', place: 1 }, 2);
  await add({ state: 'skipped', code: 'CAMPAIGN_ENDED' });
  await add({ state: 'cancelled' });
  await add({ state: 'triggered', wave: 1 }, 4);
  await add({ state: 'skipped', code: 'HUMAN_SERVICE', wave: 1 }, 2);
  await add({ state: 'failed', code: 'ERR_CONTACT_INVALID', wave: 1 });
  await add({ state: 'failed', wave: 2 });
  await add({ state: 'sending', wave: 2 });
  await add({ state: 'unknown', wave: 2, code: 'AMBIGUOUS' });
  await wave(1, { kind: 'canary', ended: true, broken: [{ code: 'STOP_FAILED', reason: '20 % failed' }] });
  await wave(2);
}

describe('figures', () => {
  it('count each member once, by reason, and add up to the audience', async () => {
    await mixed();
    const total = await figuresOf(db, RUN, 'total');
    expect(total).toMatchObject({
      audience: 19,
      eligible: 14,
      holdout: 1,
      waiting: 2,
      sending: 1,
      triggered: 4,
      unknown: 1,
      cancelled: 1,
      excluded: { NUMBER_INVALID: 3, OPTED_OUT: 1 },
      skipped: { HUMAN_SERVICE: 2, CAMPAIGN_ENDED: 1 },
      failed: { ERR_CONTACT_INVALID: 1, OTHER: 1 },
    });
    expect(Object.keys(total.excluded)[0]).toBe('NUMBER_INVALID');
    expect(added(total)).toBe(total.audience);
    const waves = await figuresOf(db, RUN, 'wave');
    expect(new Set(waves.keys())).toEqual(new Set([1, 2]));
    for (const each of waves.values()) expect(added(each)).toBe(each.audience);
    expect(waves.get(1)).toMatchObject({
      audience: 7,
      eligible: 7,
      triggered: 4,
      skipped: { HUMAN_SERVICE: 2 },
    });
  });

  it.each(MEMBER_STATES)('of the state %s alone add up', async (state) => {
    await rows.run();
    await rows.member({ state, count: 3 });
    const total = await figuresOf(db, RUN, 'total');
    expect([total.audience, added(total)]).toEqual([3, 3]);
  });

  it('of a run without members are none', async () => {
    await rows.run();
    expect(await figuresOf(db, RUN, 'total')).toMatchObject({ audience: 0, eligible: 0, excluded: {} });
  });

  it('count results of those that were triggered, not of one whose outcome is unknown', async () => {
    await rows.run();
    for (const state of ['triggered', 'unknown'] as const) {
      const person = key(state.length);
      await rows.member({ state, key: person, touchedAt: t(0) });
      await rows.message(await rows.conversation({ key: person }), t(60));
    }
    await catchUp(db, RUN, t(90));
    expect(await figuresOf(db, RUN, 'total')).toMatchObject({ triggered: 1, unknown: 1, replied: 1 });
  });
});

describe('a report', () => {
  it('has the figures in total and by wave, in the order of the waves', async () => {
    await mixed();
    const report = await reportOf(db, RUN);
    expect(report).toMatchObject({
      account: 'acme',
      campaign: 'spring',
      run: RUN,
      state: 'running',
      paused: null,
      plannedBy: 'ana',
      plannedAt: t(-3600).toISOString(),
      startedAt: null,
      calls: 0,
      pollerSees: false,
    });
    expect(report?.waves).toMatchObject([
      {
        wave: 1,
        kind: 'canary',
        audience: 7,
        endedAt: t(11).toISOString(),
        broken: [{ code: 'STOP_FAILED' }],
      },
      { wave: 2, kind: 'wave', audience: 3, endedAt: null, broken: [] },
    ]);
    expect(JSON.stringify(report)).not.toContain(key(1).slice(0, 9));
  });

  it('is null for a run that does not exist', async () => {
    expect(await reportOf(db, RUN)).toBeNull();
  });

  it('includes a wave whose members all moved on to a later one', async () => {
    await rows.run();
    await wave(1);
    expect((await reportOf(db, RUN))?.waves).toMatchObject([{ wave: 1, audience: 0, triggered: 0 }]);
  });

  it.each([
    ['in the last hour', "interval '59 minutes'", 'acme', true],
    ['longer ago', "interval '61 minutes'", 'acme', false],
    ['of another account', "interval '1 minute'", 'other', false],
  ])('says whether a poller sees: it has seen all %s', async (_, ago, account, sees) => {
    await rows.run();
    await db.query(
      `insert into pollers (account, poller, run_id, complete_at) values ($1, 'chats', 'run', now() - ${ago})`,
      [account],
    );
    await rows.member({ state: 'triggered', wave: 1 });
    expect(await reportOf(db, RUN)).toMatchObject({
      pollerSees: sees,
      deliveries: sees ? 'not-reported' : 'no-poller',
      replies: sees ? 'known' : 'no-poller',
    });
  });

  it('knows the replies that a poller saw before', async () => {
    await rows.run();
    await rows.member({ state: 'triggered', key: key(1), touchedAt: t(0) });
    await rows.message(await rows.conversation({ key: key(1) }), t(60));
    await catchUp(db, RUN, t(90));
    expect(await reportOf(db, RUN)).toMatchObject({ pollerSees: false, replies: 'known' });
  });

  it.each([
    ['of 4 members with stop.atLeast 5', 4, {}, true, false],
    ['of 5 members', 5, {}, true, true],
    ['of 4 members, with one that a later wave has retried', 4, { failed: 1 }, true, true],
    ['that is not judged yet', 5, {}, false, false],
  ])(
    'calls a wave evaluated only if the stop rules count for it: %s',
    async (_, count, moved, judged, is) => {
      await rows.run();
      await rows.member({ state: 'triggered', wave: 1, count });
      await wave(1, { ended: true });
      await db.query('update campaign_waves set judged_at = $1, moved_on = $2::jsonb', [
        judged ? t(20) : null,
        JSON.stringify(moved),
      ]);
      expect((await reportOf(db, RUN))?.waves).toMatchObject([{ wave: 1, isEvaluated: is }]);
    },
  );

  it('in a list has no waves; newest first, filtered by campaign or account on request', async () => {
    await mixed();
    await rows.run('acme/+spring/2');
    await rows.run('acme/+autumn/1');
    await rows.run('other/+spring/1');
    const names = async (filter: object) =>
      (await listReports(db, { limit: 3, ...filter })).map(({ run }) => run);
    expect(await names({ account: 'acme', campaign: 'spring' })).toEqual(['acme/+spring/2', RUN]);
    expect(await names({ account: 'other' })).toEqual(['other/+spring/1']);
    expect(await names({})).toHaveLength(3);
    const [, last] = await listReports(db, { campaign: 'spring', account: 'acme', limit: 9 });
    expect(last).toMatchObject({ total: { audience: 19 }, waves: [] });
  });
});

it('an audit lists commands, newest first, page by page', async () => {
  await rows.run();
  for (const [n, action] of ['approve', 'pause'].entries())
    await db.query(
      `insert into campaign_audit (run_id, id, at, by, action, reason, details, members) values ($1, $2, $3, 'ana', $2, 'why', '{"a":1}', $4)`,
      [RUN, action, t(0), n],
    );
  const all = await auditOf(db, RUN, { limit: 9, before: null });
  expect(all.toReversed()).toMatchObject([
    { at: t(0).toISOString(), by: 'ana', action: 'approve', reason: 'why', details: { a: 1, members: 0 } },
    { at: t(0).toISOString(), by: 'ana', action: 'pause', reason: 'why', details: { a: 1, members: 1 } },
  ]);
  const [newest] = await auditOf(db, RUN, { limit: 1, before: null });
  expect(newest).toMatchObject({ action: 'pause' });
  expect(await auditOf(db, RUN, { limit: 9, before: newest?.seq ?? 0 })).toMatchObject([
    { action: 'approve' },
  ]);
});

describe('forgetting', () => {
  const DAY = 86_400_000;
  const ago = (days: number) => new Date(Date.now() - days * DAY);
  const all = async (forget: () => Promise<number>) => {
    while ((await forget()) > 0);
  };
  const variables = { name: 'Bia' };
  const withVariables = () =>
    db.query<{ state: string }>(
      'select state from campaign_members where variables is not null order by state',
    );

  it('deletes variables when a run has ended, except those of members that may be retried', async () => {
    await rows.run(RUN, { state: 'finished', endedAt: ago(0) });
    await rows.run('acme/+spring/2');
    for (const [n, state] of MEMBER_STATES.entries()) await rows.member({ state, key: key(n), variables });
    await rows.member({ run: 'acme/+spring/2', state: 'waiting', variables });
    await all(() => forgetVariables(db, 2));
    expect((await withVariables()).map(({ state }) => state)).toEqual(['failed', 'unknown', 'waiting']);
  });

  it('deletes variables again after a reopened run has ended', async () => {
    await rows.run(RUN, { state: 'finished', endedAt: ago(2) });
    const id = await rows.member({ state: 'failed', variables });
    await all(() => forgetVariables(db));
    await db.query("update campaign_members set state = 'triggered' where id = $1", [id]);
    await db.query('update campaigns set ended_at = $1', [ago(1)]);
    await all(() => forgetVariables(db));
    expect(await withVariables()).toEqual([]);
  });

  it('deletes members after the configured days, and keeps the results of the run', async () => {
    await mixed();
    await db.query("update campaigns set state = 'finished', started_at = $1, ended_at = $1", [ago(31)]);
    await rows.run('acme/+spring/2');
    await db.query("update campaigns set started_at = $1 where run_id = 'acme/+spring/2'", [ago(1)]);
    await db.query('update campaign_members set replied_at = triggered_at where state = $1', ['triggered']);
    const before = await reportOf(db, RUN);
    await all(() => forgetMembers(db, 32, new Date(), 5));
    expect(await db.query('select 1 from campaign_members')).toHaveLength(19);
    await all(() => forgetMembers(db, 30, new Date(), 5));
    expect(await db.query('select 1 from campaign_members')).toEqual([]);
    expect(await reportOf(db, RUN)).toEqual(before);
    expect((await listReports(db, { limit: 9 })).at(-1)).toMatchObject({ run: RUN, total: { replied: 4 } });
  });

  it.each<[string, string, number, boolean, number]>([
    ['of the last run that began stay: the next audience may ask for them', 'finished', 400, true, 1],
    ['of a run under way stay', 'running', 400, true, 1],
    ['of a plan that another replaced go after a week', 'void', 8, false, 0],
    ['of a plan that was replaced yesterday stay', 'void', 1, false, 1],
    ['of a plan that waits for its start stay', 'planned', 400, false, 1],
  ])('members %s', async (_, state, days, started, left) => {
    await rows.run(RUN, { state, endedAt: state === 'running' || state === 'planned' ? null : ago(days) });
    if (started) await db.query('update campaigns set started_at = $1', [ago(days)]);
    await rows.member({ state: 'waiting' });
    await all(() => forgetMembers(db, 30, new Date()));
    expect(await db.query('select 1 from campaign_members')).toHaveLength(left);
  });

  it('keeps for ten years which people campaigns have reached', async () => {
    await rows.run();
    await rows.member({ key: key(1), touchedAt: ago(3651) });
    await rows.member({ key: key(2), touchedAt: ago(3649) });
    await all(() => forgetTouches(db));
    expect(await db.query('select key from campaign_touches')).toEqual([{ key: key(2) }]);
  });
});
