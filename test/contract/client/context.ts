// A sandbox with one account and a client for it; both gone after the test, with the folder.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../src/sandbox/server.ts';
import { MessagingClient, type MessagingClientOptions } from '../../../src/service/api-client/index.ts';

const stage = { isFinal: false, isWon: false, requiresSource: false };

/** One account with a bit of everything; `over` replaces top-level fields. */
export function anAccount(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'acme',
    defaultConnectionId: 1,
    tagMode: 'contacts',
    cardTitlePrefix: 'Lead - ',
    tokens: [
      { value: 'svc_test_all', scopes: ['contacts:write', 'cards:write', 'connections:read'] },
      { value: 'svc_test_read', scopes: ['contacts:read'] },
      { value: 'svc_test_revoked', scopes: ['contacts:write'], revoked: true },
      { value: 'svc_test_expired', scopes: ['contacts:write'], expiresAt: '2020-01-01T00:00:00.000Z' },
    ],
    connections: [{ id: 1, name: 'main', channel: 'whatsapp', status: 'CONNECTED', isDefault: true }],
    users: [{ id: 1, name: 'Ana' }],
    tags: [
      { id: 1, name: 'vip', color: '#ff0000' },
      { id: 2, name: 'cold', color: '#0000ff' },
    ],
    sources: [{ id: 1, name: 'site' }],
    lostReasons: [{ id: 1, name: 'price' }],
    customFields: [{ name: 'plan', type: 'select', options: ['a', 'b'], pipelineId: null }],
    pipelines: [
      {
        id: 1,
        name: 'Sales',
        stages: [
          { ...stage, id: 13, name: 'Won', order: 3, probability: 100, isFinal: true, isWon: true },
          { ...stage, id: 11, name: 'New', order: 1, probability: 10 },
          { ...stage, id: 12, name: 'Talk', order: 2, probability: 50 },
        ],
      },
      { id: 2, name: 'Support', stages: [{ ...stage, id: 21, name: 'Open', order: 1, probability: 0 }] },
    ],
    contacts: [
      { id: 1, number: '5511987654321', name: 'Bia', tagIds: [1], extraInfo: [{ name: 'cpf', value: '1' }] },
    ],
    numbersNotOnNetwork: ['5511900000000'],
    ...over,
  };
}

const SCOPES = [
  'conversations:read',
  'messages:read',
  'messages:send',
  'connections:read',
  'contacts:write',
  'cards:write',
  'flows:trigger',
];

/** The same account with all that conversations, messages and flows need. */
export function aChatAccount(over: Record<string, unknown> = {}): Record<string, unknown> {
  const account = anAccount();
  const old = '2026-01-10T10:00:00.000Z';
  const hello = { id: 'm1', body: 'hello', fromMe: false, at: old };
  const answer = { id: 'm2', body: 'hi, Bia', fromMe: true, at: '2026-01-10T10:01:00.000Z' };
  const talk = { contactId: 1, connectionId: 1, chatbot: true, userId: null, updatedAt: old, messages: [] };
  return {
    ...account,
    tokens: [...(account.tokens as object[]).slice(1), { value: 'svc_test_all', scopes: SCOPES }],
    connections: [
      { id: 1, name: 'main', channel: 'whatsapp', status: 'CONNECTED', isDefault: true },
      { id: 2, name: 'official', channel: 'waba', status: 'CONNECTED' },
      { id: 3, name: 'page', channel: 'facebook', status: 'CONNECTED' },
    ],
    contacts: [
      ...(account.contacts as object[]),
      { id: 2, number: '5511955556666', name: 'Rui' },
      { id: 3, number: '5511977778888', name: 'Eva' },
    ],
    conversations: [
      { ...talk, id: 1, status: 'open', messages: [hello, answer], updatedAt: '2026-01-12T10:00:00.000Z' },
      { ...talk, id: 2, contactId: 2, connectionId: 2, status: 'pending', updatedAt: old },
      { ...talk, id: 3, contactId: 3, status: 'open', chatbot: false, userId: 1, updatedAt: old },
      { ...talk, id: 4, contactId: 2, status: 'closed', updatedAt: '2026-01-09T10:00:00.000Z' },
    ],
    flows: [
      { id: 1, name: 'reactivate', active: true, published: true, nodes: 3 },
      { id: 2, name: 'draft', active: true, published: false, nodes: 3 },
    ],
    ...over,
  };
}

export interface Context {
  readonly sandbox: Sandbox;
  readonly client: MessagingClient;
  clientWith(over: Partial<MessagingClientOptions>): MessagingClient;
  fault(fault: Record<string, unknown>): Promise<void>;
  /** Requests that the sandbox counted, as `METHOD path`. */
  requests(): Promise<string[]>;
  /** Any call of the panel, by its path. */
  panel(path: string, init?: RequestInit): Promise<Record<string, never>>;
  /** A customer writes to connection 1. */
  inbound(number: string, body: string): Promise<void>;
  /** State of the account in the fixture's shape. */
  account(): Promise<Record<string, Array<Record<string, unknown>>>>;
  close(): Promise<void>;
}

export async function openContext(
  account: Record<string, unknown> = anAccount(),
  options: Partial<SandboxOptions> = {},
): Promise<Context> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-client-'));
  const sandbox = await startSandbox({
    port: 0,
    dataDir,
    rate: 0,
    fixture: { accounts: [account] },
    ...options,
  });
  const clients: MessagingClient[] = [];
  const clientWith = (over: Partial<MessagingClientOptions>) => {
    const client = new MessagingClient({ baseUrl: sandbox.baseUrl, token: 'svc_test_all', ...over });
    clients.push(client);
    return client;
  };
  const panel = async (path: string, init?: RequestInit) => {
    const answer = await fetch(`${sandbox.panelUrl}${path}`, init);
    if (!answer.ok) throw new Error(`panel ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, never>;
  };
  return {
    sandbox,
    client: clientWith({}),
    clientWith,
    async fault(fault) {
      const headers = { 'content-type': 'application/json' };
      await panel('/faults', { method: 'POST', headers, body: JSON.stringify(fault) });
    },
    async requests() {
      const { requests } = (await panel('/requests?since=0')) as unknown as {
        requests: Array<{ method: string; path: string }>;
      };
      return requests.map(({ method, path }) => `${method} ${path}`);
    },
    panel,
    async inbound(number, body) {
      const headers = { 'content-type': 'application/json' };
      const text = JSON.stringify({ number, body, connectionId: 1 });
      await panel('/accounts/acme/inbound', { method: 'POST', headers, body: text });
    },
    account: () => panel(`/accounts/acme`),
    async close() {
      await sandbox.close();
      await Promise.all(clients.map((client) => client.close()));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
