// What one captured request can be turned into by somebody who can change all of it but what its signature covers.
import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { RouteConfig } from '../../../../../../src/jobs/events/config.ts';
import { openRoute } from '../../../../../../src/jobs/events/ingress/route/index.ts';
import { compileAction } from '../../../../../../src/jobs/events/rules/actions.ts';
import { type Environment, openEnvironment } from './environment.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const KEY = 'a-secret-of-enough-bytes';
const NOW = 1_700_000_000_000;

const STANDARD = { type: 'standard-webhooks', secrets: ['env:A'] };
const HMAC = { type: 'hmac', secrets: ['env:A'] };

const standard = (body: string, id = 'msg_1') => ({
  'webhook-id': id,
  'webhook-timestamp': String(NOW / 1000),
  'webhook-signature': new Webhook(SECRET).sign(id, new Date(NOW), body),
});
const plain = (body: string) => ({ 'x-signature': createHmac('sha256', KEY).update(body).digest('hex') });

interface Opened extends Environment {
  /** Texts of the messages that would be sent, each event once. */
  sent(): string[];
}

/** A route that sends a message, read as in production; its acceptance remembers ids as the ledger does. */
async function open(auth: object, extra: object = {}, http: object = {}): Promise<Opened> {
  const sent = new Map<string, string>();
  const config = RouteConfig.parse({
    account: 'acme',
    http: { path: '/hooks/lead', auth, ...http },
    action: { type: 'message', number: 'phone', text: '{{name}} {{$event.source}}' },
    ...extra,
  });
  const route = openRoute('leads', config, { compile: compileAction(config.action, null) });
  const environment = await openEnvironment({
    auth,
    secrets: [auth === STANDARD ? SECRET : KEY],
    now: () => NOW,
    route: { ...route, name: 'leads' },
    accept: async (_route, drafts) =>
      drafts.map(({ id, request }) => {
        const duplicate = sent.has(id);
        if (!duplicate) sent.set(id, request.type === 'message' ? (request.text ?? '') : '');
        return { id, duplicate };
      }),
  });
  return { ...environment, sent: () => [...sent.values()] };
}

const BODY = '{"phone":"+5511987654321","name":"Bia"}';
const FORGED: [string, Record<string, string>][] = [
  ['Idempotency-Key', { 'Idempotency-Key': 'forged' }],
  ['X-Idempotency-Key', { 'X-Idempotency-Key': 'forged' }],
  ['X-GitHub-Delivery', { 'X-GitHub-Delivery': 'forged' }],
  ['X-Shopify-Event-Id', { 'X-Shopify-Event-Id': 'forged' }],
  ['X-Shopify-Webhook-Id', { 'X-Shopify-Webhook-Id': 'forged' }],
  [
    'ce-id and ce-source',
    { 'ce-specversion': '1.0', 'ce-id': 'forged', 'ce-source': '/forged', 'ce-type': 'forged' },
  ],
  ['ce-id alone', { 'ce-id': 'forged' }],
  ['Content-Type of a CloudEvent', { 'content-type': 'application/cloudevents+json' }],
  ['Content-Type of a batch', { 'content-type': 'application/cloudevents-batch+json' }],
  ['Content-Type with another name', { 'content-type': 'text/json' }],
];

describe.each([
  ['Standard Webhooks', STANDARD, standard],
  ['HMAC of the body', HMAC, plain],
] as const)('a captured request, signed as %s', (_, auth, sign) => {
  it.each(FORGED)('makes one message, whatever header is added: %s', async (_name, forged) => {
    const environment = await open(auth);
    expect((await environment.post(BODY, sign(BODY))).status).toBe(202);
    await environment.post(BODY, { ...sign(BODY), ...forged });
    expect(environment.sent()).toEqual(['Bia']);
  });

  it.each(FORGED)('says what was signed, when the forged one comes first: %s', async (_name, forged) => {
    const environment = await open(auth);
    await environment.post(BODY, { ...sign(BODY), ...forged });
    expect((await environment.post(BODY, sign(BODY))).status).toBe(202);
    expect(environment.sent()).toEqual(['Bia']);
  });

  it('makes one message, whatever the address says', async () => {
    const environment = await open(auth);
    await environment.post(BODY, sign(BODY));
    const again = await environment.post(BODY, sign(BODY), '/hooks/lead?key=2&idempotency_key=3&event_id=4');
    expect(await again.json()).toMatchObject({ duplicate: true });
    expect(environment.sent()).toEqual(['Bia']);
  });

  it('a CloudEvent is read as one, and once, whatever its content type says', async () => {
    const event = JSON.stringify({
      specversion: '1.0',
      id: 'e-1',
      source: '/crm',
      type: 't',
      data: { phone: '+5511987654321', name: 'Bia' },
    });
    const environment = await open(auth);
    const types = ['application/json', 'application/cloudevents+json', 'application/vnd.other+json'];
    for (const type of types) {
      expect((await environment.post(event, { ...sign(event), 'content-type': type })).status).toBe(202);
    }
    expect(environment.sent()).toEqual(['Bia /crm']);
  });

  it('attributes in headers are refused with the fix, rather than left out in silence', async () => {
    const environment = await open(auth);
    const attributes = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/crm', 'ce-type': 't' };
    const answer = await environment.post(BODY, { ...sign(BODY), ...attributes });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'BAD_EVENT',
      error: expect.stringContaining('trustHeaders: true'),
    });
  });

  it('headers count where the route trusts them', async () => {
    const environment = await open(auth, {}, { trustHeaders: true });
    const attributes = { 'ce-specversion': '1.0', 'ce-id': '1', 'ce-source': '/crm', 'ce-type': 't' };
    await environment.post(BODY, { ...sign(BODY), ...attributes });
    expect(environment.sent()).toEqual(['Bia /crm']);
  });

  it('what the route names as its key counts, wherever the request says otherwise', async () => {
    const environment = await open(auth, { key: 'order.id' });
    const body = (name: string, order: number) =>
      JSON.stringify({ phone: '+5511987654321', name, order: { id: order } });
    const [first, again, other] = [body('Bia', 1), body('Ana', 1), body('Eva', 2)];
    for (const one of [first, again, other])
      await environment.post(one, { ...sign(one), 'Idempotency-Key': one.slice(0, 60) });
    expect(environment.sent()).toEqual(['Bia', 'Eva']);
  });
});

describe('Standard Webhooks: the signed id is the key', () => {
  const event = (id: string, name = 'Bia') => JSON.stringify({ event_id: id, phone: '+5511987654321', name });

  it('one id with two bodies is one event, whatever key the bodies name', async () => {
    const environment = await open(STANDARD);
    for (const body of [event('a'), event('b', 'Ana')]) await environment.post(body, standard(body));
    expect(environment.sent()).toEqual(['Bia']);
  });

  it('two ids are two events, though their bodies are the same', async () => {
    const environment = await open(STANDARD);
    for (const id of ['msg_1', 'msg_2']) await environment.post(event('a'), standard(event('a'), id));
    expect(environment.sent()).toEqual(['Bia', 'Bia']);
  });

  it('stays the key where headers are trusted', async () => {
    const environment = await open(STANDARD, {}, { trustHeaders: true });
    await environment.post(BODY, standard(BODY));
    await environment.post(BODY, { ...standard(BODY), 'idempotency-key': 'forged' });
    expect(environment.sent()).toEqual(['Bia']);
  });

  it('an id that can be no key is refused, and an unsigned one proves nothing', async () => {
    const environment = await open(STANDARD);
    expect((await environment.post(BODY, standard(BODY, 'x'.repeat(256)))).status).toBe(400);
    expect((await environment.post(BODY, { ...standard(BODY), 'webhook-id': 'msg_2' })).status).toBe(401);
    expect(environment.sent()).toEqual([]);
  });
});

describe('HMAC of the body: the body is the key', () => {
  it('one byte more is another event, and fields of it count before its bytes', async () => {
    const environment = await open(HMAC);
    const bodies = [BODY, `${BODY} `, '{"event_id":"1","phone":"+5511987654321","name":"Eva"}'];
    const again = '{"event_id":"1","phone":"+5511987654321","name":"Eva 2"}';
    for (const body of [...bodies, ...bodies, again]) await environment.post(body, plain(body));
    expect(environment.sent()).toEqual(['Bia', 'Bia', 'Eva']);
  });

  it('compressed or not, it is the same event', async () => {
    const environment = await open(HMAC);
    await environment.post(BODY, plain(BODY));
    const zipped = await environment.post(gzipSync(BODY), { ...plain(BODY), 'content-encoding': 'gzip' });
    expect(await zipped.json()).toMatchObject({ duplicate: true });
  });
});

describe('a token proves the sender of the whole request', () => {
  const TOKEN_AUTH = { type: 'token', secrets: ['env:A'] };
  const authorized = { authorization: `Bearer ${KEY}` };
  const environment = (http: object) => open(TOKEN_AUTH, {}, http);

  it('so its headers count', async () => {
    const { post, sent } = await environment({});
    for (const key of ['1', '2', '1']) await post(BODY, { ...authorized, 'idempotency-key': key });
    expect(sent()).toEqual(['Bia', 'Bia']);
  });

  it('unless the route says that they do not', async () => {
    const { post, sent } = await environment({ trustHeaders: false });
    for (const key of ['1', '2', '1']) await post(BODY, { ...authorized, 'idempotency-key': key });
    expect(sent()).toEqual(['Bia']);
  });
});
