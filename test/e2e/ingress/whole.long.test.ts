// From outside to the service: what others' tools send ends as a contact and a card in the sandbox.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { Webhook } from 'standardwebhooks';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Ingress, startIngress } from '../../../src/app/ingress.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createShutdown, type Shutdown } from '../../../src/core/shutdown.ts';
import { NO_TRACING } from '../../../src/core/tracing.ts';
import { createLogger } from '../../../src/observe/logger.ts';
import { createMetrics } from '../../../src/observe/metrics/index.ts';
import { socketClient } from '../../../src/operator/client/node.ts';
import { account, type Environment, MAPPING } from '../../support/environment.ts';
import { untilEnded } from '../../support/intake-context.ts';
import { startKafka, type TestKafka } from '../../support/kafka/kafka.ts';
import { openTestOperator } from '../../support/operator/operator.ts';
import { NO_KAFKA } from '../../support/runner/missing.ts';
import { HEADER, syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';

const context = syncContext();
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NOTES_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const TOPIC = 'crm.leads';

let kafka: TestKafka | null;
beforeAll(async () => {
  kafka = await startKafka();
  if (kafka === null) return;
  const admin = new Kafka({ brokers: kafka.brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: TOPIC, numPartitions: 3 }, { topic: 'dead' }] });
  await admin.disconnect();
});
afterAll(async () => {
  await kafka?.stop();
});

async function inIngress(
  work: (environment: Environment, ingress: Ingress) => Promise<void>,
  fixture?: ReturnType<typeof account>,
): Promise<void> {
  await context.inEnvironment({ csv: HEADER, ...(fixture && { account: fixture }) }, async (environment) => {
    const dir = await mkdtemp(join(tmpdir(), 'sluice-ingress-'));
    const quiet = { on() {}, off() {}, exit() {}, endNow() {} };
    const shutdown: Shutdown = createShutdown({ graceMs: 40_000, say: console.error, host: quiet });
    const leads = { account: 'acme', action: { type: 'lead', mapping: 'leads' } };
    const file = join(dir, 'sluice.yaml');
    try {
      await writeFile(
        file,
        stringify({
          version: 1,
          accounts: {
            acme: { baseUrl: environment.sandbox.baseUrl, tokens: ['env:TOKEN'], callsPerMinute: 60_000 },
          },
          mappings: { leads: MAPPING },
          ingress: {
            http: { port: 0 },
            ...(kafka === null ? {} : { kafka: { bus: { brokers: kafka.brokers, deadLetters: 'dead' } } }),
          },
          routes: {
            signed: {
              ...leads,
              http: { path: '/leads', auth: { type: 'standard-webhooks', secrets: ['env:SECRET'] } },
            },
            notes: {
              account: 'acme',
              http: {
                path: '/notes',
                auth: { type: 'standard-webhooks', secrets: ['env:NOTES_SECRET'] },
                trustHeaders: true,
              },
              action: { type: 'message', number: 'phone', uploads: { ids: 'files' } },
            },
            ...(kafka === null ? {} : { bus: { ...leads, kafka: { cluster: 'bus', topics: [TOPIC] } } }),
          },
        }),
      );
      const config = await loadConfig(file, { env: { TOKEN: 'svc_test_token', SECRET, NOTES_SECRET } });
      const log = createLogger({ level: 'silent' });
      const { client } = context.temporal;
      const metrics = createMetrics('ingress', 'test');
      const { db, workQueue: taskQueue } = environment;
      const tracing = NO_TRACING;
      const open = { config, db, client, log, metrics, shutdown, taskQueue, tracing };
      await work(environment, await startIngress(open));
    } finally {
      await shutdown.run('the end of the test');
      await rm(dir, { recursive: true, force: true });
    }
  });
}

describe('an event from outside', () => {
  it('signed with the reference package of Standard Webhooks ends as a contact and a card; repeated, as nothing', async () => {
    await inIngress(async (environment, ingress) => {
      const body = JSON.stringify({ phone: '+1 415 555 2671', name: 'Bia', tags: 'vip', stage: 'New' });
      const at = new Date();
      const send = (signed: string) =>
        request(`${ingress.url}/leads`, {
          method: 'POST',
          body: signed,
          headers: {
            'content-type': 'application/json',
            'webhook-id': 'msg_1',
            'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
            'webhook-signature': new Webhook(SECRET).sign('msg_1', at, body),
          },
        });
      const first = await send(body);
      expect(first.statusCode).toBe(202);
      const { id } = (await first.body.json()) as { id: string };
      expect(await untilEnded(environment)).toMatchObject([{ id, outcome: 'done' }]);
      const again = await send(body);
      expect(await again.body.json()).toEqual({ received: true, id, duplicate: true });
      expect((await send(body.replace('Bia', 'Eva'))).statusCode).toBe(401);
      const { contacts, cards } = await environment.panel.account();
      expect(contacts).toMatchObject([{ number: '14155552671', name: 'Bia', tagIds: [2] }]);
      expect(cards).toMatchObject([{ contactId: contacts[0]?.id, stageId: 11 }]);
    });
  });

  it('names a file that was uploaded before: its bytes arrive at the service', async () => {
    const TOKEN = { value: 'svc_test_token', scopes: ['messages:send'] };
    await inIngress(
      async (environment, ingress) => {
        const at = new Date();
        const send = async (path: string, type: string, body: string) => {
          const id = `${path.startsWith('/notes/files') ? 'file' : 'msg'}_1`;
          const { statusCode, body: answer } = await request(ingress.url + path, {
            method: 'POST',
            body,
            headers: {
              'content-type': type,
              'webhook-id': id,
              'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
              'webhook-signature': new Webhook(NOTES_SECRET).sign(id, at, body),
            },
          });
          return { statusCode, ...((await answer.json()) as { upload: string; id: string }) };
        };
        const file = 'name;price\nBia;10\n';
        const { statusCode, upload } = await send('/notes/files?filename=pre%C3%A7o.csv', 'text/csv', file);
        expect(statusCode).toBe(201);
        const event = JSON.stringify({ phone: '+1 415 555 2671', files: [upload] });
        const { id } = await send('/notes', 'application/json', event);
        expect(await untilEnded(environment)).toMatchObject([{ id, outcome: 'done' }]);
        const { conversations } = (await environment.panel.account()) as unknown as Chats;
        expect(conversations[0]?.messages).toMatchObject([
          {
            media: {
              name: 'preço.csv',
              type: 'text/csv',
              size: file.length,
              sha256: createHash('sha256').update(file).digest('hex'),
            },
          },
        ]);
      },
      account({ tokens: [TOKEN] }),
    );
  });

  it('sent by kafka-console-producer ends as a contact and a card, JSON and CloudEvents alike', async ({
    skip,
  }) => {
    if (kafka === null) return skip(NO_KAFKA);
    const broker = kafka;
    await inIngress(async (environment) => {
      const lead = (n: number) =>
        JSON.stringify({ phone: `+1 415 555 267${n}`, name: `Person ${n}`, stage: 'New' });
      await broker.produceByConsole(TOPIC, [`key-1\t${lead(1)}`, `key-2\t${lead(2)}`], ['parse.key=true']);
      const headers = 'ce_specversion:1.0,ce_id:e-3,ce_source:crm,ce_type:lead,content-type:application/json';
      await broker.produceByConsole(TOPIC, [`${headers}\t${lead(3)}`], ['parse.headers=true']);
      await until('three events have come', async () => {
        const rows = await environment.db.query('select 1 from events');
        return rows.length === 3;
      });
      expect((await untilEnded(environment)).map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
      const { contacts, cards } = await environment.panel.account();
      expect(contacts.map(({ name }) => name).toSorted()).toEqual(['Person 1', 'Person 2', 'Person 3']);
      expect(cards).toHaveLength(3);
    });
  });
});

interface Chats {
  readonly conversations: readonly { readonly messages: readonly { readonly body: string }[] }[];
}

describe('a message by hand', () => {
  const CANARY = 'canary by hand';
  const NUMBER = '14155552671';
  const TOKEN = { value: 'svc_test_token', scopes: ['messages:send'] };

  it('comes in by the socket with its file, arrives once however often it is repeated, and leaves nothing of it in Temporal', async () => {
    await context.inEnvironment(
      { csv: HEADER, account: account({ tokens: [TOKEN] }) },
      async (environment) => {
        const dir = await mkdtemp(join(tmpdir(), 'sluice-socket-'));
        const file = join(dir, 'sluice.yaml');
        const acme = { baseUrl: environment.sandbox.baseUrl, tokens: ['env:TOKEN'], callsPerMinute: 60_000 };
        await writeFile(file, stringify({ version: 1, accounts: { acme } }));
        const config = await loadConfig(file, { env: { TOKEN: TOKEN.value } });
        const { client } = context.temporal;
        const operator = await openTestOperator({
          db: environment.db,
          temporal: client,
          config,
          workQueue: environment.workQueue,
        });
        const path = operator.server.slice('unix:'.length);
        const [one, other] = [socketClient(path), socketClient(path)];
        try {
          const { upload } = await one.call('POST /messages/files', {
            account: 'acme',
            name: 'preço.txt',
            type: 'text/plain',
            data: Buffer.from('10'),
          });
          const to = { number: NUMBER, key: NUMBER };
          const base = { type: 'message' as const, to, saveOnTicket: true };
          const message = {
            account: 'acme',
            key: 'k1',
            request: { ...base, text: CANARY, uploads: [upload] },
          };
          const send = (sender: typeof one) => sender.call('POST /messages', message);
          const answers = await Promise.all([send(one), send(other)]);
          const id = answers[0]?.event as string;
          expect(answers.map(({ event }) => event)).toEqual([id, id]);
          expect(answers.filter(({ duplicate }) => duplicate)).toHaveLength(1);
          const next = await one.call('POST /messages', {
            account: 'acme',
            key: 'k2',
            request: { ...base, text: 'then this' },
          });
          expect(await untilEnded(environment)).toMatchObject([
            { id, outcome: 'done' },
            { id: next.event, outcome: 'done' },
          ]);
          const { conversations } = (await environment.panel.account()) as unknown as Chats;
          const texts = conversations.flatMap(({ messages }) => messages.map(({ body }) => body));
          expect(texts.filter((text) => text === CANARY)).toHaveLength(1);
          expect(texts.at(-1)).toBe('then this');
          const { workflow } =
            (await environment.db.query<{ workflow: string }>('select workflow from events'))[0] ?? {};
          const history = JSON.stringify(await client.workflow.getHandle(workflow as string).fetchHistory());
          const decoded = history.replace(/"data":"([^"]+)"/g, (_, data: string) => atob(data));
          // Both messages may have arrived in one signal.
          expect(decoded).toMatch(new RegExp(`"events":\\[[^\\]]*"${id}"`));
          for (const canary of [CANARY, NUMBER, 'preço']) expect(decoded).not.toContain(canary);
          await expect(one.call('POST /messages', { ...message, account: 'acne' })).rejects.toThrow(
            'did you mean "acme"?',
          );
        } finally {
          await Promise.all([one.close(), other.close()]);
          await operator.close();
          await rm(dir, { recursive: true, force: true });
        }
      },
    );
  });
});
