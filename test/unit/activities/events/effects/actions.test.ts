// What events make happen at the service when all goes well, and what they end as when the service says no.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createEffects } from '../../../../../activities/events/effects/index.ts';
import { until } from '../../../../support/until.ts';
import { type EffectContext, flow, KNOWN, message, openEffectContext, stage, tags } from './support.ts';

let context: EffectContext;
beforeAll(async () => {
  const card = { pipelineId: 1, stageId: 11, title: 'A', status: 'open' };
  context = await openEffectContext({
    cards: [
      { ...card, id: 1, contactId: 1 },
      { ...card, id: 2, contactId: 1 },
      { ...card, id: 3, contactId: 1, stageId: 13, status: 'won' },
      { ...card, id: 4, contactId: 3 },
    ],
    conversations: [
      { id: 1, contactId: 4, connectionId: 1, status: 'open', chatbot: false, userId: 1 },
      { id: 2, contactId: 5, connectionId: 3, status: 'open', chatbot: true },
    ],
  });
});
afterAll(() => context.close());
beforeEach(async () => {
  await context.panel.clearFaults();
  await context.requests();
});

const num = (n: number) => KNOWN[n - 1] as string;
const cardStage = async (id: number) => (await context.state()).cards.find((card) => card.id === id)?.stageId;
const tagsOf = async (id: number) => (await context.state()).contacts.find((each) => each.id === id)?.tagIds;
const calls = async () =>
  (await context.requests()).map(({ method, path }) => `${method} ${path.split('?')[0]}`);

describe('tags', () => {
  it('are added and removed, and other tags stay; removing an unknown name is no error', async () => {
    const id = await context.event(tags(num(1), ['VIP', 'crm'], ['nowhere']));
    expect(await context.drive(id)).toEqual(['findContact', 'putTags']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done', kept: false });
    expect((await tagsOf(1))?.sort()).toEqual([1, 2, 3]);
    await context.drive(await context.event(tags(num(1), [], ['crm', 'Vip'])));
    expect(await tagsOf(1)).toEqual([3]);
    expect(await calls()).toEqual([
      'GET /v1/contacts',
      'PUT /v1/contacts/1/tags',
      'GET /v1/contacts',
      'PUT /v1/contacts/1/tags',
    ]);
  });

  it('are in the call log with their person', async () => {
    await context.drive(await context.event(tags(num(1), ['vip'])));
    const logged = () =>
      context.db.query<{ route: string }>('select distinct route from calls where person_key = $1', [num(1)]);
    await until('the log is written', async () => (await logged()).length > 0);
    expect(await logged()).toContainEqual({ route: '/v1/contacts' });
  });

  it('that are already right cost no write', async () => {
    const id = await context.event(tags(num(1), ['by-hand'], ['crm']));
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'unchanged' });
    expect(await calls()).toEqual(['GET /v1/contacts']);
  });

  it('are found under the old form of a Brazilian number', async () => {
    await context.drive(await context.event(tags('5511987650002', ['vip'])));
    expect((await tagsOf(2))?.sort()).toEqual([2, 3]);
  });

  it('that the account lacks fail the event, and no other tag is set', async () => {
    const id = await context.event(tags(num(3), ['vip', 'gold', 'silver']));
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code: 'UNKNOWN_TAG', kept: true });
    expect((await context.outcome(id)).reason).toMatch(/^2 tags .*"gold", "silver"; create them/);
    expect(await tagsOf(3)).toEqual([3]);
  });

  it('that the account has lost since its list was read fail the event, although the service reports success', async () => {
    const id = await context.event(tags(num(3), ['vip', 'deleted since']));
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code: 'UNKNOWN_TAG' });
    expect((await tagsOf(3))?.sort()).toEqual([2, 3]);
  });

  it('are added to a fresh list: tags that people set while the event waited stay', async () => {
    const id = await context.event(tags(num(4), ['vip']));
    expect(await context.step('findContact', id)).toEqual({ next: 'putTags' });
    await context.panel.patch({ contacts: [{ id: 4, tagIds: [3, 1] }] });
    await context.db.query(
      `update events set progress = jsonb_set(progress, '{contact,at}', to_jsonb($2::float8)) where id = $1`,
      [id, Date.now() - 6 * 60_000],
    );
    expect(await context.drive(id, { from: 'putTags' })).toEqual(['putTags', 'findContact', 'putTags']);
    expect((await tagsOf(4))?.sort()).toEqual([1, 2, 3]);
  });

  it('FAULTS 17: an attempt that outlives its timeout does not restore an old list', async () => {
    const id = await context.event(tags(num(3), [], ['vip']));
    await context.step('findContact', id);
    await context.requests();
    const { deps } = context.worker();
    const { budget } = deps;
    // While it waits for its slot, another attempt ends the event.
    const reserve: typeof budget.reserve = async (...args) => {
      await context.db.query(`update events set state = 'ended', outcome = 'done' where id = $1`, [id]);
      return await budget.reserve(...args);
    };
    const { putTags } = createEffects({ ...deps, budget: { ...budget, reserve } });
    expect(await context.activity().run(putTags, { event: id })).toEqual({ next: null });
    expect(await calls()).toEqual([]);
  });

  it('of a person that the service does not have are a failure, and create nobody', async () => {
    const id = await context.event(tags('5511900001111', ['vip']));
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code: 'NO_CONTACT' });
    expect((await context.state()).contacts).toHaveLength(KNOWN.length);
  });

  it('that the account uses only for conversations make the event wait, and it continues later', async () => {
    await context.panel.patch({ tagMode: 'conversations' });
    const id = await context.event(tags(num(3), ['crm']));
    const refused = { type: 'ERR_INVALID_TAGMODE', nonRetryable: true };
    await expect(context.drive(id)).rejects.toMatchObject({
      ...refused,
      details: [{ scope: 'step', step: 'putTags' }],
    });
    expect(await context.outcome(id)).toMatchObject({ outcome: null });
    await context.panel.patch({ tagMode: 'contacts' });
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
  });
});

describe('a stage', () => {
  it('applies to the newest open card, and the ledger records it', async () => {
    await context.db.query(
      `insert into people (account, key, remote_id, remote_number) values ('acme', $1, 1, $1)
       on conflict (account, key) do update set remote_id = 1`,
      [num(1)],
    );
    await context.db.query(
      `insert into cards (account, person_id, pipeline, remote_id, remote_stage_id, stage, adopted)
       select 'acme', id, 'Sales', 2, 11, 'New', false from people where key = $1`,
      [num(1)],
    );
    const id = await context.event(stage(num(1)));
    expect(await context.drive(id, { from: 'findOpenCard' })).toEqual(['findOpenCard', 'moveCard']);
    expect([await cardStage(1), await cardStage(2), await cardStage(3)]).toEqual([11, 12, 13]);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
    // The stage that the source names is as it was: its sync does not take the card back.
    expect(await context.db.query('select remote_stage_id, stage from cards where remote_id = 2')).toEqual([
      { remote_stage_id: 12, stage: 'New' },
    ]);
  });

  it('that the card already has costs no move', async () => {
    const id = await context.event(stage(num(1)));
    await context.requests();
    expect(await context.drive(id)).toEqual(['findContact', 'findOpenCard']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'unchanged' });
    expect(await calls()).toEqual(['GET /v1/contacts', 'GET /v1/cards']);
  });

  it('of a card by its id takes one call', async () => {
    const id = await context.event({ ...stage(num(3)), of: { card: 4 }, stage: 'won' });
    expect(await context.drive(id)).toEqual(['moveCard']);
    expect(await cardStage(4)).toBe(13);
    const byId = await context.event({ type: 'stage', of: { card: 4 }, stage: 11 });
    await context.drive(byId);
    expect(await cardStage(4)).toBe(11);
  });

  it.each([
    ['somebody unknown', stage('5511900001111'), 'NO_CONTACT'],
    ['somebody without a card', stage(num(5)), 'NO_OPEN_CARD'],
    ['a pipeline that is not there', stage(num(1), { pipeline: 'Support' }), 'UNKNOWN_PIPELINE'],
    ['a stage that is not there', stage(num(1), { stage: 'Lost' }), 'UNKNOWN_STAGE'],
    [
      'a stage by name without a pipeline',
      { type: 'stage', of: { card: 1 }, stage: 'New' },
      'UNKNOWN_PIPELINE',
    ],
    ['a card that is not there', { type: 'stage', of: { card: 777 }, stage: 11 }, 'ERR_NO_CARD_FOUND'],
    ['a stage id that is not there', { type: 'stage', of: { card: 1 }, stage: 777 }, 'ERR_STAGE_NOT_FOUND'],
  ])('of %s fails the event', async (_, request, code) => {
    const id = await context.event(request);
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code, kept: true });
  });

  it('of a contact with an outdated id is searched for again', async () => {
    await context.db.query(
      `insert into people (account, key, remote_id, remote_number) values ('acme', $1, 4711, $1)
       on conflict (account, key) do update set remote_id = 4711`,
      [num(3)],
    );
    const id = await context.event(stage(num(3)));
    const steps = ['findOpenCard', 'findContact', 'findOpenCard', 'moveCard'];
    expect(await context.drive(id, { from: 'findOpenCard' })).toEqual(steps);
    expect(await cardStage(4)).toBe(12);
  });
});

describe('a flow', () => {
  it('is triggered with its variables on the contact, which is searched for once', async () => {
    const id = await context.event(flow(num(1), { variables: { plan: { name: 'pro' }, n: [1] } }));
    await context.db.query('update people set remote_id = null where key = $1', [num(1)]);
    expect(await context.drive(id)).toEqual(['triggerFlow', 'findContact', 'triggerFlow']);
    expect(await context.drive(await context.event(flow(num(1))))).toEqual(['triggerFlow']);
    expect(await context.flowRuns()).toMatchObject([
      { contactId: 1, variables: { plan: { name: 'pro' }, n: [1] } },
      { contactId: 1, variables: {} },
    ]);
  });

  it('by number, if the account accepts numbers, needs no search', async () => {
    const assumptions = { 'flows.contactIdentity': 'number', 'flows.contactField': 'number' } as const;
    const by = context.worker({ assumptions });
    const id = await context.event(flow('5511900002222'));
    expect(await context.drive(id, { by })).toEqual(['triggerFlow']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it('FAULTS 46: human service is an outcome, with the conversation', async () => {
    const before = (await context.flowRuns()).length;
    const id = await context.event(flow(num(4)));
    await context.drive(id);
    const { reason, ...rest } = await context.outcome(id);
    expect(rest).toMatchObject({ outcome: 'failed', code: 'ERR_TICKET_IN_HUMAN_SERVICE', kept: true });
    expect(reason).toContain('conversation 1');
    expect(await context.flowRuns()).toHaveLength(before);
  });

  it.each([
    ['a draft', flow(num(1), { flow: 2 }), 'ERR_FLOW_NOT_EXECUTABLE'],
    ['unknown', flow(num(1), { flow: 777 }), 'ERR_FLOW_NOT_FOUND'],
    ['for an unknown connection', flow(num(1), { connection: 777 }), 'ERR_CONNECTION_NOT_FOUND'],
    ['for a connection that has none', flow(num(1), { connection: 3 }), 'ERR_UNSUPPORTED_CHANNEL'],
    ['for nobody', flow('5511900001111'), 'NO_CONTACT'],
  ])('that is %s fails the event', async (_, request, code) => {
    const id = await context.event(request);
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code });
  });

  it('of a contact that was deleted meanwhile is searched for again', async () => {
    await context.db.query('update people set remote_id = 4711 where key = $1', [num(3)]);
    const id = await context.event(flow(num(3)));
    expect(await context.drive(id)).toEqual(['triggerFlow', 'findContact', 'triggerFlow']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
  });
});

describe('a message', () => {
  it('to a number creates contact and conversation, and records their ids', async () => {
    const id = await context.event(message('5511900003333', { contactName: 'New' }));
    expect(await context.drive(id)).toEqual(['sendMessage']);
    expect(await context.sentTo('5511900003333')).toEqual(['hello']);
    const { contacts, conversations } = await context.state();
    const contact = contacts.find(({ number }) => number === '5511900003333');
    expect(contact).toMatchObject({ name: 'New' });
    const talk = conversations.find(({ contactId }) => contactId === contact?.id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done', kept: false });
    expect((await context.intent(id))?.trace).toEqual({
      to: '5511900003333',
      ticket: talk?.id,
      contact: contact?.id,
      messages: [`id:${talk?.messages[0]?.id}`],
    });
  });

  it('replies in a conversation', async () => {
    await context.drive(await context.event({ ...message(num(4)), to: { conversation: 1 }, text: 'reply' }));
    expect(await context.sentTo(num(4))).toEqual(['reply']);
  });

  it('uses the connection and the template that it names', async () => {
    const template = { name: 'promo', language: 'pt_BR', parameters: ['Ana', '10'] };
    const to = '5511900004444';
    await context.drive(
      await context.event(message(to, { text: undefined, template, connection: 'official' })),
    );
    await context.drive(await context.event(message(to, { text: undefined, template, connection: 1 })));
    const { contacts, conversations } = await context.state();
    const contact = contacts.find(({ number }) => number === to);
    const talks = conversations.filter(({ contactId }) => contactId === contact?.id);
    expect(talks.map(({ connectionId }) => connectionId)).toEqual([2, 1]);
    expect(talks[0]?.messages).toMatchObject([
      {
        body: '',
        fromMe: true,
        templateData: { templateName: 'promo', templateLanguage: 'pt_BR', templateParameters: ['Ana', '10'] },
      },
    ]);
  });

  it('with saveOnTicket off creates no conversation', async () => {
    const id = await context.event(message('5511900005555', { saveOnTicket: false }));
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
    expect(await context.sentTo('5511900005555')).toEqual([]);
    expect((await context.intent(id))?.trace).toMatchObject({ ticket: null, messages: [] });
  });

  it.each([
    ['an unknown connection', message(num(1), { connection: 777 }), 'ERR_CONNECTION_NOT_FOUND'],
    ['an unknown connection by name', message(num(1), { connection: 'x' }), 'ERR_CONNECTION_NOT_FOUND'],
    ['a connection that can not send', message(num(1), { connection: 3 }), 'ERR_UNSUPPORTED_CHANNEL'],
    ['an unknown conversation', { ...message(num(1)), to: { conversation: 777 } }, 'ERR_NO_TICKET_FOUND'],
  ])('to %s fails the event', async (_, request, code) => {
    const id = await context.event(request);
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code });
  });

  it('of a token without the scope waits, and is sent once the scope is granted', async () => {
    const id = await context.event(message('5511900006666'));
    const body = { error: 'no', code: 'ERR_SCOPE_MISSING', requiredScope: 'messages:send' };
    await context.panel.fault({ method: 'POST', kind: 'status', status: 403, body, times: 1 });
    await expect(context.drive(id)).rejects.toMatchObject({ type: 'ERR_SCOPE_MISSING', nonRetryable: true });
    await context.drive(id);
    expect(await context.sentTo('5511900006666')).toEqual(['hello']);
  });

  it('is sent once, however often its event runs', async () => {
    const id = await context.event(message('5511900007777'));
    await context.drive(id);
    for (let n = 0; n < 3; n++) expect(await context.step('sendMessage', id)).toEqual({ next: null });
    expect(await context.sentTo('5511900007777')).toHaveLength(1);
  });

  it('fails after twelve internal errors of the service', async () => {
    const id = await context.event(tags(num(1), ['vip']));
    await context.panel.fault({ method: 'GET', kind: 'status', status: 500, body: { error: 'oops' } });
    expect(await context.drive(id)).toHaveLength(12);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code: 'HTTP_500' });
  });
});

it('no log line and no failure contains a number, a text or an address', async () => {
  const shown = JSON.stringify(context.log);
  expect(context.log.length).toBeGreaterThan(5);
  expect(shown).not.toMatch(/55\d{10,11}|hello|gold|http/);
});
