// Triggering a flow: the checks in the order of the text, the ticket, the run that the panel shows.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Context, openContext } from './context.ts';

const AT = '2026-03-01T12:00:00.000Z';
let context: Context;
beforeEach(async () => {
  context = await openContext({ now: () => new Date(AT) });
  const got = await context.panel('PATCH', '/accounts/acme', {
    connections: [{ id: 3, channel: 'instagram' }],
    flows: [
      { id: 2, active: false },
      { id: 3, published: false },
      { id: 4, nodes: 0 },
    ],
    conversations: [{ id: 7, contactId: 2, connectionId: 2, status: 'open', chatbot: false, userId: 1 }],
  });
  expect(got.status).toBe(200);
});
afterEach(() => context.close());

const trigger = (body: unknown) => context.call('POST', '/v1/flows/trigger', { body });
const runs = async () => (await context.panel('GET', '/flow-runs')).json.runs;
const good = { flowId: 1, whatsappId: 1, contactId: 1 };

describe('checks before the 202', () => {
  // Each body is wrong in this step and in all later ones: the answer names the earlier step.
  it.each([
    ['flowId missing', { whatsappId: 1, variables: [] }, 400, 'ERR_FLOW_ID_AND_WHATSAPP_ID_REQUIRED'],
    ['whatsappId missing', { flowId: 404, variables: [] }, 400, 'ERR_FLOW_ID_AND_WHATSAPP_ID_REQUIRED'],
    [
      'variables is a list',
      { flowId: 404, whatsappId: 404, variables: [] },
      400,
      'ERR_VARIABLES_MUST_BE_OBJECT',
    ],
    [
      'variables is a text',
      { flowId: 404, whatsappId: 404, variables: '{}' },
      400,
      'ERR_VARIABLES_MUST_BE_OBJECT',
    ],
    [
      'variables is null',
      { flowId: 404, whatsappId: 404, variables: null },
      400,
      'ERR_VARIABLES_MUST_BE_OBJECT',
    ],
    ['flow unknown', { flowId: 404, whatsappId: 404 }, 404, 'ERR_FLOW_NOT_FOUND'],
    ['flow of another account', { flowId: 9, whatsappId: 404 }, 404, 'ERR_FLOW_NOT_FOUND'],
    ['flow id of another type', { flowId: '1', whatsappId: 404 }, 404, 'ERR_FLOW_NOT_FOUND'],
    ['flow not active', { flowId: 2, whatsappId: 404 }, 422, 'ERR_FLOW_NOT_EXECUTABLE'],
    ['flow not published', { flowId: 3, whatsappId: 404 }, 422, 'ERR_FLOW_NOT_EXECUTABLE'],
    ['flow without nodes', { flowId: 4, whatsappId: 404 }, 422, 'ERR_FLOW_NOT_EXECUTABLE'],
    ['connection unknown', { flowId: 1, whatsappId: 404 }, 404, 'ERR_CONNECTION_NOT_FOUND'],
    ['connection of another account', { flowId: 1, whatsappId: 9 }, 404, 'ERR_CONNECTION_NOT_FOUND'],
    ['channel neither whatsapp nor waba', { flowId: 1, whatsappId: 3 }, 422, 'ERR_UNSUPPORTED_CHANNEL'],
    ['no contact', { flowId: 1, whatsappId: 1 }, 400, 'ERR_CONTACT_IDENTIFIER_REQUIRED'],
    ['two contacts', { ...good, number: '5511' }, 400, 'ERR_CONTACT_IDENTIFIER_REQUIRED'],
    ['contact unknown', { ...good, contactId: 404 }, 404, 'ERR_NO_CONTACT_FOUND'],
    ['number without digits', { flowId: 1, whatsappId: 1, number: 'x' }, 400, 'ERR_NUMBER_INVALID'],
    ['contact in active human service', { ...good, contactId: 2 }, 409, 'ERR_TICKET_IN_HUMAN_SERVICE'],
  ])('%s', async (_name, body, status, code) => {
    const before = (await context.panel('GET', '/accounts/acme')).json;
    const got = await trigger(body);
    expect([got.status, got.json.code]).toEqual([status, code]);
    expect(await runs()).toEqual([]);
    expect((await context.panel('GET', '/accounts/acme')).json).toEqual(before);
  });

  it('409 carries the ticketId, at the root', async () => {
    expect((await trigger({ ...good, contactId: 2 })).json).toEqual({
      error: expect.any(String),
      code: 'ERR_TICKET_IN_HUMAN_SERVICE',
      ticketId: 7,
    });
  });

  it.each([
    ['the chatbot handles it', { chatbot: true }],
    ['nobody took it', { userId: null }],
    ['it waits', { status: 'pending' }],
    ['it is closed', { status: 'closed' }],
  ])('a conversation is no human service when %s', async (_name, changes) => {
    await context.panel('PATCH', '/accounts/acme', { conversations: [{ id: 7, ...changes }] });
    expect((await trigger({ ...good, contactId: 2 })).status).toBe(202);
  });
});

describe('202', () => {
  it('makes a run in the panel with its variables, on a new ticket of the contact; both outlive a restart', async () => {
    const variables = { name: 'Bia', deep: { list: [1, null] } };
    const got = await trigger({ ...good, variables });
    expect(got.status).toBe(202);
    expect(got.json).toMatchObject({ requestId: expect.any(String), contactId: 1, whatsappId: 1, flowId: 1 });
    const { ticketId, executionId } = got.json;
    await context.restart();
    expect(await runs()).toEqual([
      {
        id: executionId,
        at: AT,
        accountId: 'acme',
        flowId: 1,
        contactId: 1,
        ticketId,
        connectionId: 1,
        variables,
      },
    ]);
    const { conversations } = (await context.call('GET', '/v1/conversations?whatsappId=1')).json;
    expect(conversations).toMatchObject([
      { id: ticketId, status: 'open', chatbot: true, contact: { id: 1 } },
    ]);
  });

  it('uses the ticket that is there, and starts again when asked again', async () => {
    const first = await trigger(good);
    const second = await trigger({ flowId: 1, whatsappId: 1, number: '+55 11 98765-4321' });
    expect(second.json.ticketId).toBe(first.json.ticketId);
    expect((await runs()).map((run: { variables: object }) => run.variables)).toEqual([{}, {}]);
  });

  it('a number that nobody has makes the contact', async () => {
    const got = await trigger({ flowId: 1, whatsappId: 2, number: '5511955556666' });
    const found = await context.call('GET', '/v1/contacts?number=5511955556666');
    expect(found.json.contacts[0].id).toBe(got.json.contactId);
  });

  it('variables too deep to be shown again are refused, and the panel keeps showing runs', async () => {
    const nested = (levels: number) => JSON.parse(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`);
    expect((await trigger({ ...good, variables: nested(900) })).status).toBe(202);
    const refused = await trigger({ ...good, variables: nested(2_000) });
    expect([refused.status, refused.json.code]).toEqual([400, 'ERR_INVALID_BODY']);
    expect(await runs()).toHaveLength(1);
  });
});
