// The API in shapes that its text leaves open: what the client reads as it is, what it refuses and by which assumption,
// and the override that mends it. Each variant is served by a sandbox behind a proxy that rewrites what passes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/server.ts';
import {
  type AssumptionOverrides,
  MessagingClient,
  type UnexpectedShapeError,
} from '../../../src/service/api-client/index.ts';
import {
  inputNamed,
  mapIds,
  type ReshapedService,
  reshape,
  wrap,
} from '../../support/reshaped/reshaped-service.ts';
import { anAccount } from '../client/context.ts';
import { REFUSED } from './refused.ts';
import {
  cards,
  contact,
  contacts,
  conversations,
  large,
  pipelines,
  tags,
  trigger,
  type Use,
} from './uses.ts';
import { WORKS } from './works.ts';

const TOKEN = 'svc_test_shapes';
const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 10, minute)).toISOString();
const SCOPES = [
  'contacts:write',
  'cards:write',
  'connections:read',
  'conversations:read',
  'messages:read',
  'messages:send',
  'flows:trigger',
];

let folder: string;
let sandbox: Sandbox;
let service: ReshapedService;
const clients: MessagingClient[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-shapes-'));
  sandbox = await startSandbox({
    dataDir: folder,
    port: 0,
    rate: 0,
    fixture: {
      accounts: [
        anAccount({
          tokens: [{ value: TOKEN, scopes: SCOPES }],
          flows: [{ id: 1, name: 'again', active: true, published: true, nodes: 1 }],
          cards: [
            { id: 1, contactId: 1, pipelineId: 1, stageId: 11, userId: 1, sourceId: 1, createdAt: at(0) },
          ],
          conversations: [
            {
              id: 1,
              contactId: 1,
              connectionId: 1,
              status: 'closed',
              chatbot: true,
              userId: null,
              messages: [
                { id: 'm1', body: 'hello', fromMe: true, at: at(1) },
                { id: 'm2', body: 'sair', fromMe: false, at: at(2) },
                { id: 'm3', body: 'bye', fromMe: true, at: at(3) },
              ],
            },
          ],
        }),
      ],
    },
  });
  service = await reshape(sandbox.baseUrl);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await service.close();
  await sandbox.close();
  await rm(folder, { recursive: true, force: true });
});

function clientOf(baseUrl: string, assumptions: AssumptionOverrides = {}): MessagingClient {
  const client = new MessagingClient({ baseUrl, token: TOKEN, assumptions });
  clients.push(client);
  return client;
}

const renamed: Use = async (client) => {
  const name = 'Beatriz';
  await client.contacts.update(1, { name });
  const { data } = await client.contacts.get(1);
  await clientOf(sandbox.baseUrl).contacts.update(1, { name: 'Bia' });
  if (data.name !== name) throw new Error('the name was not written');
  return data.name;
};

async function outcomeOf(use: Use, baseUrl: string, overrides?: AssumptionOverrides): Promise<unknown> {
  return await use(clientOf(baseUrl, overrides)).catch((error: unknown) => error);
}

describe('is read as it is', () => {
  const cases = WORKS.map(([name, use, ...rules]) => [name, { use, rules }] as const);
  it.each(cases)('%s', async (_name, { use, rules }) => {
    const expected = await outcomeOf(use, sandbox.baseUrl);
    service.rules = rules;
    const found = await outcomeOf(use, service.baseUrl);
    const normal = JSON.stringify(found).replaceAll('+00:00', 'Z');
    expect(found).not.toBeInstanceOf(Error);
    expect(normal).toBe(JSON.stringify(expected));
  });
});

describe('is refused with the assumption, and read with its override', () => {
  it.each(Object.entries(REFUSED))('%s', async (_name, { use, rules, assumption, seen, override }) => {
    const expected = await outcomeOf(use, sandbox.baseUrl);
    service.rules = rules;
    const strict: AssumptionOverrides =
      assumption === 'success.statuses' ? { 'success.statuses': [200] } : {};
    const error = (await outcomeOf(use, service.baseUrl, strict)) as Error;
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toContain(`accounts.<name>.assumptions: { ${assumption}: … }`);
    if (seen !== undefined) expect((error as UnexpectedShapeError).seen).toContain(seen);
    if (override === undefined) return;
    expect(await outcomeOf(use, service.baseUrl, override)).toEqual(expected);
  });
});

describe('ids above 2^53', () => {
  it.each<[string, Use]>([
    ['tags', tags],
    ['pipelines', pipelines],
    ['contacts', contacts],
    ['a contact', contact],
    ['cards', cards],
    ['conversations', conversations],
  ])('are refused in %s, whatever the override', async (_name, use) => {
    service.rules = [mapIds(large)];
    const error = await outcomeOf(use, service.baseUrl);
    expect(error).toMatchObject({ name: 'UnexpectedShapeError', isAccountWide: true });
    expect((error as Error).message).toContain('at most 2^53 - 1');
  });
});

it('an input under a nested name of its own goes there by its override', async () => {
  service.rules = [inputNamed(/^PUT .*contacts\/1$/, 'fields.fullName', 'name')];
  expect(await outcomeOf(renamed, service.baseUrl)).toMatchObject({ message: 'the name was not written' });
  const override = { 'contactUpdate.nameField': 'fields.fullName' };
  expect(await outcomeOf(renamed, service.baseUrl, override)).toBe('Beatriz');
});

it.each<[string, AssumptionOverrides]>([
  ['contact.id', { 'flows.contactField': 'contact.id' }],
  ['person', { 'flows.contactField': 'person' }],
])('a trigger takes its contact as %s by an override', async (name, override) => {
  service.rules = [inputNamed(/trigger$/, name, 'contactId')];
  expect(await outcomeOf(trigger, service.baseUrl)).toBeInstanceOf(Error);
  expect(await outcomeOf(trigger, service.baseUrl, override)).toBe('done');
});

it('a page without its promised count is refused', async () => {
  service.rules = [wrap(/contacts$/, 'count', 'total')];
  const error = await outcomeOf(contacts, service.baseUrl);
  expect(error).toMatchObject({ path: 'count', assumption: null, seen: expect.arrayContaining(['total']) });
});
