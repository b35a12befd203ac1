// Two ingress processes on one ledger, as behind a load balancer that sends a request twice: each event is one, wherever it
// arrives, also while one of the two is killed. A captured signature is worth nothing elsewhere.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { stringify } from 'yaml';
import { type Database, openPostgres } from '../../../src/core/sql/database.ts';
import { startSluice } from '../../support/console/processes.ts';
import { MAPPING } from '../../support/environment.ts';
import type { panelOf } from '../../support/panel.ts';
import { startServers } from '../../support/runner/servers.ts';
import { until } from '../../support/until.ts';

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const SECRETS = { leads: secretOf(1), others: secretOf(2) };
/** Events that are sent to both processes at once. */
const PAIRS = 40;

interface Answer {
  readonly status: number;
  /** Of the event, if it was accepted. */
  readonly id: string | undefined;
}

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

let db: Database;
let panel: ReturnType<typeof panelOf>;
let ingresses: { readonly url: string; kill(): Promise<void> }[];

beforeAll(async () => {
  const servers = await startServers('two', ends);
  const { dir, dist, temporal, postgres, sandbox } = servers;
  panel = servers.panel;
  const file = join(dir, 'sluice.yaml');
  const route = (path: string, secret: string) => ({
    account: 'acme',
    http: { path, auth: { type: 'standard-webhooks', secrets: [secret] } },
    action: { type: 'lead', mapping: 'leads' },
  });
  await writeFile(
    file,
    stringify({
      version: 1,
      accounts: { acme: { baseUrl: sandbox.baseUrl, tokens: ['env:TOKEN'], callsPerMinute: 60_000 } },
      mappings: { leads: MAPPING },
      ingress: { http: { port: 0 } },
      routes: { leads: route('/leads', 'env:LEADS'), others: route('/others', 'env:OTHERS') },
    }),
  );
  const env = {
    TOKEN: 'svc_test_token',
    LEADS: SECRETS.leads,
    OTHERS: SECRETS.others,
    DATABASE_URL: postgres.url,
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_NAMESPACE: temporal.namespace,
    SLUICE_ADMIN_PORT: '0',
  };
  const start = async (command: 'worker' | 'ingress', ready: RegExp) => {
    const state = await mkdtemp(join(dir, `${command}-`));
    const started = startSluice(dist, dir, [command, '--config', file], { ...env, SLUICE_STATE: state });
    ends.push(() => started.stop());
    await started.seen('stderr', ready);
    return started;
  };
  const startIngress = async () => {
    const started = await start('ingress', /^ {2}others:/m);
    return { url: /^ingress +(\S+)/m.exec(started.text('stderr'))?.[1] as string, kill: started.kill };
  };
  await start('worker', /ready for/);
  ingresses = await Promise.all([startIngress(), startIngress()]);
  db = await openPostgres(postgres.url, () => undefined);
  ends.push(() => db.close());
}, 300_000);

const lead = (n: number) =>
  JSON.stringify({ id: `e${n}`, phone: `119${80_000_000 + n}`, name: `Lead ${n}`, stage: 'New' });

interface Signed {
  readonly body: string;
  readonly headers: Record<string, string>;
}

function sign(n: number): Signed {
  const id = `msg_${n}`;
  const at = new Date();
  const body = lead(n);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(SECRETS.leads).sign(id, at, body),
    },
  };
}

async function send(n: number, path: string, { body, headers }: Signed): Promise<Answer> {
  const answer = await fetch(`${ingresses[n]?.url}${path}`, { method: 'POST', body, headers });
  const { id } = (await answer.json()) as { id?: string };
  return { status: answer.status, id };
}

/** As a sender does it: a 503 of a busy ingress means to send the same again. */
async function sendUntilAccepted(n: number, signed: Signed): Promise<Answer> {
  return await until('the request is accepted', async () => {
    const answer = await send(n, '/leads', signed);
    if (answer.status === 503) return null;
    expect(answer.status).toBe(202);
    return answer;
  });
}

async function untilDone(count: number): Promise<void> {
  await until(`${count} events are done`, async () => {
    const rows = await db.query("select 1 from events where outcome = 'done'");
    return rows.length === count;
  });
}

it('a request that reaches both at once is one event, one contact and one card', async () => {
  const signed = Array.from({ length: PAIRS }, (_, n) => sign(n));
  const answers = await Promise.all(
    signed.map(async (each) => await Promise.all([sendUntilAccepted(0, each), sendUntilAccepted(1, each)])),
  );
  for (const [a, b] of answers) expect(b.id).toBe(a.id);
  expect(new Set(answers.map(([{ id }]) => id)).size).toBe(PAIRS);
  await untilDone(PAIRS);
  const { contacts, cards } = await panel.account();
  expect([contacts.length, cards.length]).toEqual([PAIRS, PAIRS]);
});

it('a captured signature is refused on another route, for another body and with another id, by both', async () => {
  const events = async () => (await db.query('select 1 from events')).length;
  const captured = sign(PAIRS);
  const before = await events();
  for (const n of [0, 1]) {
    expect(await send(n, '/others', captured)).toMatchObject({ status: 401 });
    expect((await send(n, '/leads', { ...captured, body: lead(9999) })).status).toBe(401);
    const id = { ...captured.headers, 'webhook-id': 'msg_other' };
    expect((await send(n, '/leads', { ...captured, headers: id })).status).toBe(401);
  }
  expect(await events()).toBe(before);
});

it('kill -9 of one while requests are under way: the sender repeats at the other, and each is one event', async () => {
  const signed = Array.from({ length: PAIRS }, (_, n) => sign(1000 + n));
  const first = signed.map(async (each) => await send(0, '/leads', each).catch(() => null));
  await Promise.race(first);
  await ingresses[0]?.kill();
  const answered = (await Promise.all(first)).filter((answer) => answer?.status === 202);
  const again = await Promise.all(signed.map(async (each) => await sendUntilAccepted(1, each)));
  // What was accepted before the kill is the same event.
  const ids = new Set(again.map(({ id }) => id));
  for (const answer of answered) expect(ids).toContain(answer?.id);
  expect(ids.size).toBe(PAIRS);
  await untilDone(2 * PAIRS);
  const { contacts, cards } = await panel.account();
  expect([contacts.length, cards.length]).toEqual([2 * PAIRS, 2 * PAIRS]);
  console.error(`${answered.length} of ${PAIRS} were answered before the kill`);
});
