// Makes the company of data.ts live: users, a sync that has run, a campaign that is running, replies, events and failures.
import { setTimeout as delay } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import type { Page } from 'playwright-core';
import { request } from 'undici';
import type { panelOf } from '../../test/support/panel.ts';
import { DEAD, memberNumber, nameOf, TOPIC } from './data.ts';

const DEADLINE_MS = 300_000;
const PAUSE_MS = 500;

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(PAUSE_MS);
  }
}

/** One call of the operator API, as the page's user. */
export type Call = <T>(method: string, path: string, body?: object) => Promise<T>;

export function callAs(page: Page): Call {
  return async <T>(method: string, path: string, body?: object) => {
    const script = `(async () => {
      const session = await (await fetch('/api/v1/session')).json();
      const answer = await fetch('/api/v1${path}', {
        method: '${method}',
        headers: { 'content-type': 'application/json', 'x-csrf-token': session.csrfToken },
        ${body === undefined ? '' : `body: ${JSON.stringify(JSON.stringify(body))},`}
      });
      return { ok: answer.ok, text: await answer.text() };
    })()`;
    const { ok, text } = await page.evaluate<{ ok: boolean; text: string }>(script);
    if (!ok) throw new Error(`${method} ${path}: ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as T;
  };
}

export interface Living {
  readonly call: Call;
  readonly panel: ReturnType<typeof panelOf>;
  readonly ingress: string;
  readonly brokers: readonly string[] | null;
}

export async function bringToLife({ call, panel, ingress, brokers }: Living): Promise<void> {
  await call('POST', '/users', { name: 'ana', displayName: 'Ana Souza', role: 'operator' });
  await call('POST', '/users', { name: 'bia', displayName: 'Bia Reis', role: 'approver' });
  await call('POST', '/users', { name: 'caio', displayName: 'Caio Prado', role: 'viewer' });
  if (brokers !== null) await sendRecords(brokers);
  await panel.fault({
    kind: 'status',
    status: 500,
    body: 'oops',
    path: '/v1/cards',
    probability: 0.004,
    seed: 7,
  });
  await call('POST', '/syncs/leads/runs', {});
  await until('the sync has ended', async () => {
    const { runs } = await call<{ runs: { status: string }[] }>('GET', '/syncs/leads/runs?limit=1');
    return runs[0]?.status === 'finished';
  });
  await call('POST', '/campaigns/autumn-offer/plan', {});
  await planned(call, 'autumn-offer');
  const refused = { error: 'ERR_INVALID_BODY' };
  const trigger = { method: 'POST', path: '/v1/flows/trigger' };
  await panel.fault({
    kind: 'status',
    status: 422,
    body: JSON.stringify(refused),
    probability: 0.02,
    seed: 3,
    ...trigger,
  });
  await panel.fault({ kind: 'reset-after', probability: 0.004, seed: 5, ...trigger });
  await call('POST', '/campaigns/autumn-offer/start', { reason: 'approved by marketing' });
  await call('POST', '/campaigns/trial-ends/plan', {});
  await planned(call, 'trial-ends');
  await sendEvents(ingress);
  const texts = ['Oi! Quero sim', 'Quanto custa?', 'Me liga amanhã', 'PARAR', 'Obrigada!'];
  for (let index = 0; index < 40; index++)
    await panel.inbound({
      number: memberNumber(index * 2 + 1),
      body: texts[index % texts.length] as string,
      connectionId: 1,
    });
}

export async function planned(call: Call, campaign: string): Promise<void> {
  await until(`${campaign} is planned`, async () => {
    const { runs } = await call<{ runs: { state: string }[] }>(
      'GET',
      `/campaign-runs?campaign=${campaign}&limit=1`,
    );
    return runs[0]?.state === 'planned';
  });
}

async function sendEvents(ingress: string): Promise<void> {
  for (let index = 0; index < 24; index++) {
    // Every sixth form comes without its number.
    const phone = index % 6 === 5 ? {} : { Telefone: `+${memberNumber(3000 + index)}` };
    const body = JSON.stringify({ Nome: nameOf(index * 3), Etapa: 'New', ...phone });
    const headers = { 'content-type': 'application/json' };
    const answer = await request(`${ingress}/events/leads`, { method: 'POST', headers, body });
    await answer.body.dump();
  }
}

export async function sendRecords(brokers: readonly string[]): Promise<void> {
  const client = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const producer = client.producer();
  await producer.connect();
  const messages = Array.from({ length: 14 }, (_, index) => {
    // Every fourth one has the number as a number, which the schema refuses.
    const phone = memberNumber(index + 1);
    return { key: phone, value: JSON.stringify({ phone: index % 4 === 3 ? Number(phone) : phone }) };
  });
  await producer.send({ topic: TOPIC, messages });
  await producer.disconnect();
}

/** The ingress starts only with its topics. */
export async function makeTopics(brokers: readonly string[]): Promise<void> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: TOPIC, numPartitions: 3 }, { topic: DEAD }] });
  await admin.disconnect();
}
