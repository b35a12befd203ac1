// Channels against real receivers: an HTTP server, an SMTP server, and programs.
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SecretError } from '../../../../src/core/config/errors.ts';
import { NoticeError } from '../../../../src/observe/notices/channels/error.ts';
import { sendNotice } from '../../../../src/observe/notices/channels/index.ts';
import { NoticeChannel } from '../../../../src/observe/notices/config.ts';
import { asSlack, asTeams, asText } from '../../../../src/observe/notices/formats.ts';
import { factsFor } from '../../../../src/observe/notices/needs.ts';
import { type Notice, noticeOf } from '../../../../src/observe/notices/notice.ts';
import type { NeedFacts } from '../../../../src/observe/notices/rules.ts';
import { factsOf, MINUTE, needOf } from './fixtures.ts';

const now = Date.parse('2026-11-27T12:00:00Z');
const tracked = (name: string) => ({
  ...factsOf(name),
  firstSeenAt: now - 10 * MINUTE,
  goneAt: null,
  attemptedAt: null,
  notifiedAt: null,
});
const NOTICE = noticeOf(
  { began: [tracked('spring'), tracked('a_b<c>|d')], ended: [{ ...tracked('leads'), goneAt: now - MINUTE }] },
  { channel: 'ops', now, publicUrl: 'https://sluice.example.com' },
);

const SECRETS: Record<string, string> = { 'env:TOKEN': 's3cret', 'env:PLAIN': 'http://hooks.example.com/x' };
let folder = '';
const send = (
  channel: object,
  { timeoutMs, notice = NOTICE }: { timeoutMs?: number; notice?: Notice } = {},
) =>
  sendNotice(NoticeChannel.parse(channel), notice, {
    secret: async (ref) => {
      const value = SECRETS[ref];
      if (value === undefined) throw new SecretError(ref, `environment variable ${ref.slice(4)} is not set`);
      return value;
    },
    baseDir: folder,
    env: process.env,
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
const failureOf = async (sending: Promise<string>) => {
  const error = await sending.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(NoticeError);
  const { code, unclear, message, answer } = error as NoticeError;
  return { code, unclear, message, answer };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-notices-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a refused token', () => {
  const work = (count: number) =>
    (['sync', 'campaign', 'poller', 'route', 'sync', 'sync', 'sync'] as const)
      .slice(0, count)
      .map((kind, n) => ({ kind, name: `w_${n}`, run: null }));
  const noticeFor = (count: number, goneAt: number | null = null) => {
    const need = needOf('1', { kind: 'refused-token', code: 'ERR_TOKEN_REVOKED', blocks: work(count) });
    const [facts] = factsFor('ops', [need], 'info') as [NeedFacts];
    const entry = { ...tracked('1'), ...facts, goneAt };
    const due = goneAt === null ? { began: [entry], ended: [] } : { began: [], ended: [entry] };
    return noticeOf(due, { channel: 'ops', now, publicUrl: null });
  };

  it.each([
    [1, 'it blocks sync w_0'],
    [5, 'it blocks sync w_0, campaign w_1, poller w_2, route w_3, sync w_4'],
    [7, 'it blocks sync w_0, campaign w_1, poller w_2, route w_3, sync w_4 and 2 more'],
  ])('that blocks %i names it in every format', (count, words) => {
    const notice = noticeFor(count);
    const text = `the service refuses token 1 (acme) [ERR_TOKEN_REVOKED]; ${words}`;
    expect(notice.began).toMatchObject([{ text, blocks: work(count) }]);
    expect(asText(notice)).toContain(`${text}, since`);
    expect(JSON.stringify(asSlack(notice))).toContain(text);
    expect(JSON.stringify(asTeams(notice)).replaceAll('\\\\', '')).toContain(text);
  });

  it('that blocks nothing, or is accepted again, names nothing', () => {
    for (const notice of [noticeFor(0), noticeFor(3, now)]) expect(asText(notice)).not.toMatch(/blocks/);
  });
});

describe('a webhook', () => {
  let server: Server | undefined;
  let seen: { readonly request: IncomingMessage; readonly body: string }[] = [];
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    seen = [];
  });

  async function receiver(answer: RequestListener): Promise<string> {
    server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push({ request, body });
      answer(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('gets the notice as JSON, with the token and the id', async () => {
    const url = await receiver((_, response) => response.end('thanks'));
    expect(await send({ type: 'webhook', url: `${url}/hook`, token: 'env:TOKEN' })).toBe('HTTP 200: thanks');
    const [{ request, body } = { request: {} as IncomingMessage, body: '' }] = seen;
    expect(request.method).toBe('POST');
    expect(request.headers).toMatchObject({ authorization: 'Bearer s3cret', 'idempotency-key': NOTICE.id });
    expect(JSON.parse(body)).toEqual(NOTICE);
    expect(NOTICE).toMatchObject({
      version: 1,
      title: 'Sluice: 2 things need a person, 2 critical; 1 need has ended',
      began: [{ name: 'spring', since: '2026-11-27T11:50:00.000Z', until: null }, { name: 'a_b<c>|d' }],
      ended: [{ name: 'leads', until: '2026-11-27T11:59:00.000Z' }],
    });
  });

  it('gets what Slack takes, with names that are no markup', async () => {
    const url = await receiver((_, response) => response.end('ok'));
    await send({ type: 'webhook', url, format: 'slack' });
    const { text, blocks } = JSON.parse(seen[0]?.body ?? '');
    expect(text).toBe(NOTICE.title);
    expect(blocks).toHaveLength(4);
    expect(blocks[2].text.text).toContain('a_b&lt;c&gt;¦d is blocked');
    expect(blocks[2].text.text.match(/\|/g)).toHaveLength(1);
  });

  it('gets what Teams takes, with names that are no markup', async () => {
    const url = await receiver((_, response) => response.writeHead(202).end());
    expect(await send({ type: 'webhook', url, format: 'teams' })).toBe('HTTP 202');
    const { type, attachments } = JSON.parse(seen[0]?.body ?? '');
    expect([type, attachments[0].contentType]).toEqual([
      'message',
      'application/vnd.microsoft.card.adaptive',
    ]);
    expect(attachments[0].content.body).toHaveLength(4);
    expect(attachments[0].content.body[2].text).toContain('a\\_b\\<c\\>|d');
    expect(attachments[0].content.actions[0].url).toBe('https://sluice.example.com/');
  });

  it('is not followed to another place', async () => {
    const url = await receiver((_, response) =>
      response.writeHead(307, { location: 'http://127.0.0.1:9/x' }).end(),
    );
    expect(await failureOf(send({ type: 'webhook', url }))).toMatchObject({
      code: 'HTTP_307',
      unclear: false,
    });
    expect(seen).toHaveLength(1);
  });

  it('that refuses says so, without its words in the message', async () => {
    const url = await receiver((_, response) => response.writeHead(403).end('invalid_token of Ana'));
    const failure = await failureOf(send({ type: 'webhook', url }));
    expect(failure).toMatchObject({ code: 'HTTP_403', answer: 'invalid_token of Ana' });
    expect(failure.message).not.toContain('Ana');
  });

  it('that does not answer in time may have got it', async () => {
    const url = await receiver(() => undefined);
    expect(await failureOf(send({ type: 'webhook', url }, { timeoutMs: 200 }))).toMatchObject({
      code: 'TIMEOUT',
      unclear: true,
    });
  });

  it('that is not there did not get it', async () => {
    const url = await receiver(() => undefined);
    server?.close();
    expect(await failureOf(send({ type: 'webhook', url }))).toMatchObject({
      code: 'UNREACHABLE',
      unclear: false,
    });
  });

  it.each([
    ['env:PLAIN', 'INSECURE'],
    ['env:TOKEN', 'URL'],
    ['env:MISSING', 'SECRET'],
  ])('behind %s is refused with %s, without its URL', async (url, code) => {
    const failure = await failureOf(send({ type: 'webhook', url }));
    expect(failure).toMatchObject({ code, unclear: false });
    expect(failure.message).not.toMatch(/hooks\.example|s3cret/);
  });
});

describe('an SMTP server', () => {
  let server: SMTPServer | undefined;
  let mails: { readonly to: readonly string[]; readonly text: string }[] = [];
  afterEach(async () => {
    const closing = server;
    server = undefined;
    if (closing !== undefined) await new Promise<void>((resolve) => closing.close(() => resolve()));
    mails = [];
  });

  async function start(options: ConstructorParameters<typeof SMTPServer>[0] = {}): Promise<string> {
    server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, session, callback) {
        let text = '';
        stream.on('data', (chunk: Buffer) => {
          text += chunk;
        });
        stream.on('end', () => {
          mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text });
          callback(null);
        });
      },
      ...options,
    });
    server.on('error', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    return `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  }

  const MAIL = { type: 'email', from: 'sluice@example.com', to: ['ops@example.com', 'crm@example.com'] };

  it('gets the notice as text, with its links', async () => {
    const address = await start();
    expect(await send({ ...MAIL, server: address })).toMatch(/^250/);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.to).toEqual(['ops@example.com', 'crm@example.com']);
    const text = mails[0]?.text.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
    expect(text).toContain('Auto-Submitted: auto-generated');
    expect(text).toContain('the campaign spring is blocked');
    expect(text).toContain('https://sluice.example.com/');
  });

  it('that wants a login gets it, and refuses a wrong one with its words for the test only', async () => {
    const address = await start({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, callback) =>
        password === 's3cret' && username === 'ops'
          ? callback(null, { user: 'ops' })
          : callback(new Error('no such user ops')),
    });
    expect(await send({ ...MAIL, server: address, user: 'ops', password: 'env:TOKEN' })).toMatch(/^250/);
    const failure = await failureOf(send({ ...MAIL, server: address, user: 'other', password: 'env:TOKEN' }));
    expect(failure).toMatchObject({ code: 'SMTP_LOGIN', unclear: false });
    expect(failure.answer).toContain('no such user');
    expect(failure.message).not.toMatch(/no such user|s3cret/);
  });

  it('that refuses one of the recipients is a failure', async () => {
    const address = await start({
      onRcptTo: ({ address: to }, _, callback) =>
        callback(to.startsWith('crm') ? new Error('unknown') : null),
    });
    const failure = await failureOf(send({ ...MAIL, server: address }));
    expect(failure).toMatchObject({ code: 'RECIPIENT', unclear: true });
    expect(failure.message).not.toContain('crm@');
  });

  it('that hangs may have got it', async () => {
    const address = await start({ onData: (stream) => void stream.resume() });
    expect(await failureOf(send({ ...MAIL, server: address }, { timeoutMs: 500 }))).toMatchObject({
      code: 'TIMEOUT',
      unclear: true,
    });
  });
});

describe('a command', () => {
  const node = (script: string, timeout = '10s') => ({
    type: 'command',
    command: [process.execPath, '-e', script],
    timeout,
  });

  it('reads the notice from stdin, in the folder of the configuration', async () => {
    const script =
      "require('fs').writeFileSync('got.json', JSON.stringify([process.argv.slice(1), require('fs').readFileSync(0, 'utf8')]))";
    expect(await send(node(script))).toBe('exit code 0');
    const [args, text] = JSON.parse(await readFile(join(folder, 'got.json'), 'utf8'));
    expect(args).toEqual([]);
    expect(JSON.parse(text)).toEqual(NOTICE);
  });

  it('that does not read its stdin is fine', async () => {
    const entry = NOTICE.began[0];
    const large = {
      ...NOTICE,
      began: Array.from({ length: 2000 }, () => entry as NonNullable<typeof entry>),
    };
    expect(await send(node('process.exit(0)'), { notice: large })).toBe('exit code 0');
  });

  it('that fails says its exit code', async () => {
    expect(await failureOf(send(node('process.exit(3)')))).toMatchObject({
      code: 'COMMAND_FAILED',
      unclear: false,
    });
  });

  it('that hangs is killed, with what it has started', async () => {
    await writeFile(join(folder, 'sleep.cjs'), 'setTimeout(() => {}, 600000)');
    const script =
      "const c = require('child_process').spawn(process.execPath, ['sleep.cjs']); require('fs').writeFileSync('pid', String(c.pid)); setTimeout(() => {}, 600000)";
    expect(await failureOf(send(node(script, '2s')))).toMatchObject({
      code: 'COMMAND_TIMEOUT',
      unclear: true,
    });
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  it('that does not exist says so', async () => {
    const failure = await failureOf(send({ type: 'command', command: ['/nowhere/page'] }));
    expect(failure).toMatchObject({ code: 'COMMAND_MISSING', unclear: false });
  });
});

/** A zombie has ended: whoever started it has not asked yet. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat !== null && !/\) Z /.test(stat);
}
