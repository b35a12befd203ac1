// What answers become: results, or errors by status and body.
import { afterEach, describe, expect, it } from 'vitest';
import { MessagingClient, type MessagingClientOptions } from '../../../src/api-client/index.ts';
import { aContact, RATE } from './builders.ts';
import { answer, type RawServer, type Reply, rawServer } from './raw-server.ts';

const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

async function setup(script: Reply[], over: Partial<MessagingClientOptions> = {}) {
  const server: RawServer = await rawServer(...script);
  const client = new MessagingClient({ baseUrl: server.baseUrl, token: 'svc_test_a', ...over });
  open.push(client, server);
  return { client, server };
}

describe('a success', () => {
  it('carries data, request id, rate and duration', async () => {
    const { client, server } = await setup([
      answer(201, { requestId: 'r1', created: true, contact: aContact() }, RATE),
    ]);
    const { data, meta } = await client.contacts.upsert({ number: '5511987654321' });
    expect(data.created).toBe(true);
    expect(data.contact.id).toBe(1);
    expect(meta).toMatchObject({ status: 201, requestId: 'r1', rate: { limit: 120, remaining: 119 } });
    expect(server.requests[0]?.line).toBe('POST /wapi/v1/contacts HTTP/1.1');
    expect(server.requests[0]?.head).toContain('authorization: Bearer svc_test_a');
  });
});
