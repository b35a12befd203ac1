// A service that tests may bend: lists and histories as the API text has them, and whatever a test makes of an answer.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Chat {
  readonly id: number;
  updatedAt: string;
  lastMessage?: string | null;
  [field: string]: unknown;
}
export type Item = Record<string, unknown>;

export interface Asked {
  /** `list`, or the id of the conversation. */
  readonly of: 'list' | number;
  readonly page: number;
  readonly size: number;
}

/** Instant of a test, in seconds after ten o'clock. */
export const at = (seconds: number) => new Date(Date.UTC(2026, 10, 20, 10) + seconds * 1000).toISOString();

export const chat = (id: number, seconds: number, over: Item = {}): Chat => ({
  id,
  status: 'open',
  channel: 'waba',
  chatbot: false,
  queueId: null,
  userId: null,
  lastMessage: `m${id}`,
  createdAt: at(seconds),
  updatedAt: at(seconds),
  contact: { id: id + 1000, name: `P${id}`, number: `55119876${String(id).padStart(5, '0')}` },
  connection: { id: 1, name: 'main', channel: 'waba', status: 'CONNECTED' },
  ...over,
});

export const message = (id: string, seconds: number, over: Item = {}): Item => ({
  id,
  body: id,
  fromMe: false,
  status: 'received',
  ack: 2,
  createdAt: at(seconds),
  ...over,
});

export async function openService() {
  const service = {
    chats: [] as Chat[],
    /** Oldest first. */
    messages: new Map<number, Item[]>(),
    asked: [] as Asked[],
    /** Hears of a call before it is answered. */
    before: (_asked: Asked): void => undefined,
    /** What becomes of an answer; null: it is given as it is. */
    bend: (_asked: Asked, _body: Item): { status: number; body: unknown } | null => null,
    /** Header Date. */
    date: new Date(at(3600)),
    baseUrl: '',
    close: async () => undefined as unknown,
  };

  const list = (): Chat[] =>
    service.chats.toSorted((a, b) =>
      a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : b.id - a.id,
    );

  function answer(asked: Asked): Item {
    const { of, page, size } = asked;
    const from = (page - 1) * size;
    if (of === 'list') {
      const all = list();
      return {
        count: all.length,
        hasMore: from + size < all.length,
        conversations: all.slice(from, from + size),
      };
    }
    const all = service.messages.get(of) ?? [];
    const end = Math.max(0, all.length - from);
    const start = Math.max(0, end - size);
    return { count: all.length, hasMore: start > 0, messages: all.slice(start, end) };
  }

  const reply = (res: ServerResponse, status: number, body: unknown) =>
    res
      .writeHead(status, { 'content-type': 'application/json', date: service.date.toUTCString() })
      .end(typeof body === 'string' ? body : JSON.stringify({ requestId: 'r', ...(body as object) }));

  const server = createServer((req, res) => {
    const url = new URL(req.url ?? '', 'http://x');
    const [, id] = /conversations\/(\d+)\/messages/.exec(url.pathname) ?? [];
    const number = (name: string) => Number(url.searchParams.get(name));
    const asked: Asked = {
      of: id === undefined ? 'list' : Number(id),
      page: number('pageNumber'),
      size: number('pageSize'),
    };
    service.before(asked);
    service.asked.push(asked);
    const body = answer(asked);
    const bent = service.bend(asked, body);
    reply(res, bent?.status ?? 200, bent?.body ?? body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  service.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/wapi`;
  service.close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return service;
}

export type Service = Awaited<ReturnType<typeof openService>>;
