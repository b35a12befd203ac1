// What needs a person reaches people: two workers, an ingress and a console, whose only token is refused for a while. A
// webhook and an SMTP server hear of it once, and once more when it has ended.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freePort } from '../../../src/core/net/ports.ts';
import type { Notice, NoticeEntry } from '../../../src/observe/notices/notice.ts';
import { type SandboxProcess, startSandboxProcess } from '../../support/console/processes.ts';
import { account } from '../../support/environment.ts';
import { startFleetOfRun } from '../../support/fleet-of-run.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { until } from '../../support/until.ts';

const TOKEN = 'svc_test_token';
const PHONE = '14155552001';
/** A need has ended after two minutes without it; a token is tried up to a minute late. */
const ENDS_MS = 300_000;

const stops: (() => Promise<unknown>)[] = [];
const notices: Notice[] = [];
const mails: string[] = [];
let sandbox: SandboxProcess;
let ingress: string;

async function startWebhook(): Promise<string> {
  const server = createServer(async (request, response) => {
    notices.push(JSON.parse(await text(request)) as Notice);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function startMail(): Promise<string> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _, callback) {
      let mail = '';
      stream.on('data', (chunk: Buffer) => {
        mail += chunk;
      });
      stream.on('end', () => {
        mails.push(mail.replaceAll('=\r\n', ''));
        callback();
      });
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  stops.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-notices-'));
  stops.push(() => rm(dir, { recursive: true, force: true }));
  const dist = await buildOnce();
  const tokens = [{ value: TOKEN, scopes: ['contacts:read', 'contacts:write'] }];
  sandbox = await startSandboxProcess({ dist, dir, fixture: { accounts: [account({ tokens })] }, rate: 0 });
  stops.push(() => sandbox.stop());
  const port = await freePort();
  ingress = `http://127.0.0.1:${port}/leads`;
  const soon = { after: '0s', group: '1s' };
  await writeFile(
    join(dir, 'sluice.yaml'),
    stringify({
      version: 1,
      accounts: { acme: { baseUrl: sandbox.baseUrl, tokens: ['env:ACME_TOKEN'] } },
      mappings: { leads: { contact: { number: 'phone', name: 'name' } } },
      routes: {
        leads: {
          account: 'acme',
          http: { path: '/leads', auth: { type: 'none' } },
          action: { type: 'lead', mapping: 'leads' },
        },
      },
      ingress: { http: { port } },
      operator: { http: { port: await freePort() } },
      notices: {
        hook: { type: 'webhook', url: await startWebhook(), ...soon },
        mail: {
          type: 'email',
          server: await startMail(),
          from: 'sluice@example.com',
          to: ['ops@example.com'],
          ...soon,
        },
      },
    }),
  );
  const fleet = await startFleetOfRun({
    dist,
    dir,
    env: { ACME_TOKEN: TOKEN },
    workers: 2,
  });
  stops.push(() => fleet.stop());
}, 180_000);

afterAll(async () => {
  for (const stop of stops.toReversed()) await stop();
});

async function sendLead(id: string): Promise<void> {
  const answer = await fetch(ingress, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id, phone: `+${PHONE}`, name: 'Zuleica Quaresma' }),
  });
  expect(answer.status).toBe(202);
}

const entriesOf = (when: 'began' | 'ended') =>
  notices.flatMap((notice) => notice[when]).filter(({ kind }) => kind === 'refused-token');

it('a refused token is announced once when it begins and once when it has ended, to each channel', async () => {
  await sandbox.panel.patch({ tokens: [{ value: TOKEN, revoked: true }] });
  await sendLead('one');
  await until('the webhook hears of the token', () => entriesOf('began').length > 0);
  await until('a mail comes', () => mails.length > 0);
  await sandbox.panel.patch({ tokens: [{ value: TOKEN, revoked: false }] });
  await sendLead('two');
  await until('the webhook hears of its end', () => entriesOf('ended').length > 0, ENDS_MS);
  const { id, text: words } = entriesOf('began')[0] as NoticeEntry;
  // What it blocks may be known to one channel a moment later than to the other.
  const sentence = 'the service refuses token 1';
  expect(words).toContain(sentence);
  const mailed = () => mails.filter((mail) => mail.includes(sentence));
  await until('a mail says so', () => mailed().length > 1, ENDS_MS);
  expect(mailed()).toHaveLength(2);
  expect(entriesOf('began')).toHaveLength(1);
  expect(entriesOf('ended')).toEqual([
    expect.objectContaining({ id, account: 'acme', until: expect.any(String) }),
  ]);
  expect(new Set(notices.map(({ id }) => id)).size).toBe(notices.length);
  const sent = [...notices.map((notice) => JSON.stringify(notice)), ...mails].join('\n');
  expect(sent).not.toMatch(new RegExp(`${TOKEN}|${PHONE}|Zuleica`));
}, 600_000);
