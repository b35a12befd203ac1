// What stands inside a route: paths, actions, spans of time and schemas; and the clusters that routes read from.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Case, GOOD, routeContext } from './route-context.ts';

const { context, load, problemsOf, report } = routeContext();

describe('paths and actions', () => {
  const inherited = 'is not allowed as a name in a path; rename the column in the export';
  report([
    ...['__proto__.x', 'constructor.prototype.x', 'a.prototype'].flatMap((path): Case[] => {
      const bad = path.split('.').find((part) => /^(__proto__|constructor|prototype)$/.test(part));
      return [
        [
          `FAULTS 35: key ${path}`,
          '    action: { type: lead',
          `    key: ${path}\n    action: { type: lead`,
          [`sluice.yaml:17:5  routes.leads.key: "${bad}" ${inherited}`],
        ],
        [
          `FAULTS 35: order ${path}`,
          '    action: { type: lead',
          `    order: ${path}\n    action: { type: lead`,
          [`sluice.yaml:17:5  routes.leads.order: "${bad}" ${inherited}`],
        ],
        [
          `FAULTS 35: text ${path}`,
          'text: text }',
          `text: '{{ ${path} }}' }`,
          [`sluice.yaml:21:45  routes.paid.action.text: "${bad}" ${inherited}`],
        ],
      ];
    }),
    [
      'FAULTS 35: the mapping of a lead, reported once at its place',
      'number: phone } }',
      'number: __proto__.x } }',
      [`sluice.yaml:5:24  mappings.people.contact.number: "__proto__" ${inherited}`],
    ],
    [
      'nothing to send',
      'number: phone, text: text',
      'number: phone',
      [
        'sluice.yaml:21:5  routes.paid.action: a message needs text, template, media or uploads; set at least one',
      ],
    ],
    [
      'two to send to',
      'number: phone, text',
      'number: phone, conversation: id, text',
      [
        'sluice.yaml:21:45  routes.paid.action.conversation: a message goes to a number or into a conversation, not both; remove one',
      ],
    ],
    [
      'bad JSONata in a parameter',
      'text: text }',
      "template: { name: n, language: l, parameters: [a, '=('] } }",
      [
        'sluice.yaml:21:95  routes.paid.action.template.parameters[1]: JSONata: Expected ")" before end of expression (at character 1)',
      ],
    ],
    [
      'a host with a path',
      'text: text }',
      'media: { url: u, hosts: ["https://a.example/"] } }',
      ['sluice.yaml:21:70  routes.paid.action.media.hosts[0]: write host, host:port or *.example.com'],
    ],
    [
      'an unknown kind of action',
      'type: message',
      'type: mesage',
      [
        'sluice.yaml:21:15  routes.paid.action.type: expected "lead", "message", "flow", "stage" or "tags", found "mesage"; did you mean "message"?',
      ],
    ],
    [
      'a key of another action',
      'type: lead, mapping: people',
      'type: lead, mapping: people, text: x',
      [
        'sluice.yaml:17:44  routes.leads.action.text: unknown key; known here: type, mapping, mode, fields, conflict, extraInfo, validateNumber, tags, moveCard',
      ],
    ],
    [
      'an unknown kind of proof',
      'type: token',
      'type: basic',
      [
        'sluice.yaml:15:15  routes.leads.http.auth.type: expected "standard-webhooks", "hmac", "token" or "none", found "basic"',
      ],
    ],
    [
      'a card that never moves',
      'mapping: people',
      'mapping: people, moveCard: true',
      [
        'sluice.yaml:17:44  routes.leads.action.moveCard: the mapping "people" names no stage, so no card is ever moved; leave this out, or give the mapping card.stage',
      ],
    ],
  ]);
});

describe('spans of time, and clusters', () => {
  report([
    [
      'a tolerance that lets old requests in',
      '{ type: token, secrets',
      '{ type: standard-webhooks, tolerance: 2h, secrets',
      ['sluice.yaml:15:40  routes.leads.http.auth.tolerance: is out of bounds; write 1s to 1h'],
    ],
    [
      'a span that is none',
      '{ port: 4020 }',
      '{ bodyTimeout: soon }',
      ['sluice.yaml:7:11  ingress.http.bodyTimeout: write a number and a unit: 500ms, 30s, 5m, 2h, 1d'],
    ],
    [
      'an event forgotten at once',
      '  kafka:\n    bus',
      '  remember: 1m\n  kafka:\n    bus',
      ['sluice.yaml:8:3  ingress.remember: is out of bounds; write 2h to 3650d'],
    ],
    [
      'a wait that senders would feel',
      '    action: { type: lead',
      '    batch: { max: 50, wait: 1m }\n    action: { type: lead',
      ['sluice.yaml:17:23  routes.leads.batch.wait: is out of bounds; write 0ms to 5s'],
    ],
    [
      'headers that may be later than the rest',
      '{ port: 4020 }',
      '{ headersTimeout: 30s }',
      [
        'sluice.yaml:7:11  ingress.http.headersTimeout: allows 30s for the headers, and bodyTimeout allows only 20s for the whole request; keep headersTimeout at bodyTimeout or less',
      ],
    ],
    [
      'a request that must be here before its headers',
      '{ port: 4020 }',
      '{ bodyTimeout: 5s }',
      [
        'sluice.yaml:7:11  ingress.http.bodyTimeout: allows 10s for the headers, and bodyTimeout allows only 5s for the whole request; keep headersTimeout at bodyTimeout or less',
      ],
    ],
    [
      'two clusters that are one',
      'deadLetters: dead }',
      'deadLetters: dead }\n    more: { brokers: [b:1, kafka:9092], tls: true, deadLetters: d }',
      [
        'sluice.yaml:10:5  ingress.kafka.more: shares brokers and the group "sluice" with "bus"; give each its own `group`, or merge them',
      ],
    ],
    [
      'no topic for dead letters',
      ', deadLetters: dead',
      '',
      ['sluice.yaml:9:5  ingress.kafka.bus.deadLetters: is missing; expected text'],
    ],
    [
      'a topic that Kafka refuses',
      '[leads]',
      '[leads/new]',
      [
        'sluice.yaml:16:37  routes.leads.kafka.topics[0]: use letters, digits, ".", "_" and "-" (at most 249)',
      ],
    ],
  ]);
});

describe('JSON Schemas', () => {
  const withSchema = (schema: string) =>
    GOOD.replace('    action: { type: lead', `    schema: ${schema}\n    action: { type: lead`);
  const checkSchema = (schema: Record<string, unknown>) =>
    'bad' in schema ? [{ path: ['bad', 'if'], message: 'is not known' }] : [];

  it.each([
    ['lead.json', '{\n\t"type": "object",\n\t"required": ["phone"]\n}\n'],
    ['lead.yaml', 'type: object\nrequired: [phone]\n'],
  ])('%s is taken in, relative to the configuration', async (name, text) => {
    await mkdir(join(context.dir, 'schemas'));
    await writeFile(join(context.dir, 'schemas', name), text);
    const { config } = await load(withSchema(`schemas/${name}`));
    expect(config.routes.leads?.schema).toEqual({ type: 'object', required: ['phone'] });
  });

  it('written out stay what they are', async () => {
    const { config } = await load(withSchema('{ type: object }'));
    expect(config.routes.leads?.schema).toEqual({ type: 'object' });
  });

  it.each([
    [
      'is not there',
      undefined,
      'sluice.yaml:17:5  routes.leads.schema: there is no file lead.json; a schema is a file relative to sluice.yaml',
    ],
    ['is a list', '[]', 'lead.json:1:1  is not a JSON Schema; expected keys with values'],
    ['is empty', '', 'lead.json:1:1  is not a JSON Schema; expected keys with values'],
    ['is broken', '{"a": ', 'lead.json:1:7  flow map must end with a }'],
  ])('a file that %s is reported', async (_name, text, expected) => {
    if (text !== undefined) await writeFile(join(context.dir, 'lead.json'), text);
    const [first] = await problemsOf(withSchema('lead.json'));
    expect(first).toBe(expected);
  });

  it('are checked where they stand: in this file, or in their own', async () => {
    await writeFile(join(context.dir, 'lead.yaml'), 'type: object\nbad:\n  if: {}\n');
    expect(await context.problemsOf(withSchema('{ bad: { if: {} } }'), { checkSchema })).toEqual([
      'sluice.yaml:17:22  routes.leads.schema.bad.if: is not known',
    ]);
    expect(await context.problemsOf(withSchema('lead.yaml'), { checkSchema })).toEqual([
      'lead.yaml:3:3  bad.if: is not known',
    ]);
  });

  it.each([
    ['{ properties: { phone: { type: strng } } }', 'routes.leads.schema.properties.phone.type'],
    ['{ type: array }', 'routes.leads.schema.type'],
    ['{ properties: { a: { anyOf: [{ if: {} }] } } }', 'routes.leads.schema.properties.a.anyOf[0].if'],
  ])('%s would let through what it seems to refuse, and is refused itself', async (schema, place) => {
    const [problem, ...more] = await problemsOf(withSchema(schema));
    expect(problem).toMatch(new RegExp(`^sluice.yaml:17:\\d+  ${place.replace(/[.[\]]/g, '\\$&')}: `));
    expect(more).toEqual([]);
  });
});
