// `sluice doctor` before services that answer in other shapes: what would stop a run is found, the line that it suggests
// mends it, and a configuration that works is left alone.
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Body,
  eachItem,
  eachMessage,
  envelope,
  mapIds,
  type ReshapedService,
  type Rule,
  rename,
  reshape,
  wrap,
} from '../../../support/reshaped/reshaped-service.ts';
import { clinics, linesOf, PERSON, PHONE } from './clinic.ts';

const { clinic } = clinics();
const open: ReshapedService[] = [];
afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
});

async function visit(rules: readonly Rule[], assumptions: Record<string, unknown> = {}) {
  const baseUrl = async (right: string) => {
    const service = await reshape(right, ...rules);
    open.push(service);
    return service.baseUrl;
  };
  return await (await clinic({ baseUrl, config: { assumptions } })).visit();
}

const field = (from: string, to: string) => eachMessage((item) => rename(item, from, to));
const change = (name: string, map: (value: Body) => unknown) =>
  eachMessage((item) => {
    item[name] = map(item[name]);
  });
const large = (id: number) => BigInt(id) * 10n ** 17n + 1n;

const FOUND: Readonly<
  Record<string, { rules: readonly Rule[]; key: string; line?: string; mends: unknown }>
> = {
  'a text elsewhere': {
    rules: [field('body', 'content.text')],
    key: 'message.bodyField',
    line: "{ 'message.bodyField': content.text }",
    mends: 'content.text',
  },
  'a time in seconds': {
    rules: [change('createdAt', (time: string) => Date.parse(time) / 1000)],
    key: 'message.timeField',
    line: "{ 'message.timeField': { path: createdAt, unit: s } }",
    mends: { path: 'createdAt', unit: 's' },
  },
  'a time in milliseconds elsewhere': {
    rules: [change('createdAt', (time: string) => Date.parse(time)), field('createdAt', 'timestamp')],
    key: 'message.timeField',
    line: "{ 'message.timeField': { path: timestamp, unit: ms } }",
    mends: { path: 'timestamp', unit: 'ms' },
  },
  'a direction as a word': {
    rules: [change('fromMe', (value: boolean) => (value ? 'out' : 'in')), field('fromMe', 'direction')],
    key: 'message.fromMeField',
    mends: { path: 'direction', values: { in: false, out: true } },
  },
  'a status elsewhere': {
    rules: [field('status', 'deliveryStatus')],
    key: 'message.statusField',
    line: "{ 'message.statusField': deliveryStatus }",
    mends: 'deliveryStatus',
  },
  'nested tags': {
    rules: [wrap(/tags$/, 'tags', 'data.items')],
    key: 'wrapper.tags',
    line: "{ 'wrapper.tags': data.items }",
    mends: 'data.items',
  },
  'nested pipelines': {
    rules: [wrap(/pipelines$/, 'pipelines', 'data.items')],
    key: 'wrapper.pipelines',
    line: "{ 'wrapper.pipelines': data.items }",
    mends: 'data.items',
  },
  'a nested card': {
    rules: [wrap(/cards\/\d+$/, 'card', 'data.card')],
    key: 'wrapper.card',
    line: "{ 'wrapper.card': data.card }",
    mends: 'data.card',
  },
  'everything under data': { rules: [envelope()], key: 'answer.envelope', mends: 'data' },
};

describe('what would stop a run is found before it', () => {
  it.each(Object.entries(FOUND))('%s', async (_name, { rules, key, line, mends }) => {
    const before = await visit(rules);
    const problems = linesOf(before, 'problem').join('\n');
    expect(problems).toContain(`accounts.acme.assumptions: { '${key}': `);
    if (line !== undefined) expect(problems).toContain(`accounts.acme.assumptions: ${line}`);
    expect(before.exitCode).toBe(1);
    expect(before.output).not.toContain(PERSON);
    expect(before.output).not.toContain(PHONE);
    const after = await visit(rules, { [key]: mends });
    expect(linesOf(after, 'problem')).toEqual([]);
    expect(after.exitCode).toBe(0);
  });

  it('ids above 2^53', async () => {
    const visited = await visit([mapIds(large)]);
    const problems = linesOf(visited, 'problem').join('\n');
    expect(problems).toContain('at most 2^53 - 1');
    expect(problems).not.toContain('the account has no');
    expect(visited.exitCode).toBe(1);
  });

  it('contacts that can not be read', async () => {
    const nameless = eachItem(/contacts$/, 'contacts', (contact) => {
      contact.name = null;
    });
    expect(linesOf(await visit([nameless]), 'problem').join('\n')).toContain(
      'contacts[0].name: expected string',
    );
  });
});

const SOUND: Readonly<
  Record<string, readonly [rules: readonly Rule[], assumptions?: Record<string, unknown>]>
> = {
  'no status, ids, templates or delivery codes in the history': [
    [
      eachMessage((item) => {
        for (const name of ['status', 'ack', 'templateData', 'id']) delete item[name];
      }),
    ],
  ],
  'a message without a text beside others': [
    [
      eachMessage((item) => {
        if (item.fromMe) delete item.body;
      }),
    ],
  ],
  'ids as texts': [[mapIds(String)]],
  'lists under other keys': [[wrap(/tags$/, 'tags', 'data'), wrap(/pipelines$/, 'pipelines', 'rows')]],
  'a wrapper of cards that is not needed': [[], { 'wrapper.card': 'data' }],
  'an override by a value map': [
    [],
    { 'message.fromMeField': { path: 'fromMe', values: { true: true, false: false } } },
  ],
};

it.each(Object.entries(SOUND))('no alarm: %s', async (_name, [rules, assumptions]) => {
  const visited = await visit(rules, assumptions);
  expect(linesOf(visited, 'problem')).toEqual([]);
  expect(visited.exitCode).toBe(0);
});
