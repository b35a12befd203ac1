// A sandbox in a folder of its own and a bare HTTP hand to touch it with: what tests say goes over the wire as it stands.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { type SandboxOptions, startSandbox } from '../../../src/sandbox/server.ts';
import { Conformance, type Got } from './openapi-conformance.ts';

export interface Ask {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly raw?: string | Buffer;
  readonly headers?: Record<string, string>;
}

export const ALL = 'svc_test_all';

export interface Context {
  readonly baseUrl: string;
  readonly dataDir: string;
  /**
   * `path` behind the base URL; the token is ALL unless said otherwise, null sends none. Throws when the sandbox's own
   * OpenAPI document does not show such an answer; not once a fault was set, since faults are no part of the API.
   */
  call(method: string, path: string, ask?: Ask): Promise<Got>;
  panel(method: string, path: string, body?: unknown): Promise<Got>;
  /** Stops and starts again on the same folder. */
  restart(options?: Partial<SandboxOptions>): Promise<void>;
  close(): Promise<void>;
}

/** Two accounts: `acme` with something of everything, `other` with what acme must not see. */
export const fixture = () => ({
  accounts: [
    {
      id: 'acme',
      defaultConnectionId: 1,
      cardTitlePrefix: 'Lead - ',
      tokens: [
        { value: ALL },
        { value: 'svc_test_contacts_read', scopes: ['contacts:read'] },
        { value: 'svc_test_contacts_write', scopes: ['contacts:write'] },
        { value: 'svc_live_cards_read', scopes: ['cards:read'] },
        { value: 'svc_test_cards_write', scopes: ['cards:write'] },
        { value: 'svc_test_none', scopes: [] },
        { value: 'svc_test_revoked', revoked: true },
        { value: 'svc_test_expired', expiresAt: '2020-01-01T00:00:00Z' },
      ],
      connections: [
        { id: 1, name: 'main', channel: 'waba' },
        { id: 2, name: 'old', channel: 'whatsapp' },
      ],
      flows: [{ id: 1, name: 'reactivate' }],
      users: [{ id: 1, name: 'Ana' }],
      tags: [
        { id: 1, name: 'vip', color: '#ff0000' },
        { id: 2, name: 'cold', color: '#0000ff' },
      ],
      sources: [{ id: 1, name: 'site' }],
      lostReasons: [{ id: 1, name: 'price' }],
      customFields: [
        { name: 'plan', type: 'select', options: ['a', 'b'] },
        { name: 'note', type: 'text', pipelineId: 1 },
        { name: 'elsewhere', type: 'text', pipelineId: 2 },
      ],
      pipelines: [
        {
          id: 1,
          name: 'Sales',
          stages: [
            { id: 13, name: 'Won', order: 3, probability: 100, isFinal: true, isWon: true },
            { id: 11, name: 'New', order: 1, probability: 10 },
            { id: 12, name: 'Referred', order: 2, probability: 40, requiresSource: true },
            { id: 14, name: 'Lost', order: 4, probability: 0, isFinal: true },
          ],
        },
        { id: 2, name: 'Support', stages: [{ id: 21, name: 'Inbox' }] },
      ],
      contacts: [
        {
          id: 1,
          number: '5511987654321',
          name: 'Bia',
          email: 'bia@example.com',
          tagIds: [1],
          extraInfo: [{ name: 'cpf', value: '1' }],
        },
        { id: 2, number: '551133334444', name: 'Caio', channel: 'waba', tagIds: [2] },
      ],
      cards: [{ id: 1, contactId: 1, pipelineId: 1, stageId: 11, value: 10, userId: 1, sourceId: 1 }],
      numbersNotOnNetwork: ['5511900000000'],
    },
    {
      id: 'other',
      tokens: [{ value: 'svc_test_other' }],
      tags: [{ id: 9, name: 'theirs' }],
      sources: [{ id: 9 }],
      connections: [{ id: 9, name: 'theirs', channel: 'whatsapp' }],
      flows: [{ id: 9 }],
      conversations: [
        { id: 9, contactId: 9, connectionId: 9, messages: [{ id: 'theirs', body: 'not for acme' }] },
      ],
      pipelines: [{ id: 9, name: 'Theirs', stages: [{ id: 91 }] }],
      contacts: [{ id: 9, number: '5511987654321', name: 'Their Bia' }],
      cards: [{ id: 9, contactId: 9, pipelineId: 9 }],
    },
  ],
});

export async function openContext(options: Partial<SandboxOptions> = {}): Promise<Context> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-sandbox-'));
  const first = { port: 0, dataDir, fixture: fixture(), rate: 0, ...options };
  let sandbox = await startSandbox(first).catch(async (error: unknown) => {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  });
  let pool = new Pool(new URL(sandbox.baseUrl).origin, { connections: 16 });

  const send = async (method: string, path: string, ask: Ask): Promise<Got> => {
    const token = ask.token === undefined ? ALL : ask.token;
    const body = ask.raw ?? (ask.body === undefined ? null : JSON.stringify(ask.body));
    const answer = await pool.request({
      method: method as 'GET',
      path: path.replaceAll(' ', '%20'),
      body,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === null ? {} : { 'content-type': 'application/json' }),
        ...ask.headers,
      },
    });
    const text = await answer.body.text();
    const isJson = String(answer.headers['content-type']).startsWith('application/json');
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };
  const document = await send('GET', '/wapi/openapi.json', { token: null });
  const conformance = new Conformance(document.json);
  let isFaulty = false;
  return {
    get baseUrl() {
      return sandbox.baseUrl;
    },
    dataDir,
    call: async (method, path, ask = {}) => {
      const got = await send(method, `/wapi${path}`, ask);
      const complaint = isFaulty ? null : conformance.complaint(method, path, got);
      if (complaint !== null) throw new Error(`${method} ${path}: ${complaint}`);
      return got;
    },
    panel: (method, path, body) => {
      isFaulty ||= method === 'POST' && path === '/faults';
      return send(method, `/panel${path}`, { token: null, body });
    },
    restart: async (changed = {}) => {
      await pool.destroy();
      await sandbox.close();
      sandbox = await startSandbox({ ...first, ...changed });
      pool = new Pool(new URL(sandbox.baseUrl).origin, { connections: 16 });
    },
    close: async () => {
      await pool.destroy();
      await sandbox.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
