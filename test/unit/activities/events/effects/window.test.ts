// Messages outside the 24-hour window of waba, as far as a poller has recorded it in the ledger: nothing is sent there by
// accident, and no call is spent on what would not arrive.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { markOf } from '../../../../../activities/shared/message-match.ts';
import { reopenIntent, takeIntent } from '../../../../../src/core/store/intents.ts';
import { type EffectContext, KNOWN, message, openEffectContext, POLLER } from './support.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WABA = 2;
const TEMPLATE = { name: 'promo', language: 'pt_BR', parameters: ['1'] };
/** Nobody listens there: fetching it fails the event. */
const MEDIA = {
  urls: ['http://127.0.0.1:9/a.png'],
  hosts: ['127.0.0.1:9'],
  maxBytes: 10,
  allowPrivate: true,
  timeoutMs: 1000,
};
const EITHER = { outsideWindow: 'template', template: TEMPLATE };

let context: EffectContext;
let talks = 0;
/** A new person with a conversation on waba, in which they last wrote this long ago, in the service and the ledger. */
async function talk(agoMs: number, over: { polledMs?: number; channel?: string } = {}) {
  const id = ++talks;
  const number = `55119700${String(id).padStart(5, '0')}`;
  const [at, connectionId] = [new Date(Date.now() - agoMs), over.channel === undefined ? WABA : 1];
  const state = { contactId: 100 + id, connectionId, status: 'open', chatbot: true };
  await context.panel.patch({
    contacts: [{ id: 100 + id, number, name: `T${id}` }],
    conversations: [
      { id, ...state, messages: [{ id: `in-${id}`, body: 'hi', fromMe: false, at: at.toISOString() }] },
    ],
  });
  const item = { state: { status: 'open', connection: { id: connectionId, name: 'x' } }, lastMessage: 'hi' };
  await context.db.query(
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item, inbound_at)
     values ('acme', $1, $2, $3, $4, $5, $6, '', $7, $6)`,
    [id, POLLER, connectionId, over.channel ?? 'waba', number, at, JSON.stringify(item)],
  );
  await polled(over.polledMs ?? 10_000);
  return {
    id,
    number,
    reply: (more: object = {}) => context.event({ ...message(number), to: { conversation: id }, ...more }),
  };
}
const polled = (agoMs: number) =>
  context.db.query(
    `insert into pollers (account, poller, run_id, since, complete_at) values ('acme', $1, 'r', now() - interval '9 days', $2)
     on conflict (account, poller) do update set complete_at = excluded.complete_at`,
    [POLLER, new Date(Date.now() - agoMs)],
  );
/** Changes when the contact last wrote. */
const wrote = (id: number, agoMs: number) =>
  context.db.query('update conversations set inbound_at = $2 where id = $1', [
    id,
    new Date(Date.now() - agoMs),
  ]);
const calls = async () => (await context.requests()).filter(({ method }) => method === 'POST').length;
/** Texts and templates that went out in a conversation. */
const sentIn = async (id: number) => {
  const { conversations } = await context.state();
  const { messages } = conversations.find((each) => each.id === id) ?? { messages: [] };
  return messages.filter(({ fromMe }) => fromMe).map(({ body, templateData }) => templateData ?? body);
};
const APPROVED = { templateName: 'promo', templateLanguage: 'pt_BR', templateParameters: ['1'] };

beforeAll(async () => {
  context = await openEffectContext();
});
afterAll(() => context.close());
beforeEach(async () => {
  await context.panel.clearFaults();
  await context.db.query("update slots set blocked_until = '-infinity'");
  await context.requests();
});

describe('while the window is closed', () => {
  it.each([
    [
      'a text',
      {},
      /^the 24-hour window has been closed since .*: the text would not be delivered; .*template/,
    ],
    ['files', { text: undefined, media: MEDIA }, /the files would not be delivered/],
    ['a text beside a template', { template: TEMPLATE }, /the text beside the template would be lost/],
    [
      'files beside a template',
      { text: undefined, template: TEMPLATE, media: MEDIA },
      /the files beside the template/,
    ],
    [
      'a text whose route would rather send a template, and the event has none',
      { outsideWindow: 'template' },
      /the event has no template/,
    ],
  ])('%s ends with its code before any call', async (_, over, reason) => {
    const { reply } = await talk(2 * DAY_MS);
    const id = await reply(over);
    expect(await context.drive(id)).toEqual(['sendMessage']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code: 'WINDOW_CLOSED', kept: true });
    expect((await context.outcome(id)).reason).toMatch(reason);
    expect(await context.intent(id)).toBeUndefined();
    expect(await context.requests()).toEqual([]);
  });

  it('and a message of the conversation could not be read, nothing is sent either', async () => {
    const { id, reply } = await talk(2 * DAY_MS);
    await context.db.query(
      `insert into poll_gaps (account, poller, conversation_id, code, reason, assumed)
       values ('acme', $1, $2, 'UNREADABLE', 'no direction', 'others')`,
      [POLLER, id],
    );
    const event = await reply({});
    await context.drive(event);
    expect(await context.outcome(event)).toMatchObject({ outcome: 'failed', code: 'WINDOW_UNREAD' });
    expect(await sentIn(id)).toEqual([]);
  });

  it('and the service shows messages in another form, nothing is sent either', async () => {
    const { id, reply } = await talk(2 * DAY_MS, { polledMs: HOUR_MS });
    await context.db.query("update pollers set block_code = 'UNEXPECTED_SHAPE', block_shape = '{}'");
    const event = await reply({});
    await context.drive(event);
    await context.db.query('update pollers set block_code = null, block_shape = null');
    expect(await context.outcome(event)).toMatchObject({ outcome: 'failed', code: 'WINDOW_UNREAD' });
    expect(await sentIn(id)).toEqual([]);
  });

  it('a template alone is sent', async () => {
    const { id, reply } = await talk(2 * DAY_MS);
    await context.drive(await reply({ text: undefined, template: TEMPLATE }));
    expect(await sentIn(id)).toEqual([APPROVED]);
  });

  it('a route with `template` sends the template instead of text and files, which are not downloaded', async () => {
    const { id, reply } = await talk(2 * DAY_MS);
    const event = await reply({ ...EITHER, media: MEDIA });
    await context.drive(event);
    expect(await sentIn(id)).toEqual([APPROVED]);
    expect(await context.outcome(event)).toMatchObject({ outcome: 'done' });
  });

  it('a route with `send` sends everything', async () => {
    const { id, reply } = await talk(2 * DAY_MS);
    await context.drive(await reply({ outsideWindow: 'send', template: TEMPLATE }));
    expect(await sentIn(id)).toEqual([APPROVED, 'hello']);
  });

  it('a text to the number is refused as well, on the named connection', async () => {
    const { number } = await talk(2 * DAY_MS);
    const id = await context.event(message(number, { connection: WABA }));
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code: 'WINDOW_CLOSED' });
    const stranger = await context.event(message('5511988880001', { connection: WABA }));
    await context.drive(stranger);
    expect((await context.outcome(stranger)).reason).toMatch(
      /the contact has not written for more than 24 hours/,
    );
    expect(await calls()).toBe(0);
  });

  it('a retry by an operator after the contact has written sends it', async () => {
    const { id, reply } = await talk(2 * DAY_MS);
    const event = await reply();
    await context.drive(event);
    await wrote(id, HOUR_MS);
    await context.db.query("update events set state = 'accepted', outcome = null where id = $1", [event]);
    await context.drive(event);
    expect(await sentIn(id)).toEqual(['hello']);
  });
});

describe('while it is open, or not known', () => {
  it.each([
    ['open: the text without the template', HOUR_MS, {}, EITHER, ['hello']],
    [
      'open: text and template, where the route does not choose',
      HOUR_MS,
      {},
      { template: TEMPLATE },
      [APPROVED, 'hello'],
    ],
    ['open: a template that comes alone', HOUR_MS, {}, { ...EITHER, text: undefined }, [APPROVED]],
    [
      'not known: the template, which arrives in any case',
      2 * DAY_MS,
      { polledMs: 2 * HOUR_MS },
      EITHER,
      [APPROVED],
    ],
    ['not known: the text', 2 * DAY_MS, { polledMs: 2 * HOUR_MS }, {}, ['hello']],
    [
      'not known: the text, as the event has no template',
      2 * DAY_MS,
      { polledMs: 2 * HOUR_MS },
      { outsideWindow: 'template' },
      ['hello'],
    ],
    ['no waba: the text', 2 * DAY_MS, { channel: 'whatsapp' }, EITHER, ['hello']],
  ])('%s is sent', async (_, agoMs, over, request, sent) => {
    const { id, reply } = await talk(agoMs, over);
    const event = await reply(request);
    await context.drive(event);
    expect(await sentIn(id)).toEqual(sent);
    expect(await context.outcome(event)).toMatchObject({ outcome: 'done' });
  });
});

describe('a window that opens or closes while a message waits', () => {
  /** A worker whose next message waits for its slot until after the contact's 24 hours are over. */
  const queuedPastTheWindow = (id: number) => {
    const by = context.worker();
    const { budget } = by.deps;
    const { reserve } = budget;
    vi.spyOn(budget, 'reserve').mockImplementationOnce(async (...options) => {
      await wrote(id, DAY_MS);
      const now = performance.now.bind(performance);
      vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
      return await reserve(...options);
    });
    return by;
  };
  afterEach(() => void vi.restoreAllMocks());

  it('FAULTS 45: it closes while the message is queued: the event ends with its code, without a call', async () => {
    const { id, reply } = await talk(DAY_MS - 10 * 60_000);
    const event = await reply();
    const steps = await context.drive(event, { by: queuedPastTheWindow(id) });
    expect(steps).toEqual(['sendMessage', 'sendMessage']);
    expect(await context.outcome(event)).toMatchObject({ outcome: 'failed', code: 'WINDOW_CLOSED' });
    expect(await context.requests()).toEqual([]);
    expect(await context.intent(event)).toBeUndefined();
  });

  it('FAULTS 45: it closes while the message is queued: the template is sent, and searched for', async () => {
    const { id, reply } = await talk(DAY_MS - 10 * 60_000);
    const event = await reply(EITHER);
    await context.panel.fault({ method: 'POST', path: '/v1/conv', kind: 'reset-after', times: 1 });
    const steps = await context.drive(event, { by: queuedPastTheWindow(id) });
    expect(steps).toEqual(['sendMessage', 'sendMessage', 'readBackMessage']);
    expect(await sentIn(id)).toEqual([APPROVED]);
    expect(await context.outcome(event)).toMatchObject({ outcome: 'done' });
  });

  it.each([
    ['a template, and the window opens', 2 * DAY_MS, HOUR_MS, APPROVED],
    ['a text, and the window closes', HOUR_MS, 2 * DAY_MS, 'hello'],
  ])(
    'the answer to %s is lost: what was sent is searched for and not sent again',
    async (_, before, after, sent) => {
      const { id, reply } = await talk(before);
      const event = await reply(EITHER);
      await context.panel.fault({ method: 'POST', path: '/v1/conv', kind: 'reset-after', times: 1 });
      expect((await context.step('sendMessage', event)).next).toBe('readBackMessage');
      await wrote(id, after);
      // A worker that died begins at the first step again.
      expect(await context.drive(event)).toEqual(['sendMessage', 'readBackMessage']);
      expect(await sentIn(id)).toEqual([sent]);
      expect(await context.outcome(event)).toMatchObject({ outcome: 'done' });
    },
  );

  it('a call without effect is not repeated after the window has closed', async () => {
    const { id, reply } = await talk(HOUR_MS);
    const event = await reply();
    await context.panel.fault({ method: 'POST', path: '/v1/conv', kind: 'reset-before', times: 1 });
    await context.step('sendMessage', event);
    await wrote(id, DAY_MS);
    expect(new Set(await context.drive(event))).toEqual(new Set(['sendMessage', 'readBackMessage']));
    expect(await context.outcome(event)).toMatchObject({ outcome: 'failed', code: 'WINDOW_CLOSED' });
    expect(await sentIn(id)).toEqual([]);
  });

  it('after a call without effect the content is chosen again, and the intent records what was sent', async () => {
    const { reply } = await talk(2 * DAY_MS);
    const event = await reply(EITHER);
    const key = { account: 'acme', kind: 'event-message' as const, subject: event };
    // It had found the window open.
    const says = { mark: markOf({ text: 'hello' }), trace: { to: 'x' } };
    const taken = await takeIntent(context.db, { ...key, ...says, run: context.run });
    await reopenIntent(context.db, taken?.id as number, 1);
    await context.drive(event);
    const [row] = await context.db.query<{ mark: string }>('select mark from intents where subject = $1', [
      event,
    ]);
    expect(row?.mark).toBe(markOf({ template: TEMPLATE }));
  });
});

it('a message is followed, whether sent or found', async () => {
  const { id, reply } = await talk(HOUR_MS);
  const followed = async (event: string) =>
    await context.db.query(
      'select conversation_id, status, next_at is not null as due from deliveries where event_id = $1',
      [event],
    );
  const sent = await reply();
  await context.drive(sent);
  expect(await followed(sent)).toMatchObject([{ conversation_id: id, due: true }]);
  await context.panel.fault({ method: 'POST', path: '/v1/conv', kind: 'reset-after', times: 1 });
  const found = await reply({ text: 'again' });
  await context.drive(found);
  expect(await followed(found)).toMatchObject([{ conversation_id: id, due: true }]);
  const unsaved = await context.event(message(KNOWN[0] as string, { saveOnTicket: false }));
  await context.drive(unsaved);
  expect(await context.outcome(unsaved)).toMatchObject({ outcome: 'done' });
});
