// Outcomes of the members that a campaign has reached, from polled conversations, opt-outs and events.
import { beforeEach, describe, expect, it } from 'vitest';
import { noteOptOuts } from '../../../../../src/core/store/opt-outs.ts';
import { catchUp, stampBeforeForgetting } from '../../../../../src/jobs/campaigns/store/results.ts';
import { forgetEvents } from '../../../../../src/jobs/events/store/event-end.ts';
import { emptyLedger, testLedger } from '../../../../support/postgres/ledger.ts';
import { ACCOUNT, campaignRows, PERSON, RUN, t } from './rows.ts';

const db = await testLedger();
beforeEach(async () => {
  await emptyLedger(db);
  await rows.run();
});
const rows = campaignRows(() => db);
const NOW = t(7200);
const LATER = t(9000);
const stamp = (run = RUN, at = NOW) => catchUp(db, run, at);
/** As if it had been read an hour ago. */
const longAgo = () => db.query("update conversations set read_at = now() - interval '1 hour'");

describe('replied', () => {
  it('is the first message of the contact after the trigger', async () => {
    const member = await rows.member();
    const chat = await rows.conversation({ inboundAt: t(90) });
    for (const at of [t(-60), t(90), t(61)]) await rows.message(chat, at);
    await stamp();
    expect(await rows.stamps(member)).toEqual({ replied: t(61) });
  });

  type Write = (chat: number) => Promise<unknown>;
  it.each<[string, Write]>([
    ['before the trigger', (chat) => rows.message(chat, t(-1))],
    ['at the same instant', (chat) => rows.message(chat, t(0))],
    ['by the account', (chat) => rows.message(chat, t(9), { fromMe: true, status: 'sent' })],
    ['in an unknown direction', (chat) => rows.message(chat, t(9), { fromMe: null })],
    ['without a time', (chat) => rows.message(chat, null)],
    ['that is not published yet', (chat) => rows.message(chat, null, { staged: true })],
    [
      'of another account, in a conversation of the same id',
      (chat) => rows.message(chat, t(9), { account: 'other' }),
    ],
  ])('not by a message %s', async (_, write) => {
    const member = await rows.member();
    await write(await rows.conversation({ inboundAt: t(-60) }));
    await stamp();
    expect(await rows.stamps(member)).toEqual({});
  });

  it.each<[string, { key?: string; account?: string }]>([
    ['another person', { key: '5511987650002' }],
    ['another account', { account: 'other' }],
  ])('not by a conversation of %s', async (_, over) => {
    const member = await rows.member();
    const chat = await rows.conversation({ inboundAt: t(60), ...over });
    await rows.message(chat, t(60), over);
    await stamp();
    expect(await rows.stamps(member)).toEqual({});
  });

  it('in another conversation of the person', async () => {
    const member = await rows.member();
    await rows.conversation({ inboundAt: t(-10) });
    await rows.message(await rows.conversation(), t(60));
    await stamp();
    expect(await rows.stamps(member)).toEqual({ replied: t(60) });
  });

  it('is known although the message itself was deleted', async () => {
    const member = await rows.member();
    await rows.conversation({ inboundAt: t(60) });
    await stamp();
    expect(await rows.stamps(member)).toEqual({ replied: t(60) });
  });

  it('counts from the time the right to trigger was taken, if the outcome was settled a day later', async () => {
    const member = await rows.member({ touchedAt: t(0), triggeredAt: t(86_400) });
    await rows.message(await rows.conversation(), t(60));
    await stamp();
    expect(await rows.stamps(member)).toEqual({ replied: t(60) });
  });

  it('belongs to the campaign that reached the person last', async () => {
    await rows.run('acme/+autumn/1');
    const first = await rows.member({ touchedAt: t(0) });
    const next = await rows.member({ run: 'acme/+autumn/1', touchedAt: t(3600), triggeredAt: t(3600) });
    const chat = await rows.conversation({ inboundAt: t(3700) });
    await rows.message(chat, t(3598), { fromMe: true, status: 'read' });
    await rows.message(chat, t(3700));
    await stamp();
    await stamp('acme/+autumn/1');
    expect(await rows.stamps(first)).toEqual({});
    expect(await rows.stamps(next)).toEqual({ replied: t(3700), delivered: NOW, read: NOW });
  });

  it('keeps its first time, and ignores members that nothing reached', async () => {
    const member = await rows.member();
    const skipped = await rows.member({ key: '5511987650002', state: 'skipped', triggeredAt: t(0) });
    const chat = await rows.conversation();
    await rows.message(chat, t(60));
    await rows.message(await rows.conversation({ key: '5511987650002' }), t(60));
    await stamp();
    await rows.message(chat, t(30));
    await stamp(RUN, LATER);
    expect(await rows.stamps(member)).toEqual({ replied: t(60) });
    expect(await rows.stamps(skipped)).toEqual({});
  });

  it('counts for a member with an unknown outcome', async () => {
    const member = await rows.member({ state: 'unknown', touchedAt: t(0) });
    await rows.message(await rows.conversation(), t(60));
    await stamp();
    expect(await rows.stamps(member)).toEqual({ replied: t(60) });
  });
});

describe('delivered and read', () => {
  it.each<[string, readonly (readonly [seconds: number, status: string | null])[], object]>([
    ['nothing was seen', [], {}],
    ['sent', [[1, 'sent']], {}],
    ['a word that nobody knows', [[1, 'teleported']], {}],
    ['no word at all', [[1, null]], {}],
    ['failed', [[1, 'failed']], {}],
    ['delivered', [[1, 'delivered']], { delivered: NOW }],
    ['read', [[1, 'read']], { delivered: NOW, read: NOW }],
    [
      'the best of several',
      [
        [1, 'failed'],
        [2, 'delivered'],
        [3, 'sent'],
      ],
      { delivered: NOW },
    ],
    ['at the instant of the trigger', [[0, 'read']], { delivered: NOW, read: NOW }],
    ['made while the call was under way', [[-20, 'delivered']], { delivered: NOW }],
    ['of before the campaign', [[-61, 'read']], {}],
  ])('%s', async (_, written, expected) => {
    const member = await rows.member();
    const chat = await rows.conversation();
    for (const [seconds, status] of written) await rows.message(chat, t(seconds), { fromMe: true, status });
    await stamp();
    expect(await rows.stamps(member)).toEqual(expected);
  });

  it('ignores an inbound message, whatever its status', async () => {
    const member = await rows.member();
    await rows.message(await rows.conversation(), t(60), { status: 'read' });
    await stamp();
    expect(await rows.stamps(member)).toEqual({ replied: t(60) });
  });
});

describe('opted out', () => {
  const optOut = (at: Date, key = PERSON, account = ACCOUNT) => noteOptOuts(db, account, [key], 'reply', at);

  it.each<[string, () => Promise<unknown>, object]>([
    ['after the trigger', () => optOut(t(60)), { optedOut: t(60) }],
    ['with the trigger', () => optOut(t(0)), { optedOut: t(0) }],
    ['before it', () => optOut(t(-1)), {}],
    ['somebody else', () => optOut(t(60), '5511987650002'), {}],
    ['of another account', () => optOut(t(60), PERSON, 'other'), {}],
  ])('%s', async (_, write, expected) => {
    const member = await rows.member();
    await write();
    await stamp();
    expect(await rows.stamps(member)).toEqual(expected);
  });

  it('belongs to the campaign that reached the person last', async () => {
    await rows.run('acme/+autumn/1');
    const first = await rows.member({ touchedAt: t(0) });
    const next = await rows.member({ run: 'acme/+autumn/1', touchedAt: t(3600), triggeredAt: t(3600) });
    await optOut(t(4000));
    await stamp();
    await stamp('acme/+autumn/1');
    expect([await rows.stamps(first), await rows.stamps(next)]).toEqual([{}, { optedOut: t(4000) }]);
  });
});

describe('moved and tagged', () => {
  it.each<[string, string | null, object]>([
    ['done', 'done', { moved: t(30), tagged: t(30) }],
    ['nothing to change', 'unchanged', { moved: t(30), tagged: t(30) }],
    ['not done yet', null, {}],
    ['failed', 'failed', {}],
    ['unknown', 'unknown', {}],
    ['overtaken', 'superseded', {}],
    ['discarded', 'discarded', {}],
  ])('%s', async (_, outcome, expected) => {
    const member = await rows.member({ events: ['s1', 't1'] });
    await rows.event('s1', 'stage', { outcome });
    await rows.event('t1', 'tags', { outcome });
    await stamp();
    expect(await rows.stamps(member)).toEqual(expected);
  });

  it('an event that failed and was tried again counts when it is done', async () => {
    const member = await rows.member({ events: ['s1', 't1'] });
    await rows.event('s1', 'stage', { outcome: 'failed' });
    await rows.event('t1', 'tags');
    await stamp();
    expect(await rows.stamps(member)).toEqual({ tagged: t(30) });
    await db.query("update events set outcome = 'done' where id = 's1'");
    await stamp();
    expect(await rows.stamps(member)).toEqual({ moved: t(30), tagged: t(30) });
  });

  it('is recorded before its events are deleted', async () => {
    const member = await rows.member({ events: ['s1', 't1'] });
    await rows.event('s1', 'stage', { endedAt: new Date('2026-01-01T00:00:00Z') });
    await rows.event('t1', 'tags', { endedAt: new Date() });
    await stampBeforeForgetting(db, 30);
    expect(await forgetEvents(db, 30)).toBe(1);
    await stamp();
    expect(Object.keys(await rows.stamps(member))).toEqual(['moved', 'tagged']);
  });
});

describe('a second update', () => {
  it('checks only what was read since the first one', async () => {
    const member = await rows.member();
    const chat = await rows.conversation();
    await stamp();
    await rows.message(chat, t(60));
    await longAgo();
    await stamp();
    expect(await rows.stamps(member)).toEqual({});
    await db.query('update conversations set read_at = now()');
    await stamp();
    expect(await rows.stamps(member)).toEqual({ replied: t(60) });
  });

  it('sees a reading that was committed after the last update but began before it', async () => {
    const member = await rows.member();
    const chat = await rows.conversation();
    await stamp();
    await rows.message(chat, t(60));
    await db.query("update conversations set read_at = now() - interval '4 minutes'");
    await stamp();
    expect(await rows.stamps(member)).toEqual({ replied: t(60) });
  });

  it('has the same result in steps, even if more was read at one time than a step takes', async () => {
    await rows.member({ count: 45, events: ['s1'] });
    await rows.event('s1', 'stage');
    await db.query(
      `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, read_at, inbound_at)
       select 'acme', 10000 + id, 'chats', 1, 'waba', key, now(), 'p', '{}',
              case when id <= (select min(id) + 24 from campaign_members) then now() else now() - id * interval '1 microsecond' end, $1::timestamptz
         from campaign_members`,
      [t(60)],
    );
    await catchUp(db, RUN, NOW, 20);
    const [sums] = await db.query(
      'select count(replied_at)::int as replied, count(moved_at)::int as moved from campaign_members',
    );
    expect(sums).toEqual({ replied: 45, moved: 45 });
  });
});
