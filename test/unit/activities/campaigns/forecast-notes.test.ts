// Plans of campaigns: what speaks against them, and what to know of them.
import { describe, expect, it } from 'vitest';
import { saveCatalog } from '../../../../src/core/store/catalog.ts';
import { addWarning } from '../../../../src/jobs/sync/store/run-warnings.ts';
import { freshAccount } from '../../core/sql/support.ts';
import { type Case, codes, forecastContext, NOW, WABA } from './forecast-context.ts';

const context = forecastContext();
const { activities, addPoller, freeze, planned } = context;

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
      /no whatsapp or waba connection/,
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
      /ended at 2026-11-23 11:00 \(America\/Sao_Paulo\)/,
    ],
    [
      'an end that comes too early for the budget',
      { waiting: { '': 1000 }, config: { end: '2026-11-23T12:05:00-03:00' }, callsPerMinute: 20 },
      'TOO_SLOW',
      /at 2026-11-23 12:50 \(America\/Sao_Paulo\), 45 minutes after the end at 2026-11-23 12:05 .*; by then, 100 of 1,000 members are triggered. To fix it, use 201 triggers a minute \(the plan has 20\), which need 201 calls a minute, but the account's tokens allow 20; or 900 fewer members; or a later `end`/,
    ],
    [
      'an end that comes too early for the rate that was set',
      {
        waiting: { '': 1000 },
        config: { end: '2026-11-23T12:20:00-03:00', waves: { settle: '0s', callsPerMinute: 40 } },
      },
      'TOO_SLOW',
      /51 triggers a minute \(the plan has 40\) and a higher `waves.callsPerMinute`; or 203 fewer members/,
    ],
    [
      'waves that take longer than there is time',
      {
        waiting: { '': 1000 },
        config: { end: '2026-11-24T12:00:00-03:00', waves: { size: 10, every: '1h' } },
      },
      'TOO_SLOW',
      /To fix it, use larger waves or less time between them \(at any pace `waves.every`/,
    ],
    [
      'a campaign of decades',
      { waiting: { '': 10 }, config: { waves: { size: 1, every: '365d' } } },
      'TOO_SLOW',
      /would not finish within 1,825 days; by 2031-11-22 12:00 \(America\/Sao_Paulo\), 6 of 10 members/,
    ],
    [
      'a rule about replies, and nobody who reads them',
      { config: { stop: { replies: 0.1 } } },
      'NO_POLLER',
      /no poller that follows the connection was ever started .*`stop.replies` relies on replies/,
    ],
    [
      'words that opt out, and nobody who reads them',
      { optOut: { words: ['sair'] } },
      'NO_POLLER',
      /`optOut.words` relies on replies/,
    ],
    [
      'the 24-hour window, and nobody who knows it',
      { config: { conversationWindow: 'open' } },
      'NO_POLLER',
      /`conversationWindow` relies on replies/,
    ],
  ])('%s', async (_, some, code, reason) => {
    const { problems } = await planned(some);
    expect(codes(problems)).toEqual([code]);
    expect(problems[0]?.reason).toMatch(reason);
  });

  const SHAPE = { block_code: 'UNEXPECTED_SHAPE', block_reason: 'no fromMe', block_shape: '{}' };
  it.each<[string, Record<string, unknown>, Case, RegExp | null]>([
    [
      'human service',
      SHAPE,
      {},
      /the poller "chats" can't read .*`exclude.humanService` relies on them: no fromMe/,
    ],
    ['nothing', SHAPE, { config: { exclude: { humanService: false } } }, null],
    ['nothing, as its configuration is gone', SHAPE, { poller: null }, null],
    [
      'the last contact',
      SHAPE,
      { config: { exclude: { humanService: false, contactedWithin: '7d' } } },
      /contactedWithin/,
    ],
    [
      'words, of a poller that is refused',
      { block_code: 'FORBIDDEN' },
      { optOut: { words: ['sair'] } },
      /optOut.words/,
    ],
    ['human service, of a poller that is refused', { block_code: 'FORBIDDEN' }, {}, null],
  ])('a blocked poller, and a campaign that relies on %s', async (_, row, some, reason) => {
    await addPoller(row);
    const { problems } = await planned(some);
    expect(codes(problems)).toEqual(reason === null ? [] : ['REPLIES_UNREAD']);
    if (reason !== null) expect(problems[0]?.reason).toMatch(reason);
  });

  it('an end just after the last trigger is in time, at the last trigger it is not', async () => {
    // One member, at once.
    const at = (ms: number) => new Date(NOW + ms).toISOString();
    expect((await planned({ waiting: { '': 1 }, config: { end: at(1) } })).problems).toEqual([]);
    context.begin();
    const second = { waiting: { '': 2 }, config: { end: at(30_150) }, callsPerMinute: 2 };
    const { problems } = await planned(second);
    expect(codes(problems)).toEqual(['TOO_SLOW']);
    expect(problems[0]?.reason).toMatch(
      /by then, 1 of 2 members are triggered. To fix it, use 3 triggers a minute/,
    );
  });

  it('tags and stages that the account lacks, once its lists have been read', async () => {
    const config = { after: { tags: ['back', 'gone'], stage: { pipeline: 'Sales', stage: 'Won' } } };
    expect((await planned({ config })).problems).toEqual([]);
    context.begin();
    await saveCatalog(context.db, context.account, 'tags', [{ id: 1, name: 'Back' }]);
    await saveCatalog(context.db, context.account, 'pipelines', [
      { id: 1, name: 'Sales', stages: [{ id: 2, name: 'New' }] },
    ]);
    const { problems } = await planned({ config });
    expect(codes(problems)).toEqual(['UNKNOWN_TAG', 'UNKNOWN_STAGE']);
    expect(problems[0]?.reason).toMatch(/"gone"/);
    expect(problems[1]?.reason).toMatch(/"Won", but the pipeline "Sales" has "New"/);
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
      /100 triggers a minute need 200 calls, but the account's tokens allow 120; the plan assumes 60 triggers/,
    ],
    [
      'waves that take days longer than their members do',
      { waiting: { '': 3 }, config: { waves: { size: 1, every: '2d' } } },
      'SLOW_WAVES',
      /^the waves add 4 days: as one wave at 120 triggers a minute, the campaign would end by 2026-11-23 12:00 .* each of 3 waves waits/,
    ],
    [
      'three members far in the west that hold up a wave',
      {
        waiting: { '': 194, 'Pacific/Honolulu': 6 },
        config: {
          windows: { days: { mon: ['11:00-24:00'], tue: ['00:00-24:00'] } },
          waves: { size: 100, settle: '0s' },
        },
      },
      'WAVE_HELD_UP',
      /^3 of 100 members of wave 1 wait for the window of Pacific\/Honolulu, and delay wave 2 by 5 hours 59 minutes\. To avoid it, exclude them, widen `windows`/,
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

  it('warns first about excluded numbers that could not be read', async () => {
    await freeze({ connections: null });
    const reason = "2 numbers can't be read";
    await addWarning(context.db, context.run, {
      step: 'readAudience',
      subject: 'exclude',
      code: 'EXCLUSION_UNREADABLE',
      reason,
    });
    const { warnings } = await activities().planCampaign({ run: context.run });
    expect(warnings[0]).toEqual({ code: 'EXCLUSION_UNREADABLE', reason });
    expect(codes(warnings)).toContain('CONNECTION_UNREAD');
  });

  it('no warning', async () => {
    await addPoller({ account: freshAccount() });
    await addPoller();
    const { warnings } = await planned({ config: { waves: { callsPerMinute: 120 } } });
    expect(codes(warnings)).toEqual(['SHARED_BUDGET']);
    expect(warnings[0]?.reason).toMatch(/^the poller "chats" also uses calls/);
  });

  it('others that use the calls', async () => {
    const other = freshAccount();
    await context.db.query(
      `insert into runs (id, account, sync, seq, spec, kind) values
         ($1 || '/leads/1', $1, 'leads', 1, '{}', 'sync'), ($1 || '/@site/1', $1, '@site', 1, '{}', 'intake'),
         ($2 || '/crm/1', $2, 'crm', 1, '{}', 'sync'), ($1 || '/+other/1', $1, '+other', 1, '{}', 'campaign')`,
      [context.account, other],
    );
    await context.db.query(
      `insert into campaigns (run_id, account, campaign, digest, state, as_of, planned_by)
       values ($2 || '/+other/1', $2, 'other', 'd', 'running', $1, 'ana')`,
      [new Date(NOW), context.account],
    );
    const { warnings } = await planned();
    expect(warnings.find(({ code }) => code === 'SHARED_BUDGET')?.reason).toMatch(
      /^the sync "leads", the campaign "other" also use calls/,
    );
  });

  it.each<[string, Record<string, unknown> | null, Case, RegExp | null]>([
    ['one that polls', {}, {}, null],
    ['one that polls all connections', {}, { poller: { connection: 7 } }, null],
    ['none', null, {}, /no poller .* was ever started .*, so Sluice does not see: replies, human service/],
    ['one of another connection', {}, { poller: { connection: 8 } }, /no poller that follows the connection/],
    [
      'one that has gone from the configuration',
      {},
      { poller: null },
      /no poller that follows the connection/,
    ],
    ['one that is paused', { paused_at: new Date(NOW) }, {}, /\(the poller "chats" is paused\)/],
    ['one that is blocked', { block_code: 'ERR_TOKEN_EXPIRED' }, {}, /is blocked: ERR_TOKEN_EXPIRED/],
    ['one that stopped an hour ago', { polled_at: new Date(NOW - 3_600_000) }, {}, /does not run/],
    ['one that never polled', { polled_at: null }, {}, /does not run/],
    [
      'one that polls once a day',
      { polled_at: new Date(NOW - 3_600_000) },
      { poller: { interval: { max: '1d' } } },
      null,
    ],
  ])('the poller: %s', async (_, row, some, reason) => {
    if (row !== null) await addPoller(row);
    const found = (await planned(some)).warnings.find(({ code }) => code === 'NO_POLLER');
    if (reason === null) expect(found).toBeUndefined();
    else expect(found?.reason).toMatch(reason);
  });
});
