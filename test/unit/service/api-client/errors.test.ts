// Two promises of the errors: which may hide an effect, and that none carries the token or a phone.
import { inspect } from 'node:util';
import { Pool } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ApiError,
  InvalidArgumentError,
  isAmbiguous,
  MessagingClient,
  TransportError,
  UnexpectedShapeError,
} from '../../../../src/service/api-client/index.ts';
import { answer, bytesThen, type Reply, rawServer } from './raw-server.ts';

const CALL = { method: 'POST', path: '/v1/cards' };

function api(status: number, code: string | null): ApiError {
  const nothing = { requestId: null, retryAfterMs: null, requiredScope: null, ticketId: null, param: null };
  return new ApiError(
    { ...CALL, ...nothing, status, code, kind: code ? 'coded' : 'unrecognised', rate: null },
    null,
  );
}
function transport(
  reason: TransportError['reason'],
  sent: boolean,
  status: number | null = null,
): TransportError {
  return new TransportError({ ...CALL, reason, sent, status, causeCode: null });
}

describe('may the effect of a failed call have happened?', () => {
  it.each<[string, unknown, boolean]>([
    ['refused before the connection', transport('connect', false), false],
    ['aborted before it was sent', transport('aborted', false), false],
    ['deadline in the queue', transport('timeout', false), false],
    ['aborted on the wire', transport('aborted', true), true],
    ['deadline on the wire', transport('timeout', true), true],
    ['reset', transport('reset', true), true],
    ['a media that ended early', transport('upload', true), true],
    ['200 with a page', transport('invalid_body', true, 200), true],
    ['200 too large', transport('body_too_large', true, 200), true],
    ['redirect', transport('redirect', true, 302), true],
    ['500 without code', api(500, null), true],
    ['502 of a proxy', api(502, null), true],
    ['500 with a code', api(500, 'ERR_X'), true],
    ['400 with a code', api(400, 'ERR_CONTACT_IDENTIFIER_REQUIRED'), false],
    ['401', api(401, 'ERR_TOKEN_REVOKED'), false],
    ['403 without code', api(403, null), false],
    ['404 page of a proxy', api(404, null), false],
    ['409', api(409, 'ERR_TICKET_IN_HUMAN_SERVICE'), false],
    ['429', api(429, 'ERR_RATE_LIMITED'), false],
    [
      'a success of another shape',
      new UnexpectedShapeError({ ...CALL, at: 'card', expected: 'x', status: 201, requestId: null }),
      true,
    ],
    ['an argument refused here', new InvalidArgumentError('x', 1, 'y'), false],
    ['an error that this client does not know', new Error('bug'), true],
    ['no error at all', undefined, true],
  ])('%s: %s → %s', (_name, error, expected) => {
    expect(isAmbiguous(error)).toBe(expected);
  });
});

const TOKEN = 'svc_live_CANARY';
const PHONE = '5511900011122';
const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

describe('neither token nor phone is in any error', () => {
  const echo = `${TOKEN} ${PHONE} Authorization: Bearer ${TOKEN}`;
  const cases: Array<[string, Reply]> = [
    ['reset', bytesThen('cut', '')],
    ['not HTTP, echoing', bytesThen('end', `${echo}\r\n\r\n`)],
    ['bad header, echoing', bytesThen('end', `HTTP/1.1 200 OK\r\n${echo} \x00: x\r\n\r\n`)],
    ['page, echoing', answer(200, `<p>${echo}</p>`)],
    ['cut JSON, echoing', answer(200, `{"error":"${echo}`)],
    ['error text, echoing', answer(400, { error: echo, code: 'ERR_X', requestId: TOKEN })],
    [
      'every extra, echoing',
      answer(403, {
        error: echo,
        code: TOKEN,
        requiredScope: TOKEN,
        param: PHONE,
        requestId: `r.${TOKEN}`,
        ticketId: TOKEN,
      }),
    ],
    ['code that is a phone', answer(422, { code: PHONE, param: PHONE, requiredScope: PHONE })],
    [
      'retry header, echoing',
      answer(429, { retryAfter: echo }, { 'retry-after': echo, 'x-ratelimit-limit': echo }),
    ],
    ['redirect, echoing', answer(302, '', { location: `http://h/${TOKEN}?${PHONE}` })],
    ['internal error, echoing', answer(500, { error: echo })],
    ['wrong shape, echoing', answer(200, '[]')],
    ['deadline', () => {}],
  ];
  const calls: Array<[string, (client: MessagingClient) => Promise<unknown>]> = [
    ['upsert', (client) => client.contacts.upsert({ number: PHONE })],
    ['list', (client) => client.contacts.list({ number: PHONE })],
    ['create', (client) => client.cards.create({ phone: PHONE, pipelineId: 1 })],
    ['status', (client) => client.messages.status(`wamid.${PHONE}.CANARY`)],
    [
      'send',
      (client) => {
        const media = { filename: `${PHONE}-CANARY.png`, contentType: 'image/png', data: Buffer.from(echo) };
        return client.messages.send({ number: PHONE, body: echo, medias: [media] });
      },
    ],
  ];
  const everything = cases.flatMap(([what, reply]) =>
    calls.map(([which, call]) => [what, which, reply, call] as const),
  );

  function expectClean(error: unknown): void {
    const stack = (error as Error).stack ?? '';
    const shown = [
      inspect(error, { depth: 20, showHidden: true }),
      JSON.stringify(error),
      String(error),
      stack,
    ];
    for (const text of shown) {
      expect(text).not.toContain('CANARY');
      expect(text).not.toContain(PHONE);
    }
    expect((error as Error).cause).toBeUndefined();
    if (error instanceof ApiError) expect(error.detail ?? '').not.toContain('CANARY');
  }

  it.each(everything)('%s, %s', async (what, _which, reply, call) => {
    const server = await rawServer(reply);
    const heard: unknown[] = [];
    const client = new MessagingClient({
      baseUrl: server.baseUrl,
      token: TOKEN,
      deadlineMs: what === 'deadline' ? 30 : 5000,
      onResponse: (info) => heard.push(info),
    });
    open.push(server, client);
    const error = await call(client).then(
      () => 'no error',
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(Error);
    expectClean(error);
    expect(JSON.stringify(heard)).not.toMatch(new RegExp(`CANARY|${PHONE}`));
    expect(inspect(client, { depth: 20, showHidden: true })).not.toContain('CANARY');
  });

  it('a dispatcher that fails with the request in its error', async () => {
    const leaky = Object.assign(new Error(echo, { cause: new Error(echo) }), { code: TOKEN, headers: echo });
    const pool = new Pool('http://127.0.0.1:9', { connect: (_options, done) => done(leaky, null) });
    const client = new MessagingClient({
      baseUrl: 'http://127.0.0.1:9/wapi',
      token: TOKEN,
      dispatcher: pool,
    });
    open.push(client, pool);
    const error = await client.contacts.upsert({ number: PHONE }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ reason: 'connect', sent: false });
    expectClean(error);
  });
});
