// TLS and SASL against a real broker, with its own certificates: what works, and what each mistake says.
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openClient } from '../../../src/connectors/kafka/client.ts';
import type { KafkaConnection } from '../../../src/connectors/kafka/config.ts';
import { produce } from '../../../src/connectors/kafka/produce.ts';
import { deadlineSignal } from '../../../src/core/deadline.ts';
import { freePort } from '../../../src/core/net/ports.ts';
import { describeKafkaError } from '../../../src/jobs/events/ingress/kafka/index.ts';
import { startBrokerWith, type TestKafka } from '../../support/kafka/kafka-broker.ts';
import { NO_KAFKA } from '../../support/runner/missing.ts';
import {
  type Certificate,
  type Certificates,
  makeCertificates,
  makeExpired,
} from '../../support/tools/certificates.ts';

const PASSWORD = 'a-password-for-brokers';
const NAMES = 'IP:127.0.0.1';

let folder: string;
let certificates: Certificates;
let other: Certificates;
let broker: TestKafka | null;
const ports = { SASL: 0, MTLS: 0, EXPIRED: 0 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-kafka-tls-'));
  await mkdir(join(folder, 'other'));
  certificates = await makeCertificates(folder, NAMES);
  other = await makeCertificates(join(folder, 'other'), NAMES);
  ports.SASL = await freePort();
  ports.MTLS = await freePort();
  ports.EXPIRED = await freePort();
  const keystoreOf = async (name: string, { key, cert }: Certificate) => {
    const file = join(folder, name);
    await writeFile(file, `${await readFile(key, 'utf8')}${await readFile(cert, 'utf8')}`);
    return file;
  };
  const valid = await keystoreOf('keystore.pem', certificates.server);
  const expired = await keystoreOf(
    'expired-keystore.pem',
    await makeExpired(folder, certificates.authority, NAMES),
  );
  const tls = (listener: string, keystore = valid) => ({
    [`listener.name.${listener}.ssl.keystore.type`]: 'PEM',
    [`listener.name.${listener}.ssl.keystore.location`]: keystore,
    [`listener.name.${listener}.ssl.truststore.type`]: 'PEM',
    [`listener.name.${listener}.ssl.truststore.location`]: certificates.authority.cert,
  });
  const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=sluice,password=${PASSWORD}]`,
  ]);
  broker = await startBrokerWith({
    listeners: [
      `SASL://127.0.0.1:${ports.SASL}`,
      `MTLS://127.0.0.1:${ports.MTLS}`,
      `EXPIRED://127.0.0.1:${ports.EXPIRED}`,
    ],
    format: users,
    properties: {
      'listener.security.protocol.map':
        'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL:SASL_SSL,MTLS:SSL,EXPIRED:SSL',
      ...tls('sasl'),
      ...tls('mtls'),
      ...tls('expired', expired),
      'listener.name.mtls.ssl.client.auth': 'required',
      'listener.name.sasl.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'listener.name.sasl.scram-sha-256.sasl.jaas.config': scram,
      'listener.name.sasl.scram-sha-512.sasl.jaas.config': scram,
      'listener.name.sasl.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required user_sluice="${PASSWORD}";`,
    },
  });
  if (broker === null) return;
  const admin = new Kafka({ brokers: broker.brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic: 'leads', numPartitions: 1 }] });
  await admin.disconnect();
}, 120_000);
afterAll(async () => {
  await broker?.stop();
  await rm(folder, { recursive: true, force: true });
});

const log = { debug: () => undefined };
const at = (listener: keyof typeof ports) => [`127.0.0.1:${ports[listener]}`];
const sasl = (mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512') => ({
  mechanism,
  username: 'sluice',
  password: 'env:PASSWORD',
});

/** What a record says: `written`, or why it was not. */
async function outcomeOf(connection: KafkaConnection, password = PASSWORD): Promise<string> {
  try {
    await produce({ connection, password, log }, 'leads', [{ value: 'lead' }], deadlineSignal(20_000));
    return 'written';
  } catch (error) {
    const { code, message } = describeKafkaError(error);
    return `${code}: ${message}`;
  }
}

beforeEach(({ skip }) => skip(broker === null, NO_KAFKA));

it.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)('%s over TLS', async (mechanism) => {
  const connection = {
    brokers: at('SASL'),
    tls: { ca: certificates.authority.cert },
    sasl: sasl(mechanism),
  } as KafkaConnection;
  expect(await outcomeOf(connection)).toBe('written');
  const wrong = await outcomeOf(connection, 'not-the-password');
  expect(wrong).toBe(
    'SASL_AUTHENTICATION_FAILED: the brokers reject the login; check username, password and mechanism of `sasl`',
  );
});

it('a client certificate', async () => {
  const { authority, client } = certificates;
  const tls = { ca: authority.cert, cert: client.cert, key: client.key };
  expect(await outcomeOf({ brokers: at('MTLS'), tls })).toBe('written');
  expect(await outcomeOf({ brokers: at('MTLS'), tls: { ca: authority.cert } })).not.toBe('written');
  const stranger = { ...tls, cert: other.client.cert, key: other.client.key };
  expect(await outcomeOf({ brokers: at('MTLS'), tls: stranger })).not.toBe('written');
});

it('an expired certificate of the broker', async () => {
  const outcome = await outcomeOf({ brokers: at('EXPIRED'), tls: { ca: certificates.authority.cert } });
  expect(outcome).toMatch(/the certificate of the broker has expired; renew it there/);
});

it('a renewed client certificate is used by the next connection of a client that is open', async () => {
  const { authority, client } = certificates;
  const [cert, key] = ['renewed.pem', 'renewed.key'].map((name) => join(folder, name)) as [string, string];
  await copyFile(other.client.cert, cert);
  await copyFile(other.client.key, key);
  const connection = { brokers: at('MTLS'), tls: { ca: authority.cert, cert, key } } as KafkaConnection;
  const opened = openClient({ connection, log });
  const admin = opened.kafka.admin();
  try {
    await expect(admin.listTopics()).rejects.toThrow();
    await copyFile(client.cert, cert);
    await copyFile(client.key, key);
    await admin.connect();
    expect(await admin.listTopics()).toContain('leads');
  } finally {
    opened.end();
  }
});

const MISTAKES: readonly (readonly [string, () => KafkaConnection['tls'], RegExp])[] = [
  ['another authority', () => ({ ca: other.authority.cert }), /not trusted; set `tls\.ca`/],
  ['no authority', () => true, /not trusted; set `tls\.ca`/],
  ['a missing file', () => ({ ca: '/nowhere/ca.pem' }), /\/nowhere\/ca\.pem does not exist; .* in `tls\.ca`/],
  [
    'a key as authority',
    () => ({ ca: other.authority.key }),
    /has no certificate in PEM format; .* in `tls\.ca`/,
  ],
];

it.each(MISTAKES)('%s: the message names the way out', async (_name, tls, message) => {
  const connection: KafkaConnection = { brokers: at('SASL'), tls: tls(), sasl: sasl('scram-sha-512') };
  const outcome = await outcomeOf(connection);
  expect(outcome).toMatch(message);
  expect(outcome).not.toContain(PASSWORD);
});

it('TLS at a port without it', async () => {
  const outcome = await outcomeOf({ brokers: broker?.brokers, tls: true } as KafkaConnection);
  expect(outcome).not.toBe('written');
});
