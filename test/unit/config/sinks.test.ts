// Sinks in sluice.yaml: what a good one becomes, and how a wrong one is shown.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, formatProblem, loadConfig } from '../../../src/config/index.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-config-'));
});
afterAll(() => rm(dir, { recursive: true }));

const GOOD = `version: 1
accounts:
  acme: { baseUrl: http://127.0.0.1:4010/wapi, tokens: [env:ACME_TOKEN] }
sources:
  crm: { type: csv, path: leads.csv }
mappings:
  people: { contact: { number: phone } }
sinks:
  bus: { type: kafka, brokers: [localhost:9092], topic: sluice.runs }
syncs:
  leads: { account: acme, source: crm, mapping: people, announce: bus }
`;
const SASL = 'topic: sluice.runs, sasl: { mechanism: plain, username: svc, password: env:KAFKA_PASSWORD }';

async function load(text: string) {
  const file = join(dir, 'sluice.yaml');
  await writeFile(file, text);
  return await loadConfig(file, { env: {} });
}

describe('a good sink', () => {
  it('is plain text without a login unless it says otherwise, and is frozen into the run', async () => {
    const { config, spec } = await load(GOOD);
    expect(config.sinks).toEqual({
      bus: { type: 'kafka', brokers: ['localhost:9092'], topic: 'sluice.runs', tls: false },
    });
    expect(spec('leads').options.announce).toBe('bus');
  });

  it('needs nothing: a sync without announce has none', async () => {
    const { config, spec } = await load(GOOD.replace(/sinks:\n.*\n/, '').replace(', announce: bus', ''));
    expect(config.sinks).toEqual({});
    expect(spec('leads').options.announce).toBeUndefined();
  });

  it('keeps the reference to its password, not the password', async () => {
    const { config } = await load(GOOD.replace('topic: sluice.runs', SASL));
    expect(config.sinks.bus).toHaveProperty('sasl', {
      mechanism: 'plain',
      username: 'svc',
      password: 'env:KAFKA_PASSWORD',
    });
  });
});

describe('a wrong sink is shown where it stands', () => {
  const cases: [name: string, from: string, to: string, expected: string[]][] = [
    [
      'a mistyped name',
      'announce: bus',
      'announce: buss',
      ['syncs.leads.announce: there is no sink "buss"; did you mean "bus"?'],
    ],
    [
      'a name that every object has',
      'announce: bus',
      'announce: valueof',
      ['syncs.leads.announce: there is no sink "valueof"; sinks: bus'],
    ],
    [
      'a kind that does not exist',
      'type: kafka',
      'type: kafak',
      [
        'sinks.bus.type: expected "kafka", "http", "jsonl" or "postgres", found "kafak"; did you mean "kafka"?',
      ],
    ],
    ['no broker', '[localhost:9092]', '[]', ['sinks.bus.brokers: needs at least one entry']],
    [
      'a broker without a port',
      'localhost:9092',
      'localhost',
      ['sinks.bus.brokers[0]: write host:port, for example kafka-1.example.com:9092'],
    ],
    [
      'a broker with a scheme',
      'localhost:9092',
      'kafka://localhost:9092',
      ['sinks.bus.brokers[0]: write host:port, for example kafka-1.example.com:9092'],
    ],
    ['no topic', ', topic: sluice.runs', '', ['sinks.bus.topic: is missing; expected text']],
    [
      'a topic that Kafka refuses',
      'sluice.runs',
      'sluice/runs',
      ['sinks.bus.topic: use letters, digits, ".", "_" and "-" (at most 249)'],
    ],
    [
      'a topic of dots',
      'sluice.runs',
      '".."',
      ['sinks.bus.topic: use letters, digits, ".", "_" and "-" (at most 249)'],
    ],
    [
      'a mistyped key',
      'topic: sluice.runs',
      'topic: sluice.runs, tsl: true',
      ['sinks.bus.tsl: unknown key; did you mean "tls"?'],
    ],
    [
      'a password in place of a reference',
      'topic: sluice.runs',
      SASL.replace('env:KAFKA_PASSWORD', 'hunter2'),
      [
        'sinks.bus.sasl.password: write env:NAME, file:path or command:program argument; a secret itself never stands in this file',
      ],
    ],
    [
      'an unknown mechanism',
      'topic: sluice.runs',
      SASL.replace('plain', 'scram-sha-521'),
      [
        'sinks.bus.sasl.mechanism: expected "plain", "scram-sha-256" or "scram-sha-512", found "scram-sha-521"; did you mean "scram-sha-512"?',
      ],
    ],
  ];
  it.each(cases)('%s', async (_name, from, to, expected) => {
    expect(GOOD).toContain(from);
    const error = await load(GOOD.replace(from, () => to)).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ConfigError);
    const shown = (error as ConfigError).problems.map((problem) => formatProblem(problem).split('  ')[1]);
    expect(shown).toEqual(expected);
    expect(JSON.stringify((error as ConfigError).problems)).not.toContain('hunter2');
  });
});
