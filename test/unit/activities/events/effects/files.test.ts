// Files that go along with a message: had before anything is spent, and refused without a call.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storeUpload } from '../../../../../src/jobs/events/store/uploads.ts';
import { type EffectContext, message, openEffectContext } from './support.ts';

let context: EffectContext;
const calls = async () =>
  (await context.requests()).map(({ method, path }) => `${method} ${path.split('?')[0]}`);
let files: Server;
let asked: string[];
beforeAll(async () => {
  context = await openEffectContext();
  files = createServer((req, res) => {
    asked.push(req.url ?? '');
    if (req.url === '/gone.png') return void res.writeHead(404).end();
    if (req.url === '/busy.png') return void res.writeHead(503).end();
    res.writeHead(200, { 'content-type': 'image/png' }).end(`file ${req.url}`);
  });
  await new Promise<void>((done) => files.listen(0, '127.0.0.1', done));
});
afterAll(async () => {
  await context.close();
  await new Promise((done) => files.close(done));
});
beforeEach(async () => {
  asked = [];
  await context.requests();
});

const withFiles = (to: string, paths: string[], over: object = {}) => {
  const host = `127.0.0.1:${(files.address() as AddressInfo).port}`;
  const urls = paths.map((path) => `http://${host}${path}`);
  const limits = { hosts: [host], maxBytes: 1000, allowPrivate: true, timeoutMs: 2000 };
  return message(to, { media: { urls, ...limits, ...over } });
};

it('go along with the text', async () => {
  const id = await context.event(withFiles('5511900008881', ['/a.png', '/b.png']));
  await context.drive(id);
  const { conversations } = await context.state();
  const names = conversations.at(-1)?.messages.map(({ body, media }) => media?.name ?? body);
  expect(names).toEqual(['hello', 'a.png', 'b.png']);
});

it.each([
  ['that is gone', ['/a.png', '/gone.png'], {}, 'MEDIA_STATUS'],
  ['from a host that is not allowed', ['/a.png'], { hosts: ['files.example.test'] }, 'MEDIA_HOST'],
  ['from inside the network', ['/a.png'], { allowPrivate: false }, 'MEDIA_ADDRESS'],
  ['that is too long', ['/a.png'], { maxBytes: 3 }, 'MEDIA_TOO_LARGE'],
])('one %s fails the event before any call is spent', async (_, paths, over, code) => {
  const id = await context.event(withFiles('5511900008882', paths, over));
  await context.drive(id);
  expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code, kept: true });
  expect(await calls()).toEqual([]);
  expect(await context.intent(id)).toBeUndefined();
});

it('with a message without a conversation are refused, because the service would drop them silently', async () => {
  const id = await context.event({ ...withFiles('5511900008886', ['/a.png']), saveOnTicket: false });
  await context.drive(id);
  expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code: 'INVALID_ARGUMENT' });
  expect(await calls()).toEqual([]);
});

it('of a busy host are requested twelve times, and then the event fails', async () => {
  const id = await context.event(withFiles('5511900008883', ['/busy.png']));
  expect(await context.drive(id)).toHaveLength(12);
  expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code: 'MEDIA_STATUS' });
  expect(await calls()).toEqual([]);
});

it('are downloaded once, although the service is over its limit', async () => {
  const id = await context.event(withFiles('5511900008884', ['/once.png']));
  const limited = {
    status: 429,
    body: { error: 'x', code: 'ERR_RATE_LIMITED' },
    headers: { 'Retry-After': '1' },
  };
  await context.panel.fault({ method: 'POST', kind: 'status', times: 1, ...limited });
  await expect(context.step('sendMessage', id)).rejects.toMatchObject({ type: 'ComeBack' });
  await context.db.query("update slots set blocked_until = '-infinity'");
  await context.drive(id);
  expect(asked).toEqual(['/once.png']);
  expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
});

it('that exceed the storage make the event wait', async () => {
  await context.panel.patch({ storageLimitReached: true });
  const id = await context.event(withFiles('5511900008885', ['/a.png']));
  await expect(context.drive(id)).rejects.toMatchObject({ type: 'FORBIDDEN', message: /storage is full/ });
  await context.drive(await context.event(message('5511900008885')));
  await context.panel.patch({ storageLimitReached: false });
  await context.drive(id);
  expect(await context.sentTo('5511900008885')).toEqual(['hello', 'hello', '']);
});

describe('uploaded files', () => {
  const FILE = { account: 'acme', filename: 'a.pdf', contentType: 'application/pdf' };
  const store = async (over: object = {}) =>
    (await storeUpload(context.db, { ...FILE, data: Buffer.from('upload'), ...over }, 7)).id;

  it('arrive unchanged, in order, after those from URLs', async () => {
    const data = randomBytes(1_000_003);
    const uploads = [await store({ data }), await store({ filename: 'b.pdf' })];
    await context.drive(await context.event({ ...withFiles('5511900008891', ['/a.png']), uploads }));
    const { conversations } = await context.state();
    const media = conversations.at(-1)?.messages.flatMap((each) => each.media ?? []);
    expect(media?.map(({ name, type }) => [name, type])).toEqual([
      ['a.png', 'image/png'],
      ['a.pdf', 'application/pdf'],
      ['b.pdf', 'application/pdf'],
    ]);
    expect(media?.[1]).toMatchObject({
      size: data.length,
      sha256: createHash('sha256').update(data).digest('hex'),
    });
  });

  it.each([
    ['never', async () => 'up_never'],
    ['for another account', () => store({ account: 'other' })],
    [
      'more than seven days ago',
      async () => {
        const id = await store({ filename: 'old.pdf' });
        await context.db.query('update uploads set expires_at = now() where id = $1', [id]);
        return id;
      },
    ],
  ])('%s fail the event before any call or download', async (_, upload) => {
    const uploads = [await store(), await upload()];
    const id = await context.event({ ...withFiles('5511900008892', ['/a.png']), uploads });
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code: 'UPLOAD_GONE', kept: true });
    expect((await context.outcome(id)).reason).toMatch(/^upload 2 of 2 does not exist/);
    expect([await calls(), asked]).toEqual([[], []]);
    expect(await context.intent(id)).toBeUndefined();
  });

  it('with a message without a conversation are refused', async () => {
    const over = { uploads: [await store()], saveOnTicket: false };
    const id = await context.event(message('5511900008893', over));
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'failed', code: 'INVALID_ARGUMENT' });
    expect(await calls()).toEqual([]);
  });
});
