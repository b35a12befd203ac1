// Failed events that operators correct and replay: one new event in place of the old one.
import { beforeEach, expect, it } from 'vitest';
import { endEvent } from '../../../../src/jobs/events/store/event-end.ts';
import {
  claimReplacement,
  releaseReplacement,
} from '../../../../src/jobs/events/store/event-replacements.ts';
import { addEvents } from '../../../../src/jobs/events/store/events.ts';
import { openIntakeRun } from '../../../../src/jobs/events/store/intake-runs.ts';
import { operatorContext, startsEvents } from '../../../support/operator/context.ts';

const NUMBER = '5511987654321';
const STORED = { type: 'tags' as const, number: NUMBER, key: NUMBER, add: ['vp'], remove: [] };
const GOOD = { ...STORED, add: ['vip'] };

let started: string[];
let refuse: boolean;
beforeEach(() => {
  started = [];
  refuse = false;
});
const action = { type: 'tags', number: 'phone', defaultCountry: 'BR', add: ['vip'] };
const { db, operator } = operatorContext({
  yaml: {
    version: 1,
    accounts: { acme: { baseUrl: 'http://127.0.0.1:1/wapi', tokens: ['env:A'] } },
    routes: { site: { account: 'acme', action, http: { path: '/site', auth: { type: 'none' } } } },
  },
  temporal: () =>
    startsEvents((events) => {
      if (refuse) throw new Error('Temporal is away');
      started.push(...events);
    }),
});

async function ended(outcome: 'failed' | 'unknown' | 'done', route = 'site'): Promise<string> {
  const id = `old-${route}`;
  const run = await openIntakeRun(db, { account: 'acme', sync: `@${route}` });
  const draft = { account: 'acme', route, id, subject: `person/${NUMBER}`, rank: 7, request: STORED };
  await addEvents(db, run, [draft]);
  await endEvent(db, id, { outcome, code: 'ERR_TAG', reason: 'there is no tag of this name' });
  return id;
}

const replay = async (event: string, request: Record<string, unknown> = GOOD) =>
  (await operator.client.call('POST /events/{event}/replay', { event, request })).result;
const show = async (event: string) => await operator.client.call('GET /events/{event}', { event });
const retried = async (event: string) =>
  (await operator.client.call('POST /events/retry', { ids: [event] })).retried.length;
const aMinuteLater = (event: string) =>
  db.query("update events set replaced_at = now() - interval '61 seconds' where id = $1", [event]);
const rows = async () => (await operator.client.call('GET /events', {})).events;

it('a corrected event runs in place of the old one, in its order, and says by which', async () => {
  const event = await ended('failed');
  expect(await show(event)).toMatchObject({ canCorrect: true });
  const dryRun = await operator.client.call('POST /events/{event}/dry-run', { event, request: GOOD });
  expect(dryRun.now).toMatchObject({ outcome: 'accepted', events: [{ action: 'tags' }] });
  expect(JSON.stringify(dryRun)).not.toContain('98765');
  expect(started).toEqual([]);
  const result = await replay(event);
  expect(result).toMatchObject({ id: event, outcome: 'accepted', events: [{ duplicate: false }] });
  expect(started).toHaveLength(1);
  const [id = ''] = started;
  expect(await show(event)).toMatchObject({
    outcome: 'superseded',
    code: 'ERR_TAG',
    request: null,
    replacedBy: id,
    canCorrect: false,
  });
  const [made] = await db.query('select rank, subject, request from events where id = $1', [id]);
  const [old] = await db.query<{ subject: string }>('select subject from events where id = $1', [event]);
  expect(made).toEqual({ rank: 7, subject: old?.subject, request: GOOD });
  const [audited] = await db.query<{ target: string; details: object }>(
    "select target, details from operator_audit where target like '%replay%' order by id desc limit 1",
  );
  expect(JSON.stringify(audited)).toContain(event);
  expect(JSON.stringify(audited)).not.toMatch(/98765|vip/);
});

it('a second click makes no second event, and names the first', async () => {
  const event = await ended('failed');
  await replay(event);
  for (const request of [GOOD, { ...GOOD, add: ['other'] }])
    await expect(replay(event, request)).rejects.toMatchObject({
      code: 'EVENT_REPLACED',
      message: expect.stringContaining(started[0] ?? '-'),
    });
  expect(started).toHaveLength(1);
});

it.each([
  ['the same', GOOD, GOOD],
  ['another', GOOD, { ...GOOD, add: ['other'] }],
])('two clicks at the same time, the second with %s correction, make one event', async (_, one, other) => {
  const event = await ended('failed');
  const results = await Promise.allSettled([replay(event, one), replay(event, other)]);
  expect(results.map(({ status }) => status)).toContain('fulfilled');
  expect(new Set(started).size).toBe(1);
  expect(await rows()).toHaveLength(2);
});

it('a correction whose start Temporal did not confirm is repeated, and no other takes its place', async () => {
  const event = await ended('failed');
  refuse = true;
  await expect(replay(event)).rejects.toMatchObject({ kind: 'unavailable', code: 'TEMPORAL' });
  expect(await show(event)).toMatchObject({ outcome: 'failed', replacedBy: null });
  refuse = false;
  await aMinuteLater(event);
  expect(await retried(event)).toBe(0);
  await expect(replay(event, { ...GOOD, add: ['other'] })).rejects.toMatchObject({ code: 'EVENT_REPLACED' });
  expect(await replay(event)).toMatchObject({ outcome: 'accepted' });
  expect(new Set(started).size).toBe(1);
});

it('a crash before the corrected event is stored gives the old one back after a minute', async () => {
  const event = await ended('failed');
  await claimReplacement(db, event, 'x');
  expect(await retried(event)).toBe(0);
  await aMinuteLater(event);
  expect(await retried(event)).toBe(1);
});

it('a correction that is given back leaves the old event as it was', async () => {
  const event = await ended('failed');
  await claimReplacement(db, event, 'x');
  await expect(replay(event)).rejects.toMatchObject({ code: 'EVENT_REPLACED' });
  await releaseReplacement(db, event, 'x');
  expect(await replay(event)).toMatchObject({ outcome: 'accepted' });
});

it('what the correction lacks is named, and nothing changes', async () => {
  const event = await ended('failed');
  const result = await replay(event, { ...GOOD, number: '+55' });
  expect(result).toMatchObject({
    outcome: 'refused',
    code: 'SCHEMA',
    reason: expect.stringContaining('number'),
  });
  expect(await show(event)).toMatchObject({ outcome: 'failed', replacedBy: null });
  expect(started).toEqual([]);
});

it.each(['unknown', 'done'] as const)('an event that is %s is not corrected', async (outcome) => {
  const event = await ended(outcome);
  await expect(replay(event)).rejects.toMatchObject({ kind: 'conflict', code: 'EVENT_NOT_FAILED' });
});

it('an event of a route that is gone stays, and so does one that is not there', async () => {
  const event = await ended('failed', 'gone');
  expect(await replay(event)).toMatchObject({ outcome: 'no route' });
  await expect(replay('nobody')).rejects.toMatchObject({ kind: 'notFound' });
  const viewer = operator.as({ role: 'editor' });
  await expect(viewer.call('POST /events/{event}/replay', { event, request: GOOD })).rejects.toMatchObject({
    kind: 'forbidden',
  });
});
