// Plans of campaigns: what they cost, when they are done, what speaks against them.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createForecastActivities } from '../../../../activities/campaign/forecast.ts';
import type { Deps } from '../../../../activities/deps.ts';
import { CampaignSpec } from '../../../../src/contracts/campaign.ts';
import { PollerConfig } from '../../../../src/contracts/config.ts';
import { toJson } from '../../../../src/contracts/stored-json.ts';
import { digestOfSpec, getCampaign } from '../../../../src/ledger/campaigns.ts';
import { saveCatalog } from '../../../../src/ledger/catalog.ts';
import type { Database } from '../../../../src/ledger/database.ts';
import { addWarning } from '../../../../src/ledger/runs.ts';
import { testLedger } from '../../../support/ledger.ts';
import { freshAccount } from '../../ledger/support.ts';

/** Monday, 12:00 in São Paulo. */
const NOW = Date.parse('2026-11-23T15:00:00Z');
const EVERY_DAY = Object.fromEntries(
  ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, ['00:00-24:00']]),
);
const WABA = { id: 7, name: 'main', channel: 'waba', status: 'CONNECTED' };

let db: Database;
let account: string;
let RUN: string;
beforeAll(async () => {
  db = await testLedger();
});
beforeEach(begin);

/** An account of its own. */
function begin(): void {
  account = freshAccount();
  RUN = `${account}/+back/1`;
}

interface Case {
  /** Over a campaign that is always open, with waves of 100 one after the other. */
  readonly config?: Record<string, unknown>;
  readonly optOut?: Record<string, unknown>;
  /** Members to be triggered, by zones. */
  readonly waiting?: Readonly<Record<string, number>>;
  readonly connections?: readonly (typeof WABA)[] | null;
  readonly callsPerMinute?: number;
  readonly identity?: 'id' | 'number';
  readonly marks?: Record<string, string>;
  readonly poller?: Record<string, unknown> | null;
}

/** Makes the run, as it is when its audience is frozen. */
async function freeze({ config = {}, optOut = {}, waiting = { '': 10 }, connections = [WABA] }: Case) {
  const spec = CampaignSpec.parse({
    ...{ account, campaign: 'back', sources: {}, timeZone: 'America/Sao_Paulo' },
    optOut: { tags: [], words: [], ...optOut },
    config: {
      ...{ account, flow: 3, connection: 7, windows: { days: EVERY_DAY } },
      ...{ audience: [{ from: 'cards' }, { from: 'contacts' }], waves: { size: 100, settle: '0s' } },
      ...config,
    },
  });
  await db.query(
    `insert into runs (id, account, sync, seq, spec, kind, calls) values ($1, $3, '+back', 1, $2, 'campaign', 12)`,
    [RUN, toJson(spec), account],
  );
  await db.query(
    `insert into campaigns (run_id, account, campaign, digest, as_of, planned_by, planned_at, parts)
     values ($1, $5, 'back', $2, $3, 'ana', $3, $4)`,
    [
      RUN,
      digestOfSpec(spec),
      new Date(NOW),
      toJson({ workflow: 'w', 0: { found: 30, done: true } }),
      account,
    ],
  );
  for (const [zones, members] of Object.entries(waiting)) {
    await db.query(
      `insert into campaign_members (run_id, key, number, contact_id, card_id, part, state, zones)
       select $1, $2 || n, $2 || n, n, n, 0, 'waiting', $2 from generate_series(1, $3::int) n`,
      [RUN, zones, members],
    );
  }
  if (connections !== null) await saveCatalog(db, account, 'connections', [...connections]);
}

function activities({ callsPerMinute = 120, identity = 'id', marks = {}, poller = {} }: Case = {}) {
  const deps = {
    db,
    clock: { now: async () => NOW },
    account: () => ({ tokens: [{ key: 'k', client: { flows: { contactIdentity: identity } } }] }),
    budget: { pace: async () => callsPerMinute, snapshot: async () => [{ marks }] },
    poller: () => {
      if (poller === null) throw new Error('there is none');
      return PollerConfig.parse({ account, ...poller });
    },
  } as unknown as Deps;
  return createForecastActivities(deps);
}

async function planned(some: Case = {}) {
  await freeze(some);
  return await activities(some).planCampaign({ run: RUN });
}

const codes = (notes: readonly { readonly code: string }[]) => notes.map(({ code }) => code);

/** A poller of the account, as it was a minute ago unless told otherwise. */
async function addPoller(columns: Record<string, unknown> = {}) {
  const row = {
    ...{ account, poller: 'chats', run_id: `${account}/~chats/1`, polled_at: new Date(NOW - 60_000) },
    ...columns,
  };
  const names = Object.keys(row);
  await db.query(
    `insert into pollers (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    Object.values(row),
  );
}

describe('what a plan tells', () => {
  it('counts the audience, why who is left out, and the members by zones', async () => {
    await freeze({ waiting: { 'America/Manaus': 3, 'America/New_York,America/Chicago': 2, '': 1 } });
    await db.query(
      `insert into campaign_members (run_id, key, part, state, code) values
         ($1, 'a', 0, 'excluded', 'OPTED_OUT'), ($1, 'b', 0, 'excluded', 'OPTED_OUT'),
         ($1, null, 0, 'excluded', 'NUMBER_INVALID'), ($1, 'd', 1, 'holdout', null)`,
      [RUN],
    );
    const plan = await activities().planCampaign({ run: RUN });
    expect(plan).toMatchObject({
      ...{ account, campaign: 'back', run: RUN, plannedBy: 'ana', approval: 'none' },
      plannedAt: '2026-11-23T15:00:00.000Z',
      ...{ found: 30, audience: 10, merged: 20, holdout: 1, eligible: 6 },
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
    ['nobody looks contacts up whose number does', { unnamed: 50, identity: 'number' as const }, {}, 120],
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
      ...{ waiting: { '': 100 }, identity },
    };
    await freeze(one);
    await db.query('update campaign_members set contact_id = null where run_id = $2 and contact_id <= $1', [
      unnamed,
      RUN,
    ]);
    await db.query('update campaign_members set card_id = null where run_id = $2 and card_id <= $1', [
      cardless,
      RUN,
    ]);
    const plan = await activities(one).planCampaign({ run: RUN });
    const none = { planning: 12, triggers: 100, rechecks: 0, lookups: 0, after: 0 };
    expect(plan.calls).toEqual({ ...none, ...expected });
    expect(plan).toMatchObject({ pacePerMinute: pace, callsPerMinute: 120 });
    // 99 slots after the first trigger, each half a percent wider than the pace.
    const seconds = (Date.parse(plan.finishAt as string) - NOW) / 1000;
    expect(seconds).toBeCloseTo((99 * 60 * 1.005) / pace, 2);
  });

  it('begins at its start, and lists 200 waves at most', async () => {
    const start = '2026-12-01T09:00:00-03:00';
    const config = { start, waves: { size: 1, settle: '0s', every: '1h' } };
    const plan = await planned({ config, waiting: { '': 230 } });
    expect(plan.waves).toHaveLength(200);
    expect(plan.moreWaves).toBe(30);
    expect(plan.waves[0]).toEqual({
      ...{ wave: 1, kind: 'wave', size: 1 },
      ...{ startsAt: '2026-12-01T12:00:00.000Z', endsAt: '2026-12-01T12:00:00.000Z' },
    });
    expect(plan.finishAt).toBe('2026-12-11T01:00:00.000Z');
    expect(plan).toMatchObject({ timeZone: 'America/Sao_Paulo', moreDays: 0 });
    expect(plan.days.map(({ day, members }) => [day, members])).toEqual([
      ['2026-12-01', 15],
      ...[2, 3, 4, 5, 6, 7, 8, 9].map((day) => [`2026-12-0${day}`, 24]),
      ['2026-12-10', 23],
    ]);
  });

  it('windows go by the zones of each member', async () => {
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
  it('done twice, it is made once, and the run is planned', async () => {
    const plan = await planned();
    await db.query('delete from campaign_members where run_id = $1', [RUN]);
    expect(await activities().planCampaign({ run: RUN })).toEqual(plan);
    expect(await getCampaign(db, RUN)).toMatchObject({ state: 'planned', plan });
  });

  it('a plan with problems is kept too', async () => {
    await planned({ connections: [] });
    expect(await getCampaign(db, RUN)).toMatchObject({ state: 'planned' });
  });

  it('one that was replaced meanwhile is not', async () => {
    await freeze({});
    await db.query("update campaigns set state = 'void' where run_id = $1", [RUN]);
    await expect(activities().planCampaign({ run: RUN })).rejects.toMatchObject({
      ...{ type: 'PLAN_OVER', nonRetryable: true },
    });
    expect((await getCampaign(db, RUN)).plan).toBeNull();
  });

  it('nobody plans before the audience is decided', async () => {
    await freeze({});
    await db.query("update campaign_members set state = 'found' where run_id = $1", [RUN]);
    await expect(activities().planCampaign({ run: RUN })).rejects.toThrow(/not decided/);
  });
});

describe('problems', () => {
  it.each<[string, Case, string, RegExp]>([
    [
      'a connection that is not there',
      { connections: [{ ...WABA, id: 8 }] },
      'CONNECTION_NOT_FOUND',
      /no connection 7; use 8 \("main", waba\)/,
    ],
    [
      'no usable connection at all',
      { connections: [] },
      'CONNECTION_NOT_FOUND',
      /none of channel whatsapp or waba/,
    ],
    [
      'a connection that runs no flows',
      { connections: [{ ...WABA, channel: 'facebook' }] },
      'CONNECTION_UNSUPPORTED',
      /connection 7 \("main", facebook\) can't run flows/,
    ],
    ['nobody found', { waiting: {} }, 'EMPTY_AUDIENCE', /nobody was found/],
    [
      'windows that never open',
      { config: { windows: { days: {} } } },
      'NO_WINDOW',
      /never open in America\/Sao_Paulo/,
    ],
    [
      'an end that has passed',
      { config: { end: '2026-11-23T11:00:00-03:00' } },
      'END_PASSED',
      /ends at 2026-11-23 11:00 \(America\/Sao_Paulo\), which is over/,
    ],
    [
      'an end that comes too early for the budget',
      { waiting: { '': 1000 }, config: { end: '2026-11-23T12:05:00-03:00' }, callsPerMinute: 20 },
      'TOO_SLOW',
      /at 2026-11-23 12:50 \(America\/Sao_Paulo\), 45 minutes after the end at 2026-11-23 12:05 .*; by then 100 of 1,000 members are reached. What helps: 201 triggers a minute \(the plan has 20\), which take 201 calls a minute: the account's tokens allow 20; or 900 members fewer; or a later `end`/,
    ],
    [
      'an end that comes too early for the rate that was set',
      {
        waiting: { '': 1000 },
        config: { end: '2026-11-23T12:20:00-03:00', waves: { settle: '0s', callsPerMinute: 40 } },
      },
      'TOO_SLOW',
      /51 triggers a minute \(the plan has 40\), which `waves.callsPerMinute` has to allow too; or 203 members fewer/,
    ],
    [
      'waves that take longer than there is time',
      {
        waiting: { '': 1000 },
        config: { end: '2026-11-24T12:00:00-03:00', waves: { size: 10, every: '1h' } },
      },
      'TOO_SLOW',
      /What helps: larger waves or less time between them \(at any pace the waves take longer/,
    ],
    [
      'a campaign of decades',
      { waiting: { '': 10 }, config: { waves: { size: 1, every: '365d' } } },
      'TOO_SLOW',
      /would not be done within 1,825 days; by 2031-11-22 12:00 \(America\/Sao_Paulo\) 6 of 10 members/,
    ],
    [
      'a rule about replies, and nobody who reads them',
      { config: { stop: { replies: 0.1 } } },
      'NO_POLLER',
      /no poller that follows the connection was ever started .*`stop.replies` would pause/,
    ],
    [
      'the 24-hour window, and nobody who knows it',
      { config: { conversationWindow: 'open' } },
      'NO_POLLER',
      /would skip every member/,
    ],
  ])('%s', async (_, some, code, reason) => {
    const { problems } = await planned(some);
    expect(codes(problems)).toEqual([code]);
    expect(problems[0]?.reason).toMatch(reason);
  });

  it('an end an instant after the last trigger is in time, at the last trigger it is not', async () => {
    // One member, at once.
    const at = (ms: number) => new Date(NOW + ms).toISOString();
    expect((await planned({ waiting: { '': 1 }, config: { end: at(1) } })).problems).toEqual([]);
    begin();
    const second = { waiting: { '': 2 }, config: { end: at(30_150) }, callsPerMinute: 2 };
    const { problems } = await planned(second);
    expect(codes(problems)).toEqual(['TOO_SLOW']);
    expect(problems[0]?.reason).toMatch(
      /by then 1 of 2 members are reached. What helps: 3 triggers a minute/,
    );
  });

  it('tags and places that the account lacks, once its lists were read', async () => {
    const config = { after: { tags: ['back', 'gone'], stage: { pipeline: 'Sales', stage: 'Won' } } };
    expect((await planned({ config })).problems).toEqual([]);
    begin();
    await saveCatalog(db, account, 'tags', [{ id: 1, name: 'Back' }]);
    await saveCatalog(db, account, 'pipelines', [{ id: 1, name: 'Sales', stages: [{ id: 2, name: 'New' }] }]);
    const { problems } = await planned({ config });
    expect(codes(problems)).toEqual(['UNKNOWN_TAG', 'UNKNOWN_STAGE']);
    expect(problems[0]?.reason).toMatch(/"gone"/);
    expect(problems[1]?.reason).toMatch(/"Won"; the pipeline "Sales" has "New"/);
  });
});

describe('warnings', () => {
  it.each<[string, Case, string, RegExp]>([
    [
      'a connection that is down may come back',
      { connections: [{ ...WABA, status: 'OPENING' }] },
      'CONNECTION_DOWN',
      /is OPENING/,
    ],
    ['connections that nobody read', { connections: null }, 'CONNECTION_UNREAD', /not read/],
    [
      'a rate that the budget does not have',
      { config: { recheck: 'api', waves: { callsPerMinute: 100 } } },
      'RATE_OVER_BUDGET',
      /100 triggers a minute take 200 calls, and the account's tokens allow 120: the plan goes by 60 triggers/,
    ],
    [
      'waves that take days longer than their members do',
      { waiting: { '': 3 }, config: { waves: { size: 1, every: '2d' } } },
      'SLOW_WAVES',
      /^the waves take 4 days more: at 120 triggers a minute all of them as one wave would be done by 2026-11-23 12:00 .* each of 3 waves waits/,
    ],
    [
      'a token without the scope',
      { marks: { 'flows:trigger': 'ERR_SCOPE_MISSING' } },
      'TOKEN_REFUSED',
      /ERR_SCOPE_MISSING/,
    ],
    ['a token that is gone', { marks: { '': 'ERR_TOKEN_REVOKED' } }, 'TOKEN_REFUSED', /ERR_TOKEN_REVOKED/],
  ])('%s', async (_, some, code, reason) => {
    await addPoller();
    const { problems, warnings } = await planned(some);
    expect(problems).toEqual([]);
    expect(codes(warnings)).toEqual(expect.arrayContaining([code]));
    expect(warnings.find((each) => each.code === code)?.reason).toMatch(reason);
  });

  it('numbers to leave out that could not be read are told of, before all others', async () => {
    await freeze({ connections: null });
    const reason = '2 numbers can not be read';
    await addWarning(db, RUN, {
      step: 'readAudience',
      subject: 'exclude',
      code: 'EXCLUSION_UNREADABLE',
      reason,
    });
    const { warnings } = await activities().planCampaign({ run: RUN });
    expect(warnings[0]).toEqual({ code: 'EXCLUSION_UNREADABLE', reason });
    expect(codes(warnings)).toContain('CONNECTION_UNREAD');
  });

  it('nothing to warn of', async () => {
    await addPoller({ account: freshAccount() });
    await addPoller();
    const { warnings } = await planned({ config: { waves: { callsPerMinute: 120 } } });
    expect(codes(warnings)).toEqual(['SHARED_BUDGET']);
    expect(warnings[0]?.reason).toMatch(/^the poller "chats" spends calls/);
  });

  it('who else spends the calls', async () => {
    const other = freshAccount();
    await db.query(
      `insert into runs (id, account, sync, seq, spec, kind) values
         ($1 || '/leads/1', $1, 'leads', 1, '{}', 'sync'), ($1 || '/@site/1', $1, '@site', 1, '{}', 'intake'),
         ($2 || '/crm/1', $2, 'crm', 1, '{}', 'sync'), ($1 || '/+other/1', $1, '+other', 1, '{}', 'campaign')`,
      [account, other],
    );
    await db.query(
      `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by)
       values ($2 || '/+other/1', $2, 'other', 'd', 'running', $1, 'ana')`,
      [new Date(NOW), account],
    );
    const { warnings } = await planned();
    expect(warnings.find(({ code }) => code === 'SHARED_BUDGET')?.reason).toMatch(
      /^the sync "leads", the campaign "other" spend calls/,
    );
  });

  it.each<[string, Record<string, unknown> | null, Case, RegExp | null]>([
    ['one that polls', {}, {}, null],
    ['one that polls all connections', {}, { poller: { connection: 7 } }, null],
    ['none', null, {}, /no poller .* was ever started .*: replies, who is in human service are not known/],
    ['one of another connection', {}, { poller: { connection: 8 } }, /no poller that follows the connection/],
    [
      'one that has gone from the configuration',
      {},
      { poller: null },
      /no poller that follows the connection/,
    ],
    ['one that is paused', { paused_at: new Date(NOW) }, {}, /\(the poller "chats" is paused\)/],
    ['one that is held', { hold_code: 'ERR_TOKEN_EXPIRED' }, {}, /is held: ERR_TOKEN_EXPIRED/],
    ['one that stopped an hour ago', { polled_at: new Date(NOW - 3_600_000) }, {}, /does not run/],
    ['one that never polled', { polled_at: null }, {}, /does not run/],
    [
      'one that polls once a day',
      { polled_at: new Date(NOW - 3_600_000) },
      { poller: { interval: { max: '1d' } } },
      null,
    ],
    ['none, with words that opt out', null, { optOut: { words: ['sair'] } }, /opt-outs by a word/],
  ])('the poller: %s', async (_, row, some, reason) => {
    if (row !== null) await addPoller(row);
    const found = (await planned(some)).warnings.find(({ code }) => code === 'NO_POLLER');
    if (reason === null) expect(found).toBeUndefined();
    else expect(found?.reason).toMatch(reason);
  });
});
