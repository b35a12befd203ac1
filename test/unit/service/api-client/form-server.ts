// A server that takes uploads: reads forms with a parser that is not ours, or does as a test says.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import { MessagingClient, type MessagingClientOptions } from '../../../../src/service/api-client/index.ts';

export interface SentForm {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Text of each field; of each file its name, type and bytes. */
  readonly parts: ReadonlyArray<readonly [string, string | { name: string; type: string; bytes: Buffer }]>;
}

/** Reads a request as a multipart form. */
export async function readForm(req: IncomingMessage): Promise<SentForm> {
  const body = await buffer(req);
  const response = new Response(body, { headers: { 'content-type': req.headers['content-type'] ?? '' } });
  const form = await response.formData();
  const parts = [...form.entries()].map(async ([key, value]) => {
    if (typeof value === 'string') return [key, value] as const;
    const bytes = Buffer.from(await value.arrayBuffer());
    return [key, { name: value.name, type: value.type, bytes }] as const;
  });
  return { headers: req.headers, parts: await Promise.all(parts) };
}

export const RECEIPT = { ticketId: 1, contactId: 2, whatsappId: 3, channel: 'waba', messages: [] };

export function reply(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const open: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
  for (const thing of open.splice(0)) await thing.close();
});

export type Handler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

/** Server and client, both gone after the test. */
export async function formServer(handler: Handler, over: Partial<MessagingClientOptions> = {}) {
  const state = { requests: 0, closed: 0 };
  const server = createServer((req, res) => {
    state.requests += 1;
    // The client may break off at any byte: here that is no error.
    req.on('error', () => res.destroy());
    res.on('close', () => {
      state.closed += 1;
      server.emit('exchange-over');
    });
    void handler(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/wapi`;
  const client = new MessagingClient({ baseUrl, token: 'svc_test_a', ...over });
  open.push(client, {
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return {
    client,
    baseUrl,
    state,
    /** Resolves when every request so far has been answered or cut. */
    async allOver() {
      while (state.closed < state.requests) await once(server, 'exchange-over');
    },
  };
}
