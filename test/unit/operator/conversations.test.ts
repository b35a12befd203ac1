// Conversations as operators see them: pages, masks, who waits for an answer, and the messages that the service has.
import { afterAll, describe, expect, it } from 'vitest';
import { openService } from '../../support/activities/service.ts';
import { operatorContext } from '../../support/operator/context.ts';

const NUMBER = '5511987654321';
const NAME = '<script>alert(1)</script>';
const MESSAGES = [
  { id: 'm1', body: 'are you open today?', fromMe: false, at: '2026-11-20T10:00:00.000Z' },
  { id: 'm2', body: 'yes, until six', fromMe: true, at: '2026-11-20T10:01:00.000Z' },
];

const service = await openService({
  id: 'acme',
  tokens: [{ value: 'svc_x' }, { value: 'svc_poor', scopes: ['contacts:read'] }],
  connections: [{ id: 1, name: 'main', channel: 'waba', status: 'CONNECTED', isDefault: true }],
  contacts: [{ id: 1, number: NUMBER, name: NAME }],
  conversations: [{ id: 1, contactId: 1, connectionId: 1, status: 'open', messages: MESSAGES }],
});
afterAll(service.close);
const accountWith = (token: string) => ({
  baseUrl: service.sandbox.baseUrl,
  tokens: [token],
  callsPerMinute: 6000,
});
const { db, operator, call } = operatorContext({
  yaml: {
    version: 1,
    accounts: { acme: accountWith('env:TOKEN'), poor: accountWith('env:POOR') },
    pollers: { main: { account: 'acme' } },
  },
  env: { TOKEN: 'svc_x', POOR: 'svc_poor' },
});

/** Conversations that changed one second after another. */
async function conversations(count: number): Promise<void> {
  await db.query(
    `insert into conversations (account, id, poller, connection_id, channel, person_key, updated_at, fingerprint, item)
     select 'acme', n, 'main', 1, 'waba', $1, '2026-11-20T10:00:00Z'::timestamptz + n * interval '1 second', 'f',
            jsonb_build_object('lastMessage', 'canary text', 'state', jsonb_build_object(
              'id', n, 'status', case when n % 2 = 0 then 'open' else 'closed' end, 'chatbot', false, 'queueId', null,
              'userId', 7, 'contact', jsonb_build_object('id', n, 'name', $2::text, 'number', $1::text),
              'connection', jsonb_build_object('id', 1, 'name', 'main', 'channel', 'waba')))
       from generate_series(1, $3::int) n`,
    [NUMBER, NAME, count],
  );
}

describe('conversations', () => {
  it('come most recently changed first, each once', async () => {
    await conversations(5);
    const seen: number[] = [];
    let before: string | undefined;
    do {
      const page = await call('GET /conversations', { limit: 2, before });
      seen.push(...page.conversations.map(({ id }) => id));
      before = page.next ?? undefined;
    } while (before !== undefined);
    expect(seen).toEqual([5, 4, 3, 2, 1]);
    const open = await call('GET /conversations', { status: 'open', account: 'acme' });
    expect(open.conversations.map(({ id }) => id)).toEqual([4, 2]);
  });

  it('hide who writes and what, unless an operator asks', async () => {
    await conversations(1);
    await db.query(
      `insert into messages (account, conversation_id, key, item, place)
       values ('acme', 1, 'id:1', '{"key":"id:1","body":"canary text","fromMe":false,"at":"2026-11-20T10:00:00.000Z","status":null}', 0)`,
    );
    const one = { account: 'acme', conversation: 1 };
    const masked = JSON.stringify([
      await call('GET /conversations', {}),
      await call('GET /conversations/{account}/{conversation}', one),
    ]);
    for (const personal of [NUMBER, NAME, 'canary text']) expect(masked).not.toContain(personal);
    const open = await call('GET /conversations/{account}/{conversation}', { ...one, unmask: true });
    expect(open).toMatchObject({ name: NAME, number: NUMBER, messages: [{ text: 'canary text' }] });
    const viewer = operator.as({ role: 'viewer' });
    await expect(viewer.call('GET /conversations', { unmask: true })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });

  it.each([
    '1',
    'x_1_acme',
    '2026-13-45T99:99:99.0Z_1_x',
    '2026---::Z_1_a',
    '9999-99-99T99:99:99.1Z_9_a',
    "2026-11-20T10:00:00.000Z_1'_acme",
  ])('refuse the cursor %s', async (before) => {
    await expect(call('GET /conversations', { before })).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('that nobody knows is not found', async () => {
    const none = { account: 'acme', conversation: 404 };
    await expect(call('GET /conversations/{account}/{conversation}', none)).rejects.toMatchObject({
      kind: 'notFound',
    });
  });

  it('that wait for an answer come with the longest wait first; answered and closed ones do not', async () => {
    await conversations(8);
    // Of the open ones, 2 wrote last, 4 was answered, 6 wrote after the answer, and nobody wrote in 8.
    await db.query(
      `update conversations set inbound_at = '2026-11-20T09:00:00Z'::timestamptz - id * interval '1 minute' where id <> 8`,
    );
    await db.query(
      `insert into messages (account, conversation_id, key, at, from_me)
       values ('acme', 4, 'a', '2026-11-20T09:30:00Z', true), ('acme', 6, 'b', '2026-11-20T08:00:00Z', true),
              ('acme', 2, 'c', '2026-11-20T09:30:00Z', false)`,
    );
    const first = await call('GET /conversations', { waiting: true, limit: 1 });
    const second = await call('GET /conversations', {
      waiting: true,
      limit: 1,
      before: first.next ?? undefined,
    });
    const shown = [...first.conversations, ...second.conversations];
    expect(shown.map(({ id, waitingSince }) => [id, waitingSince])).toEqual([
      [6, '2026-11-20T08:54:00.000Z'],
      [2, '2026-11-20T08:58:00.000Z'],
    ]);
    expect(second.next).toBeNull();
    const { conversations: all } = await call('GET /conversations', {});
    expect(all.flatMap(({ id, waitingSince }) => (waitingSince === null ? [] : [id]))).toEqual([6, 2]);
  });

  it('an answer that waits to be published is an answer', async () => {
    await conversations(2);
    await db.query(`update conversations set inbound_at = '2026-11-20T09:00:00Z'`);
    await db.query(
      `insert into messages (account, conversation_id, key, item, place)
       values ('acme', 2, 'a', '{"key":"a","body":"x","fromMe":true,"at":"2026-11-20T10:00:00.000Z","status":null}', 0)`,
    );
    expect((await call('GET /conversations', { waiting: true })).conversations).toEqual([]);
  });

  it('say whether free text is delivered', async () => {
    await conversations(2);
    await db.query(`update conversations set inbound_at = now() - interval '1 hour' where id = 1`);
    const windowOf = async (conversation: number) =>
      (await call('GET /conversations/{account}/{conversation}', { account: 'acme', conversation })).window;
    expect(await windowOf(1)).toMatchObject({ state: 'open', at: expect.any(String), why: null });
    expect(await windowOf(2)).toMatchObject({ state: 'unknown', why: expect.any(String) });
  });
});

describe('the messages that the service has', () => {
  const read = (input: object = {}, client = operator.client) =>
    client.call('POST /conversations/{account}/{conversation}/messages', {
      account: 'acme',
      conversation: 1,
      ...input,
    });

  it('are read on demand, oldest first, and stay out of the ledger', async () => {
    const { messages, unreadable, more } = await read();
    expect(messages.map(({ text, fromMe }) => [text, fromMe])).toEqual([
      ['are you open today?', false],
      ['yes, until six', true],
    ]);
    expect([unreadable, more]).toEqual([0, false]);
    expect(await read({ limit: 1 })).toMatchObject({ messages: [{ text: 'yes, until six' }], more: true });
    expect(await db.query('select 1 from messages')).toEqual([]);
    expect(JSON.stringify(await db.query('select * from operator_audit'))).not.toContain('until six');
    expect(
      await db.query("select 1 from operator_audit where action like 'POST /conversations%'"),
    ).toHaveLength(2);
  });

  it('are for operators', async () => {
    await expect(read({}, operator.as({ role: 'editor' }))).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it.each([
    ['an unknown conversation', { conversation: 404 }, 'notFound', 'ERR_NO_TICKET_FOUND'],
    ['an unknown account', { account: 'acmee' }, 'notFound', undefined],
    ['a token without the scope', { account: 'poor' }, 'unavailable', undefined],
    ['too many', { limit: 201 }, 'invalid', undefined],
  ])('of %s are an error that says so', async (_, input, kind, code) => {
    await expect(read(input)).rejects.toMatchObject({ kind, ...(code !== undefined && { code }) });
  });
});
