// What an operator's day begins with: an account of the service, the configuration, an export and the people in both.

import { Kafka, logLevel } from 'kafkajs';
import { stringify } from 'yaml';
import { ALL_DAY } from '../campaigns/windows.ts';

export const TOKEN = 'svc_test_day';
/** +55 11 91234-5601: tagged as a customer, so the campaign leaves this person out. */
export const LEFT_OUT = '5511912345601';
export const MEMBERS = 40;
/** Names that would do harm as HTML or in a spreadsheet. */
const HOSTILE = ['<script>alert(1)</script>', '=HYPERLINK("http://127.0.0.1/","x")'] as const;

export const VIP = 3;

const NEWSLETTER = 1;
const CUSTOMER = 2;

/** Contact ids of the people that the campaign reaches. */
export const MEMBER_IDS = Array.from({ length: MEMBERS }, (_, index) => 100 + index);

const numberOf = (index: number) => `55119${81230000 + index}`;

/** A fixture of the sandbox: pipelines, tags, a flow, a connection, and the people of the campaign. */
export function dayFixture(): object {
  const person = (id: number, number: string, name: string, tagIds: number[]) => ({
    id,
    number,
    name,
    tagIds,
    channel: 'whatsapp',
  });
  const members = MEMBER_IDS.map((id, index) =>
    person(id, numberOf(index), HOSTILE[index] ?? `Member ${index}`, [NEWSLETTER]),
  );
  return {
    accounts: [
      {
        id: 'acme',
        tokens: [
          {
            value: TOKEN,
            scopes: [
              'contacts:write',
              'contacts:read',
              'cards:write',
              'cards:read',
              'connections:read',
              'conversations:read',
              'messages:read',
              'messages:send',
              'flows:trigger',
            ],
          },
        ],
        connections: [{ id: 1, name: 'main', channel: 'waba', status: 'CONNECTED', isDefault: true }],
        users: [{ id: 4, name: 'Caio' }],
        tags: [
          { id: NEWSLETTER, name: 'newsletter' },
          { id: CUSTOMER, name: 'customer' },
          { id: VIP, name: 'vip' },
        ],
        sources: [{ id: 7, name: 'site' }],
        pipelines: [
          {
            id: 1,
            name: 'Sales',
            stages: [
              { id: 11, name: 'New', order: 1, probability: 10 },
              { id: 12, name: 'Talking', order: 2, probability: 40 },
              { id: 13, name: 'Won', order: 3, probability: 100, isFinal: true, isWon: true },
            ],
          },
          { id: 2, name: 'Support', stages: [{ id: 21, name: 'Open', order: 1, probability: 50 }] },
        ],
        flows: [{ id: 3, name: 'reactivate', active: true, published: true, nodes: 3 }],
        contacts: [...members, person(1, LEFT_OUT, 'Rita Left Out', [NEWSLETTER, CUSTOMER])],
      },
    ],
  };
}

/** Who of the export can be written. */
export const IN_EXPORT = ['Ana Souza', 'Bruno Lima', HOSTILE[0], 'Davi Rocha'];

/** Name of the column with numbers, which Sluice writes into the reasons of rejected rows. */
export const PHONE_COLUMN = '=HYPERLINK("Telefone")';

/** As a CRM exports it in Brazil. The last number is too short. */
export const EXPORT = [
  `Nome;"${PHONE_COLUMN.replaceAll('"', '""')}";E-mail`,
  'Ana Souza;(11) 95555-0001;ana@example.com',
  'Bruno Lima;(11) 95555-0002;bruno@example.com',
  '<script>alert(1)</script>;(11) 95555-0003;carla@example.com',
  'Davi Rocha;(11) 95555-0004;davi@example.com',
  'Elisa Reis;9555;elisa@example.com',
  '',
].join('\r\n');

export interface DayConfig {
  readonly baseUrl: string;
  readonly port: number;
  /** Null: no route reads Kafka. */
  readonly kafka: {
    readonly brokers: readonly string[];
    readonly topic: string;
    readonly dead: string;
    /** Type of `phone` that the schema of the route asks for. */
    readonly phoneType: string;
  } | null;
}

/** The text of sluice.yaml. */
export function dayConfig({ baseUrl, port, kafka }: DayConfig): string {
  const windows = { zone: 'account', days: ALL_DAY };
  return stringify({
    version: 1,
    accounts: { acme: { baseUrl, tokens: ['env:TOKEN'], timeZone: 'America/Sao_Paulo' } },
    campaigns: {
      winback: {
        account: 'acme',
        flow: 3,
        connection: 1,
        variables: { name: { path: 'contact.name', default: 'you' } },
        audience: [{ from: 'contacts', tags: ['newsletter'] }],
        exclude: { tags: ['customer'] },
        windows,
        waves: { size: 500, settle: '1s' },
        approval: 'second-person',
      },
    },
    operator: { http: { port } },
    ...(kafka === null
      ? {}
      : {
          ingress: {
            http: { port: 0 },
            kafka: { bus: { brokers: kafka.brokers, group: 'day', deadLetters: kafka.dead } },
          },
          routes: {
            interests: {
              account: 'acme',
              kafka: { cluster: 'bus', topics: [kafka.topic] },
              schema: {
                type: 'object',
                required: ['phone'],
                properties: { phone: { type: kafka.phoneType } },
              },
              action: { type: 'tags', number: 'phone', defaultCountry: 'BR', add: [{ const: 'vip' }] },
            },
          },
        }),
  });
}

/** Makes the topics if they are missing, and sends these records to the first one. */
export async function sendToKafka(
  brokers: readonly string[],
  topics: readonly [string, ...string[]],
  records: readonly object[],
): Promise<void> {
  const client = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const [admin, producer] = [client.admin(), client.producer()];
  await Promise.all([admin.connect(), producer.connect()]);
  try {
    await admin.createTopics({ topics: topics.map((topic) => ({ topic })) });
    const messages = records.map((record) => ({ key: 'day', value: JSON.stringify(record) }));
    if (messages.length > 0) await producer.send({ topic: topics[0], messages });
  } finally {
    await Promise.all([admin.disconnect(), producer.disconnect()]);
  }
}
