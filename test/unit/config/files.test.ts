// The files of the repository that describe the configuration agree with the schema in the code.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isMap, isScalar, parseDocument, visit } from 'yaml';
import { CONFIG_CHECKS } from '../../../src/app/config-checks.ts';
import { configJsonSchema, loadConfig } from '../../../src/config/index.ts';
import { ConversationEvent } from '../../../src/jobs/conversations/contract/events.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly required?: readonly string[];
  readonly $schema?: string;
}

const schema = configJsonSchema() as Schema;

/** Every property with a fixed name, by its path (names chosen by the user are `*`). */
function* properties(node: Schema, path = ''): Generator<[string, Schema]> {
  for (const [key, property] of Object.entries(node.properties ?? {})) {
    yield [`${path}${key}`, property];
    yield* properties(property, `${path}${key}.`);
  }
  if (typeof node.additionalProperties === 'object')
    yield* properties(node.additionalProperties, `${path}*.`);
  if (node.items !== undefined) yield* properties(node.items, `${path}[].`);
  for (const branch of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) yield* properties(branch, path);
}

/** The properties that may be left out, by their path. */
function* optional(node: Schema, path = ''): Generator<[string, Schema]> {
  for (const [key, property] of Object.entries(node.properties ?? {})) {
    if (!node.required?.includes(key)) yield [`${path}${key}`, property];
    yield* optional(property, `${path}${key}.`);
  }
  if (typeof node.additionalProperties === 'object') yield* optional(node.additionalProperties, `${path}*.`);
  if (node.items !== undefined) yield* optional(node.items, `${path}[].`);
  for (const branch of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) yield* optional(branch, path);
}

describe('JSON Schema', () => {
  it('is what sluice.schema.json contains; write it again with `sluice config schema`', async () => {
    const committed = JSON.parse(await readFile(join(ROOT, 'sluice.schema.json'), 'utf8')) as unknown;
    expect(committed).toEqual(JSON.parse(JSON.stringify(schema)));
  });

  it('is draft 2020-12 and wants only what has no default', () => {
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema.required).toEqual(['version', 'accounts']);
  });

  it('explains every key', () => {
    const silent = [...properties(schema)]
      .filter(([, { description }]) => !description)
      .map(([path]) => path);
    expect([...new Set(silent)]).toEqual([]);
  });

  it('names the default of every key that may be left out', () => {
    const silent = [...optional(schema)]
      .filter(([, { description }]) => !/\bDefault: ./.test(description ?? ''))
      .map(([path]) => path);
    expect([...new Set(silent)]).toEqual([]);
  });
});

describe('sluice.example.yaml', () => {
  it('is a configuration, with mapping, assumptions, actions and schemas', async () => {
    const loaded = await loadConfig(join(ROOT, 'sluice.example.yaml'), { env: {}, ...CONFIG_CHECKS });
    expect(loaded.spec('leads').account).toBe('acme');
  });

  it('shows every key there is', async () => {
    const text = await readFile(join(ROOT, 'sluice.example.yaml'), 'utf8');
    const shown = new Set(text.match(/^ +# +preset(?=:)/m)?.map(() => 'preset'));
    visit(parseDocument(text), {
      Pair(_index, { key }) {
        if (isScalar(key)) shown.add(String(key.value));
      },
    });
    // The long form is named in the comment on expressions as well; its keys are plain enough to search for in the text.
    const missing = [...properties(schema)]
      .map(([path]) => path.slice(path.lastIndexOf('.') + 1))
      .filter((key) => !shown.has(key));
    expect([...new Set(missing)]).toEqual([]);
  });

  it('shows the defaults as they are', async () => {
    const doc = parseDocument(await readFile(join(ROOT, 'sluice.example.yaml'), 'utf8'));
    const bare = `version: 1
accounts: { acme: { baseUrl: 'https://x', tokens: [env:T] } }
sources: { crm-export: { type: csv, path: x } }
mappings: { crm-leads: { contact: { number: x } } }
syncs: { leads: { account: acme, source: crm-export, mapping: crm-leads } }
ingress: { kafka: { bus: { brokers: ['x:1'], deadLetters: dead } } }
routes:
  lead-form:
    account: acme
    http: { path: /leads, auth: { type: standard-webhooks, secrets: [env:S] } }
    kafka: { cluster: bus, topics: [leads] }
    batch: { max: 2 }
    action: { type: lead, mapping: crm-leads }
  order-paid:
    account: acme
    http: { path: /orders, auth: { type: hmac, secrets: [env:S2] } }
    action: { type: message, number: x, media: { url: x, hosts: [x] }, template: { name: x, language: x } }
  win-back:
    account: acme
    http: { path: /win-back, auth: { type: token, secrets: [env:S] } }
    action: { type: flow, number: x, flow: 1, connection: 1 }
sinks:
  helpdesk: { type: http, url: 'https://x', secrets: [env:K] }
  warehouse: { type: postgres, url: env:W }
pollers: { acme-main: { account: acme, connection: 1 } }
`;
    const { Config } = await import('../../../src/config/schema/config.ts');
    const defaults = Config.parse(parseDocument(bare).toJS());
    const shown = parseDocument(doc.toString()).toJS() as Record<string, unknown>;
    const at = (...path: string[]) =>
      path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], shown);
    const leaves = (value: unknown, path: string[] = []): [string[], unknown][] =>
      typeof value === 'object' && value !== null && Object.keys(value).length > 0 && !Array.isArray(value)
        ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key]))
        : [[path, value]];
    const given = new Set(leaves(parseDocument(bare).toJS()).map(([path]) => path.join('.')));
    // Shown with a value of their own, as a default of nothing shows nothing.
    const reported = ['kafka.bus.tls', 'template.parameters', 'action.variables'];
    const inRoutes = [
      ...leaves(defaults.ingress, ['ingress']),
      ...leaves(defaults.routes, ['routes']),
      ...leaves(defaults.sinks, ['sinks']),
      ...leaves(defaults.pollers, ['pollers']),
    ].filter(
      ([path]) =>
        !given.has(path.join('.')) &&
        !reported.some((end) => path.join('.').endsWith(end)) &&
        at(...path) !== undefined,
    );
    for (const [path, value] of [
      ...inRoutes,
      [['accounts', 'acme', 'callsPerMinute'], defaults.accounts.acme?.callsPerMinute],
      ...Object.entries(defaults.sources['crm-export'] ?? {})
        .filter(([key]) => key !== 'path')
        .map(([key, value]) => [['sources', 'crm-export', key], value] as const),
      ...Object.entries(defaults.syncs.leads ?? {}).map(
        ([key, value]) => [['syncs', 'leads', key], value] as const,
      ),
    ] as [string[], unknown][]) {
      expect(at(...path), path.join('.')).toEqual(value);
    }
    expect(isMap(doc.contents)).toBe(true);
  });
});

describe('docs/reference/ingress.md', () => {
  it('shows parts of configurations that are right', async () => {
    const text = await readFile(join(ROOT, 'docs/reference/ingress.md'), 'utf8');
    const blocks = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml = '']) => yaml);
    expect(blocks.length).toBeGreaterThan(10);
    const dir = await mkdtemp(join(tmpdir(), 'sluice-docs-'));
    try {
      for (const [index, block] of blocks.entries()) {
        const file = join(dir, `${index}.yaml`);
        await writeFile(file, JSON.stringify(around(parseDocument(block).toJS())));
        await expect(loadConfig(file, { env: {}, ...CONFIG_CHECKS }), block).resolves.toBeDefined();
      }
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe('docs/explanation/conversations.md', () => {
  it('shows a configuration and an event that are right', async () => {
    const text = await readFile(join(ROOT, 'docs/explanation/conversations.md'), 'utf8');
    const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(text) ?? [];
    const [, event = ''] = /^```json\n(.*?)^```$/ms.exec(text) ?? [];
    expect(ConversationEvent.parse(JSON.parse(event)).type).toBe('message.received');
    const dir = await mkdtemp(join(tmpdir(), 'sluice-docs-'));
    try {
      await writeFile(join(dir, 'sluice.yaml'), `version: 1\n${yaml}`);
      const { config } = await loadConfig(join(dir, 'sluice.yaml'), { env: {}, ...CONFIG_CHECKS });
      expect(Object.keys(config.pollers)).toEqual(['acme-all']);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

/** The configuration that a part stands in: whole sections, or keys of a route or of its `http`. */
function around(part: Record<string, unknown>): object {
  const { ingress, routes, auth = { type: 'token', secrets: ['env:S'] }, ...route } = part;
  const http = { path: '/x', auth };
  const card = { pipeline: 'Sales', stage: 'status' };
  return {
    version: 1,
    accounts: { acme: { baseUrl: 'https://x', tokens: ['env:T'] } },
    mappings: { people: { contact: { number: 'phone' }, card } },
    ...(ingress === undefined ? {} : { ingress }),
    routes: routes ?? { r: { account: 'acme', http, action: { type: 'lead', mapping: 'people' }, ...route } },
  };
}
