// A service in other shapes than assumed, seen through a poller and a campaign: nothing that could not be read counts as
// nothing, nobody who is protected is reached, and after the override all goes on, nothing lost and nothing twice.
import { describe, expect, it } from 'vitest';
import {
  OPTED_OUT,
  openReshapedContext as open,
  REACHED,
  SERVED,
} from '../../../../support/reshaped/reshaped-context.ts';
import {
  answerWith,
  type Body,
  eachItem,
  eachMessage,
  HISTORY,
  type Rule,
  rename,
  wrap,
} from '../../../../support/reshaped/reshaped-service.ts';

const MESSAGES = ['received Sair!', 'received help me', 'received thanks', 'sent welcome'];
const LIST = /^GET \/v1\/conversations$/;
const TRIGGER = /^POST \/v1\/flows\/trigger$/;
const eachChat = (change: (item: Body) => void): Rule => eachItem(LIST, 'conversations', change);

it('a service as assumed: unprotected people are triggered once, and everything is published', async () => {
  const { worker, reached, published, report } = await open();
  const sluice = await worker();
  expect(await sluice.poll()).toBeNull();
  const plan = await sluice.plan();
  expect(plan).toMatchObject({ problems: [], excluded: { OPTED_OUT: 1, HUMAN_SERVICE: 1 } });
  await sluice.start(plan.run);
  expect(await sluice.run(plan.run)).toEqual({ do: 'finished' });
  expect(await reached()).toEqual(REACHED);
  expect((await published()).sort()).toEqual(MESSAGES);
  expect(await report(plan.run)).toMatchObject({ verified: { how: 'answer' }, blocked: null });
});

describe('messages in another form block the poller and the campaign until the override', () => {
  const time = (item: Body) => Date.parse(item.createdAt);
  it.each<[string, (item: Body) => void, Record<string, unknown>]>([
    [
      'the direction is renamed',
      (m) => rename(m, 'fromMe', 'outgoing'),
      { 'message.fromMeField': 'outgoing' },
    ],
    [
      'the direction is nested',
      (m) => rename(m, 'fromMe', 'key.fromMe'),
      { 'message.fromMeField': 'key.fromMe' },
    ],
    [
      'the direction is a word',
      (m) => {
        m.direction = m.fromMe ? 'outbound' : 'inbound';
        delete m.fromMe;
      },
      { 'message.fromMeField': { path: 'direction', values: { inbound: false, outbound: true } } },
    ],
    [
      'the direction is 0 or 1',
      (m) => {
        m.fromMe = Number(m.fromMe);
      },
      { 'message.fromMeField': { path: 'fromMe', values: { 0: false, 1: true } } },
    ],
    ['the time is renamed', (m) => rename(m, 'createdAt', 'sentAt'), { 'message.timeField': 'sentAt' }],
    [
      'the time is in seconds',
      (m) => {
        m.createdAt = time(m) / 1000;
      },
      { 'message.timeField': { path: 'createdAt', unit: 's' } },
    ],
    [
      'the time is in milliseconds, elsewhere',
      (m) => {
        m.meta = { at: time(m) };
        delete m.createdAt;
      },
      { 'message.timeField': { path: 'meta.at', unit: 'ms' } },
    ],
    ['the text is renamed', (m) => rename(m, 'body', 'text'), { 'message.bodyField': 'text' }],
    ['the text is nested', (m) => rename(m, 'body', 'content.text'), { 'message.bodyField': 'content.text' }],
    [
      'the status is renamed',
      (m) => rename(m, 'status', 'deliveryStatus'),
      { 'message.statusField': 'deliveryStatus' },
    ],
    [
      'the status is a number',
      (m) => {
        m.status = m.status === 'received' ? 9 : 1;
      },
      { 'message.statusField': { path: 'status', values: { 9: 'received', '*': 'sent' } } },
    ],
    ['the id is nested', (m) => rename(m, 'id', 'id.serialized'), { 'message.idField': 'id.serialized' }],
  ])('%s', async (_, change, override) => {
    const { worker, show, reached, published, db } = await open();
    show(eachMessage(change));
    const sluice = await worker();
    const [assumption = ''] = Object.keys(override);
    const block = await sluice.poll();
    expect(block).toMatchObject({ code: 'UNEXPECTED_SHAPE', shape: { assumptions: [assumption] } });
    expect(block?.reason).toContain(`accounts.acme.assumptions: { ${assumption}: … }`);
    expect(await published()).toEqual([]);
    const blocked = await sluice.plan();
    expect(blocked.problems).toMatchObject([
      { code: 'REPLIES_UNREAD', reason: expect.stringContaining(assumption) },
    ]);
    await expect(sluice.start(blocked.run)).rejects.toMatchObject({ nonRetryable: true });
    expect(await reached()).toEqual([]);

    const mended = await worker(override);
    expect(await mended.poll()).toBeNull();
    expect((await published()).sort()).toEqual(MESSAGES);
    const plan = await mended.plan();
    expect(plan).toMatchObject({ problems: [], excluded: { OPTED_OUT: 1, HUMAN_SERVICE: 1 } });
    await mended.start(plan.run);
    expect(await mended.run(plan.run)).toEqual({ do: 'finished' });
    expect(await reached()).toEqual(REACHED);
    expect(await db.query('select 1 from poll_gaps')).toEqual([]);
  });
});

describe('a list or a history at another path blocks both, and is read once it is back', () => {
  it.each<[string, Rule]>([
    ['the status of conversations', eachChat((c) => rename(c, 'status', 'state'))],
    ['their last update', eachChat((c) => rename(c, 'updatedAt', 'lastUpdate'))],
    ['their last update, in seconds', eachChat((c) => void (c.updatedAt = Date.parse(c.updatedAt) / 1000))],
    ['their contact', eachChat((c) => rename(c, 'contact', 'person'))],
    ['the number of their contact', eachChat((c) => rename(c.contact, 'number', 'phone'))],
    ['whether the chatbot has them', eachChat((c) => rename(c, 'chatbot', 'bot'))],
    ['who serves them, as a name', eachChat((c) => void (c.userId = 'Ana'))],
    ['the list of conversations', wrap(LIST, 'conversations', 'data')],
    [
      'the list of conversations, empty though counted',
      answerWith(LIST, 200, { count: 3, hasMore: false, conversations: [] }),
    ],
    [
      'the list of conversations, said to end before its count',
      { on: LIST, answer: ({ body }) => void (body.conversations = body.conversations.slice(0, 1)) },
    ],
    ['the list of messages', wrap(HISTORY, 'messages', 'data')],
    [
      'the list of messages, empty though counted',
      answerWith(HISTORY, 200, { count: 3, hasMore: false, messages: [] }),
    ],
    [
      'the list of messages, empty though the list shows one',
      answerWith(HISTORY, 200, { count: 0, hasMore: false, messages: [] }),
    ],
  ])('%s', async (what, rule) => {
    const { worker, show, reached, published, db } = await open();
    show(rule);
    const sluice = await worker();
    const isMissing = what.endsWith('though the list shows one');
    expect(await sluice.poll()).toMatchObject(isMissing ? {} : { code: 'UNEXPECTED_SHAPE' });
    const blocked = await sluice.plan();
    if (isMissing) expect(blocked.excluded).toMatchObject({ REPLIES_UNREAD: 3 });
    else expect(blocked.problems).toMatchObject([{ code: 'REPLIES_UNREAD' }]);
    expect(await published()).toEqual([]);

    show();
    // A new message, or a new worker: either has what was missing read again.
    if (isMissing) await db.query("update poll_gaps set assumed = 'others'");
    if (isMissing) await db.query('update pollers set assumed = null');
    expect(await sluice.poll()).toBeNull();
    expect((await published()).sort()).toEqual(MESSAGES);
    const plan = await sluice.plan();
    await sluice.start(plan.run);
    expect(await sluice.run(plan.run)).toEqual({ do: 'finished' });
    expect(await reached()).toEqual(REACHED);
  });
});

describe('unknown data protects people', () => {
  it('one unreadable message: its person is skipped, the others are triggered', async () => {
    const { worker, show, reached } = await open();
    show(eachMessage((m) => m.id === 'a2' && delete m.fromMe));
    const sluice = await worker();
    expect(await sluice.poll()).toBeNull();
    const plan = await sluice.plan();
    expect(plan).toMatchObject({ problems: [], excluded: { REPLIES_UNREAD: 1, HUMAN_SERVICE: 1 } });
    await sluice.start(plan.run);
    await sluice.run(plan.run);
    expect(await reached()).toEqual(REACHED);
  });

  it('the list does not show agents: an open conversation without the chatbot counts as served', async () => {
    const { worker, show, reached } = await open();
    show(
      eachChat((c) => {
        delete c.userId;
        delete c.owner;
      }),
      // Nobody but Sluice protects them.
      { on: TRIGGER, errors: true, answer: (answer) => void (answer.status = 202) },
    );
    const sluice = await worker();
    await sluice.poll();
    const plan = await sluice.plan();
    expect(plan.excluded).toMatchObject({ OPTED_OUT: 1, HUMAN_SERVICE: 1 });
    await sluice.start(plan.run);
    await sluice.run(plan.run);
    expect(await reached()).not.toContain(SERVED);
  });

  it.each(['OPEN', 'in-service'])(
    'the status is the word "%s": such a conversation counts as open',
    async (word) => {
      const { worker, show } = await open();
      show(eachChat((c) => c.status === 'open' && (c.status = word)));
      const sluice = await worker();
      await sluice.poll();
      expect((await sluice.plan()).excluded).toMatchObject({ HUMAN_SERVICE: 1 });
    },
  );

  it('formatted numbers in the list identify the same people', async () => {
    const { worker, show } = await open();
    show(
      eachChat(
        (c) => void (c.contact.number = `+${c.contact.number.slice(0, 1)} ${c.contact.number.slice(1)}`),
      ),
    );
    const sluice = await worker();
    await sluice.poll();
    expect((await sluice.plan()).excluded).toMatchObject({ OPTED_OUT: 1, HUMAN_SERVICE: 1 });
  });

  it('replies change their form during a campaign: it waits, and continues after the override', async () => {
    const { worker, show, panel, reached, report } = await open({
      campaign: { waves: { size: 2, settle: '0s' } },
    });
    const sluice = await worker();
    await sluice.poll();
    const plan = await sluice.plan();
    await sluice.start(plan.run);
    show(eachMessage((m) => rename(m, 'fromMe', 'outgoing')));
    for (const body of ['hi', 'hello', 'Sair', 'please'])
      await panel.inbound({ number: '14155552004', body, connectionId: 1 });
    expect(await sluice.poll()).toMatchObject({ code: 'UNEXPECTED_SHAPE' });
    expect(await sluice.run(plan.run)).toMatchObject({ do: 'blocked', blocked: { code: 'REPLIES_UNREAD' } });
    expect(await report(plan.run)).toMatchObject({ state: 'running', blocked: { code: 'REPLIES_UNREAD' } });
    expect(await reached()).toEqual([]);
    const mended = await worker({ 'message.fromMeField': 'outgoing' });
    expect(await mended.poll()).toBeNull();
    expect(await mended.run(plan.run)).toEqual({ do: 'finished' });
    expect(await reached()).toEqual(REACHED.filter((id) => id !== 4));
    expect(await report(plan.run)).toMatchObject({ blocked: null, total: { skipped: { OPTED_OUT: 1 } } });
  });

  it('a reply that has not been read: its person waits', async () => {
    const { worker, panel, reached } = await open();
    const sluice = await worker();
    await sluice.poll();
    const plan = await sluice.plan();
    await sluice.start(plan.run);
    await panel.inbound({ number: '14155552005', body: 'SAIR', connectionId: 1 });
    const { deps } = sluice;
    // The list was read, the message was not.
    await deps.db.query('update conversations set todo_at = now() where person_key = $1', ['14155552004']);
    await sluice.run(plan.run);
    expect(await reached()).not.toContain(4);
    await sluice.poll();
    expect(await sluice.run(plan.run)).toEqual({ do: 'finished' });
    expect(await reached()).toContain(4);
    expect(await reached()).not.toContain(OPTED_OUT);
  });
});
