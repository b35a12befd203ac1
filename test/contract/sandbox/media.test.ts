// Messages with files, the limits of an account, and fire-and-forget.
import { createHash } from 'node:crypto';
import { createConnection } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ALL, type Context, openContext } from './context.ts';
import { form } from './form.ts';

const AT = '2026-03-01T12:00:00.000Z';
const NEW = '5511955556666';
let context: Context;
beforeEach(async () => {
  context = await openContext({ now: () => new Date(AT) });
});
afterEach(() => context.close());

const send = (body: unknown) => context.call('POST', '/v1/messages/send', { body });
const patch = async (body: object) => {
  expect((await context.panel('PATCH', '/accounts/acme', body)).status).toBe(200);
};
const state = async () => (await context.panel('GET', '/accounts/acme')).json;
const statusOf = async (id: string) => (await context.call('GET', `/v1/messages/${id}/status`)).json.status;
const template = { templateName: 'hello', templateLanguage: 'pt_BR', templateParameters: ['Bia'] };

const withFile = (value: string | Buffer, fields: Record<string, string> = {}) =>
  form([
    { name: 'number', value: NEW },
    ...Object.entries(fields).map(([name, each]) => ({ name, value: each })),
    { name: 'medias', value, filename: 'Ação.pdf', type: 'application/pdf' },
  ]);

describe('multipart', () => {
  const post = (ask: ReturnType<typeof form>) => context.call('POST', '/v1/messages/send', ask);

  it('takes fields as text and files with name, type, size and digest', async () => {
    const bytes = Buffer.alloc(3_000_000, 'sluice');
    const got = await post(
      withFile(bytes, {
        body: 'see this',
        whatsappId: '2',
        contactName: 'Eva',
        saveOnTicket: 'true',
        templateData: JSON.stringify(template),
      }),
    );
    expect([got.status, got.json.whatsappId, got.json.messages.length]).toEqual([200, 2, 3]);
    const { messages } = (await context.call('GET', `/v1/conversations/${got.json.ticketId}/messages`)).json;
    expect(messages).toMatchObject([
      { templateData: template, media: null },
      { body: 'see this', media: null },
      {
        body: '',
        media: {
          name: 'Ação.pdf',
          type: 'application/pdf',
          size: bytes.length,
          sha256: createHash('sha256').update(bytes).digest('hex'),
        },
      },
    ]);
    await context.restart();
    const again = (await context.call('GET', `/v1/conversations/${got.json.ticketId}/messages`)).json;
    expect(again.messages).toEqual(messages);
    const shown = await state();
    expect((await context.panel('PATCH', '/accounts/acme', shown)).json).toEqual(shown);
  });

  it('files of another field are no medias; without any content left it is ERR_MISSING_CONTENT', async () => {
    const got = await post(
      form([
        { name: 'number', value: NEW },
        { name: 'other', value: 'abc', filename: 'a.txt' },
      ]),
    );
    expect([got.status, got.json.code]).toEqual([400, 'ERR_MISSING_CONTENT']);
  });

  const whole = withFile('abc');
  it.each([
    [
      'is cut off',
      form([{ name: 'medias', value: 'abc', filename: 'a' }], { cut: 12 }),
      400,
      'ERR_INVALID_MULTIPART',
    ],
    [
      'has no boundary',
      { ...whole, headers: { 'content-type': 'multipart/form-data' } },
      400,
      'ERR_INVALID_MULTIPART',
    ],
    ['is another text', { ...whole, raw: 'hello' }, 400, 'ERR_INVALID_MULTIPART'],
    ['is empty', { ...whole, raw: '' }, 400, 'ERR_INVALID_MULTIPART'],
    [
      'has a broken part header',
      { ...whole, raw: '--x-boundary-7d1\r\n\u0001bad\r\n\r\nabc\r\n--x-boundary-7d1--\r\n' },
      400,
      'ERR_INVALID_MULTIPART',
    ],
    [
      'has a field named __proto__',
      form([{ name: '__proto__', value: '{"body":"x"}' }]),
      400,
      'ERR_MISSING_CONTENT',
    ],
  ])('a body that %s is refused, and the connection stays good', async (_name, ask, status, code) => {
    const got = await post(ask);
    expect([got.status, got.json.code]).toEqual([status, code]);
    expect((await send({ number: NEW, body: 'x' })).status).toBe(200);
  });

  it('a file or a number of files at the limit is taken, beyond it 413', async () => {
    await context.restart({ choices: { mediaLimit: { files: 2, bytes: 1_000 } } });
    const files = (count: number, size: number) =>
      form([
        { name: 'number', value: NEW },
        ...Array.from({ length: count }, () => ({
          name: 'medias',
          value: Buffer.alloc(size, 'x'),
          filename: 'a',
        })),
      ]);
    expect((await post(files(2, 1_000))).json.messages).toHaveLength(2);
    for (const ask of [files(1, 1_001), files(1, 200_000), files(3, 10)]) {
      const got = await post(ask);
      expect([got.status, got.json.code]).toEqual([413, 'ERR_BODY_TOO_LARGE']);
    }
  });

  it('a client that leaves half way has its row in the log and harms nobody', async () => {
    const { port } = new URL(context.baseUrl);
    const socket = createConnection(Number(port), '127.0.0.1');
    socket.write(
      `POST /wapi/v1/messages/send HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ALL}\r\n` +
        `Content-Type: ${whole.headers?.['content-type']}\r\nContent-Length: 100000\r\n\r\n`,
    );
    socket.write((whole.raw as Buffer).subarray(0, -20), () => socket.destroy());
    await expect
      .poll(async () => (await context.panel('GET', '/requests')).json.requests)
      .toMatchObject([{ status: 0, fault: 'client-gone' }]);
    expect((await send({ number: NEW, body: 'x' })).status).toBe(200);
  });
});

describe('limits of the account', () => {
  it('the storage limit blocks media sending with 403 without code, and nothing else', async () => {
    await patch({ storageLimitReached: true });
    const got = await context.call('POST', '/v1/messages/send', withFile('abc', { body: 'x' }));
    expect(got.status).toBe(403);
    expect(Object.keys(got.json)).toEqual(['error']);
    expect((await state()).conversations).toEqual([]);
    expect((await send({ number: NEW, body: 'x' })).status).toBe(200);
    const { ticketId } = (await send({ number: NEW, body: 'x' })).json;
    const reply = await context.call('POST', `/v1/conversations/${ticketId}/messages`, withFile('abc'));
    expect([reply.status, reply.json.code]).toEqual([403, undefined]);
  });

  it.each([
    ['messages', 'POST', '/v1/messages/send'],
    ['messages', 'GET', '/v1/messages/x/status'],
    ['conversations', 'GET', '/v1/conversations'],
    ['flows', 'POST', '/v1/flows/trigger'],
  ])('%s outside the plan: %s %s is 403 without code', async (feature, method, path) => {
    await patch({ missingFeatures: [feature] });
    const got = await context.call(method, path);
    expect([got.status, got.json.code, typeof got.json.error]).toEqual([403, undefined, 'string']);
  });
});

describe('saveOnTicket=false', () => {
  it('on whatsapp: no ticketId, no contactId, ids null, no conversation; the contact is made', async () => {
    const got = await send({
      number: NEW,
      body: 'x',
      whatsappId: 2,
      contactName: 'Eva',
      saveOnTicket: false,
    });
    expect(got.json).toEqual({
      requestId: got.json.requestId,
      whatsappId: 2,
      channel: 'whatsapp',
      messages: [{ id: null, status: 'queued', ack: 0, createdAt: AT }],
    });
    const acme = await state();
    expect(acme.conversations).toEqual([]);
    expect(acme.contacts.at(-1)).toMatchObject({ number: NEW, name: 'Eva' });
  });

  it('on waba: no ticketId, no contactId, yet a normal open ticket that the panel shows', async () => {
    const got = await send({ number: NEW, templateData: template, saveOnTicket: false });
    expect(Object.keys(got.json)).toEqual(['requestId', 'whatsappId', 'channel', 'messages']);
    const { conversations } = await state();
    expect(conversations).toMatchObject([{ status: 'open', messages: [{ templateData: template }] }]);
    expect(await statusOf(got.json.messages[0].id)).toBe('queued');
  });

  it('medias is ignored: only body and templateData are sent, storage does not matter, files alone are no content', async () => {
    await patch({ storageLimitReached: true });
    const got = await context.call(
      'POST',
      '/v1/messages/send',
      withFile('abc', { body: 'x', saveOnTicket: 'false' }),
    );
    expect([got.status, got.json.messages.length]).toEqual([200, 1]);
    expect((await state()).conversations[0].messages).toMatchObject([{ body: 'x' }]);
    const alone = await context.call('POST', '/v1/messages/send', withFile('abc', { saveOnTicket: 'false' }));
    expect([alone.status, alone.json.code]).toEqual([400, 'ERR_MISSING_CONTENT']);
  });
});
