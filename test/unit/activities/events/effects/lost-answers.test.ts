// Answers to messages and moves that get lost: one effect all the same, or an outcome shown as unknown.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { takeIntent } from '../../../../../src/core/store/intents.ts';
import { effects } from '../../../../support/panel.ts';
import { type EffectContext, FAULTS, KNOWN, message, openEffectContext, stage } from './support.ts';

let context: EffectContext;
/** A client that does not wait long for an answer. */
let hasty: ReturnType<EffectContext['worker']>;
beforeAll(async () => {
  const card = { pipelineId: 1, stageId: 11, title: 'A', status: 'open' };
  context = await openEffectContext({
    cards: Array.from({ length: 40 }, (_, n) => ({ ...card, id: n + 1, contactId: 1 })),
    conversations: [{ id: 1, contactId: 4, connectionId: 1, status: 'open', chatbot: true }],
  });
  hasty = context.worker({ deadlineMs: 150 });
});
afterAll(() => context.close());
beforeEach(async () => {
  await context.panel.clearFaults();
  await context.requests();
});

let people = 0;
const newNumber = () => `55119${String(80_000_000 + ++people)}`;
let cards = 0;
const newMove = () => ({ ...stage(KNOWN[0] as string), of: { card: ++cards } });
const SEND = '/v1/messages/send';
const lose = (over: object) => context.panel.fault({ method: 'POST', path: SEND, times: 1, ...over });

describe('a message with a lost response arrives once', () => {
  it.each(FAULTS)('%s', async (_, fault, sends) => {
    const to = newNumber();
    await lose(fault);
    const id = await context.event(message(to));
    await context.drive(id, { by: hasty });
    expect(await context.sentTo(to)).toEqual(['hello']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done', kept: false });
    expect(await context.intent(id)).toMatchObject({ state: 'done', sends });
    expect((await context.intent(id))?.trace).toMatchObject({
      ticket: expect.any(Number),
      messages: [expect.any(String)],
    });
  });

  it('also to a contact with the old form of its number', async () => {
    const old = KNOWN[1] as string;
    await lose({ kind: 'reset-after' });
    const id = await context.event(message(old));
    expect(await context.drive(id)).toEqual(['sendMessage', 'findConversation', 'readBackMessage']);
    expect(await context.sentTo(old)).toEqual(['hello']);
  });

  it('and a reply, and a template', async () => {
    const template = { name: 'promo', language: 'pt_BR', parameters: ['1'] };
    for (const over of [{ text: 'reply' }, { text: undefined, template }]) {
      await context.panel.fault({ method: 'POST', path: '/v1/conv', kind: 'reset-after', times: 1 });
      const id = await context.event({ ...message(KNOWN[3] as string), to: { conversation: 1 }, ...over });
      expect(await context.drive(id)).toEqual(['sendMessage', 'readBackMessage']);
      expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
    }
    expect(await context.sentTo(KNOWN[3] as string)).toEqual(['reply', '']);
  });

  it.each([
    ['its conversation', '/v1/conversations$', { conversations: [] }, []],
    ['in its conversation', '/messages$', { messages: [] }, ['readBackMessage'] as const],
  ])('FAULTS 3: and %s shows only later', async (_, path, nothing, checked) => {
    const to = newNumber();
    await lose({ kind: 'reset-after' });
    const body = { requestId: 'x', count: 0, hasMore: false, ...nothing };
    await context.panel.fault({ method: 'GET', path, kind: 'status', status: 200, body, times: 1 });
    const id = await context.event(message(to));
    const again = ['findConversation', 'readBackMessage'];
    expect(await context.drive(id)).toEqual(['sendMessage', 'findConversation', ...checked, ...again]);
    expect(await context.sentTo(to)).toEqual(['hello']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it('FAULTS 2: and it cannot be checked: unknown, and never sent again', async () => {
    const to = newNumber();
    await lose({ kind: 'reset-after' });
    await context.panel.fault({ method: 'GET', kind: 'status', status: 500, body: { error: 'oops' } });
    const id = await context.event(message(to));
    expect(await context.drive(id)).toHaveLength(13);
    expect(await context.outcome(id)).toMatchObject({
      outcome: 'unknown',
      code: 'READ_BACK_FAILED',
      step: 'sendMessage',
      kept: true,
    });
    await context.panel.clearFaults();
    expect(await context.drive(id)).toEqual(['sendMessage']);
    expect(await context.sentTo(to)).toEqual(['hello']);
  });

  it('and the token may not read: unknown', async () => {
    const to = newNumber();
    await lose({ kind: 'reset-after' });
    const body = { error: 'no', code: 'ERR_SCOPE_MISSING', requiredScope: 'conversations:read' };
    await context.panel.fault({ method: 'GET', kind: 'status', status: 403, body });
    const id = await context.event(message(to));
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'unknown', code: 'READ_BACK_REFUSED' });
  });

  it('FAULTS 12: and the token is revoked: the event waits, and is searched for once there is a token again', async () => {
    const to = newNumber();
    await lose({ kind: 'reset-after' });
    const body = { error: 'no', code: 'ERR_TOKEN_REVOKED' };
    await context.panel.fault({ method: 'GET', kind: 'status', status: 401, body });
    const id = await context.event(message(to));
    await expect(context.drive(id)).rejects.toMatchObject({ type: 'ERR_TOKEN_REVOKED' });
    expect(await context.outcome(id)).toMatchObject({ outcome: null });
    await context.panel.clearFaults();
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
    expect(await context.sentTo(to)).toEqual(['hello']);
  });

  it('three times in a row without effect: unknown', async () => {
    const to = newNumber();
    await lose({ kind: 'reset-before', times: 3 });
    const id = await context.event(message(to));
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'unknown', code: 'ANSWERS_LOST' });
    expect(await context.sentTo(to)).toEqual([]);
  });

  it.each<[string, object, string, Record<string, string>?]>([
    ['fire and forget', { saveOnTicket: false }, 'MESSAGE_UNVERIFIABLE'],
    [
      'a template, in a history without templates',
      { text: undefined, template: { name: 'a', language: 'b', parameters: [] } },
      'MESSAGE_UNVERIFIABLE',
      { 'message.templateField': 'hsm' },
    ],
  ])('%s: unknown, and never sent again', async (_, over, code, assumptions = {}) => {
    const to = newNumber();
    await lose({ kind: 'reset-after' });
    const id = await context.event(message(to, over));
    await context.drive(id, { by: context.worker({ assumptions }) });
    expect(await context.outcome(id)).toMatchObject({ outcome: 'unknown', code });
    expect(effects(await context.requests(), 'POST', /messages/)).toHaveLength(1);
  });

  it.each([
    ['whose texts can not be read', { 'message.bodyField': 'words' }],
    ['without senders', { 'message.fromMeField': 'mine' }],
    ['without times', { 'message.timeField': 'when' }],
  ])('in a history %s: the event waits, and is found after the override', async (_, assumptions) => {
    const to = newNumber();
    await lose({ kind: 'reset-after' });
    const id = await context.event(message(to));
    const [assumption = ''] = Object.keys(assumptions);
    await expect(context.drive(id, { by: context.worker({ assumptions }) })).rejects.toMatchObject({
      type: 'UNEXPECTED_SHAPE',
      message: expect.stringContaining(`accounts.acme.assumptions: { ${assumption}: …`) as string,
    });
    expect(await context.outcome(id)).toMatchObject({ outcome: null });
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
    expect(await context.sentTo(to)).toEqual(['hello']);
  });

  it('and an old message is identical: it is not mistaken for it', async () => {
    const to = newNumber();
    await context.drive(await context.event(message(to)));
    await lose({ kind: 'reset-before' });
    const id = await context.event(message(to));
    await context.drive(id);
    expect(await context.sentTo(to)).toEqual(['hello', 'hello']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it('and the customer sends the same text: it is not mistaken for it', async () => {
    const to = newNumber();
    await context.drive(await context.event(message(to, { text: 'first' })));
    await fetch(`${context.sandbox.panelUrl}/accounts/acme/inbound`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ number: to, body: 'hello', connectionId: 1 }),
    });
    await lose({ kind: 'reset-before' });
    await context.drive(await context.event(message(to)));
    expect(await context.sentTo(to)).toEqual(['first', 'hello']);
  });

  it('and showed in one conversation only after that was searched: the others do not settle it', async () => {
    const to = newNumber();
    await context.client.messages.send({ number: to, body: 'another', whatsappId: 2 });
    await lose({ kind: 'reset-after' });
    const body = { requestId: 'x', count: 0, hasMore: false, messages: [] };
    await context.panel.fault({
      method: 'GET',
      path: '/messages$',
      kind: 'status',
      status: 200,
      body,
      times: 1,
    });
    const id = await context.event(message(to));
    for (const step of ['sendMessage', 'findConversation', 'readBackMessage'] as const)
      expect(await context.step(step, id)).not.toMatchObject({ next: 'sendMessage' });
    await context.pass(61_000);
    const again = ['findConversation', 'readBackMessage'];
    expect(await context.drive(id, { from: 'readBackMessage' })).toEqual(['readBackMessage', ...again]);
    expect((await context.sentTo(to)).sort()).toEqual(['another', 'hello']);
  });

  it('in the conversation of the connection that it took, while another one is newer', async () => {
    const to = newNumber();
    await lose({ kind: 'reset-after' });
    const id = await context.event(message(to));
    expect(await context.step('sendMessage', id)).toMatchObject({ next: 'findConversation' });
    await context.client.messages.send({ number: to, body: 'another', whatsappId: 2 });
    await context.drive(id, { from: 'findConversation' });
    expect((await context.sentTo(to)).sort()).toEqual(['another', 'hello']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
  });
});

describe('two identical messages to the same person', () => {
  it.each([
    ['both arrived', ['reset-after', 'reset-after']],
    ['one arrived', ['reset-after', 'reset-before']],
    ['the other arrived', ['reset-before', 'reset-after']],
    ['none arrived', ['reset-before', 'reset-before']],
  ])('both responses are lost, %s: two messages in the end', async (_, kinds) => {
    const to = newNumber();
    const ids = [await context.event(message(to)), await context.event(message(to))];
    for (const [n, id] of ids.entries()) {
      await lose({ kind: kinds[n] });
      expect(await context.step('sendMessage', id)).toMatchObject({ next: 'findConversation' });
    }
    // The later one checks first, again and again: it has to leave the message to the other.
    const [first, second] = ids as [string, string];
    for (let n = 0; n < 3; n++) await context.step('findConversation', second);
    await context.step('readBackMessage', second);
    await context.pass(61_000);
    await context.drive(first, { from: 'findConversation' });
    await context.drive(second, { from: 'findConversation' });
    expect(await context.sentTo(to)).toEqual(['hello', 'hello']);
    for (const id of ids) expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
    const keys = await Promise.all(ids.map(async (id) => (await context.intent(id))?.trace));
    expect(
      new Set(keys.map((trace) => JSON.stringify((trace as { messages: string[] }).messages))).size,
    ).toBe(2);
  });

  it('one is in progress: the other waits for its response before it takes a message', async () => {
    const to = newNumber();
    const [lostOne, flying] = [await context.event(message(to)), await context.event(message(to))];
    await lose({ kind: 'reset-before' });
    await context.step('sendMessage', lostOne);
    await context.step('findConversation', lostOne);
    // Its effect is there, its answer still on the way.
    await takeIntent(context.db, {
      account: 'acme',
      kind: 'event-message',
      subject: flying,
      run: context.run,
      trace: { to },
      mark: (
        await context.db.query<{ mark: string }>('select mark from intents where subject = $1', [lostOne])
      )[0]?.mark as string,
    });
    await context.client.messages.send({ number: to, body: 'hello' });
    await context.step('findConversation', lostOne);
    expect(await context.step('readBackMessage', lostOne)).toMatchObject({
      next: 'findConversation',
      waitMs: 61_000,
    });
    expect(await context.outcome(lostOne)).toMatchObject({ outcome: null });
  });
});

describe('a move with a lost response is made once', () => {
  it.each(FAULTS)('%s', async (_, fault, sends) => {
    await context.panel.fault({ ...fault, method: 'PATCH', path: '/stage', times: 1 });
    const id = await context.event(newMove());
    await context.drive(id, { by: hasty });
    const { cards: all } = await context.state();
    expect(all.find((card) => card.id === cards)).toMatchObject({ stageId: 12 });
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
    expect(await context.intent(id)).toMatchObject({ state: 'done', sends });
    expect(effects(await context.requests(), 'PATCH', /stage/)).toHaveLength(1);
  });

  it('and somebody moved the card meanwhile: their move is kept', async () => {
    await context.panel.fault({ method: 'PATCH', kind: 'reset-before', times: 1 });
    const id = await context.event(newMove());
    await context.step('moveCard', id);
    // The first check shows the card's stage.
    expect(await context.step('readBackMove', id)).toMatchObject({ next: 'readBackMove' });
    await context.panel.patch({ cards: [{ id: cards, stageId: 13 }] });
    await context.pass(61_000);
    await context.drive(id, { from: 'readBackMove' });
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
    expect((await context.state()).cards.find((card) => card.id === cards)).toMatchObject({ stageId: 13 });
  });

  it('FAULTS 2: and it cannot be checked: unknown, also after a restart', async () => {
    await context.panel.fault({ method: 'PATCH', kind: 'reset-after', times: 1 });
    await context.panel.fault({ method: 'GET', kind: 'reset-before' });
    const id = await context.event(newMove());
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'unknown', code: 'READ_BACK_FAILED' });
    expect(await context.step('moveCard', id)).toEqual({ next: null });
  });

  it('to a final stage, and the event is begun again: the card that is closed by now is not missed', async () => {
    const id = await context.event(stage(KNOWN[0] as string, { stage: 'Won' }));
    for (const step of ['findContact', 'findOpenCard'] as const) await context.step(step, id);
    await context.panel.fault({ method: 'PATCH', kind: 'reset-after', times: 1 });
    await context.step('moveCard', id);
    const steps = ['findContact', 'findOpenCard', 'readBackMove'];
    expect(await context.drive(id)).toEqual(steps);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
    expect((await context.state()).cards.filter(({ status }) => status === 'won')).toHaveLength(1);
  });
});
