// A service of lists that tests may change while they are read, and that keeps what it was asked.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type Item = Record<string, unknown> & { readonly id: number };

const at = (n: number) => new Date(Date.UTC(2026, 9, 1) + n * 60_000).toISOString();

export const listedContact = (id: number, over: Record<string, unknown> = {}): Item => ({
  id,
  name: `P${id}`,
  number: `5511${900_000_000 + id}`,
  email: null,
  document: null,
  channel: 'whatsapp',
  profilePicUrl: null,
  disableBot: false,
  tags: [],
  createdAt: at(id),
  updatedAt: at(id),
  ...over,
});

export const listedCard = (id: number, over: Record<string, unknown> = {}): Item => ({
  id,
  title: `T${id}`,
  value: 1,
  status: 'open',
  probability: 10,
  pipeline: { id: 1, name: 'Sales' },
  stage: { id: 11, name: 'New' },
  user: null,
  source: null,
  lostReason: null,
  originTicketId: null,
  expectedCloseDate: null,
  closedAt: null,
  stageEnteredAt: at(id),
  createdAt: at(id),
  updatedAt: at(id),
  contact: { id: 1000 + id, name: `P${id}`, number: `5511${900_000_000 + id}`, email: null, tags: [] },
  ...over,
});

export async function openLists() {
  const service = {
    tags: [] as unknown[],
    pipelines: [] as unknown[],
    lostReasons: [] as unknown[],
    connections: [] as unknown[],
    /** In the order of the list. */
    cards: [] as Item[],
    contacts: [] as Item[],
    /** Paths behind the base, with their query. */
    asked: [] as string[],
    /** Hears of a call before it is answered; how many there were. */
    before: (_calls: number): void => undefined,
    /** An answer is sent when this has resolved. */
    ready: async (_path: string): Promise<void> => undefined,
    /** Largest page that it gives. */
    cap: 100,
    /** What becomes of an answer; null: it is given as it is. */
    bend: (_path: string): { status: number; body: unknown } | null => null,
    baseUrl: '',
    close: async () => undefined as unknown,
  };

  function answer(path: string, query: URLSearchParams): Record<string, unknown> {
    if (path === '/v1/tags') return { tags: service.tags };
    if (path === '/v1/pipelines') return { pipelines: service.pipelines };
    if (path === '/v1/lost-reasons') return { lostReasons: service.lostReasons };
    if (path === '/v1/connections')
      return { count: service.connections.length, connections: service.connections };
    const key = path === '/v1/cards' ? 'cards' : 'contacts';
    const all = service[key];
    const size = Math.min(service.cap, Number(query.get('pageSize') ?? 40));
    const from = (Number(query.get('pageNumber') ?? 1) - 1) * size;
    const page = {
      count: all.length,
      hasMore: from + size < all.length,
      [key]: all.slice(from, from + size),
    };
    return key === 'cards' ? { ...page, totalValue: 0 } : page;
  }

  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    const path = url.pathname.replace('/wapi', '');
    service.before(service.asked.length);
    service.asked.push(path + url.search);
    await service.ready(path);
    const { status, body } = service.bend(path) ?? { status: 200, body: answer(path, url.searchParams) };
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-ratelimit-limit': '60000',
      'x-ratelimit-remaining': '59999',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 60),
    });
    response.end(JSON.stringify({ requestId: 'r', ...(body as object) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  service.baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/wapi`;
  service.close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return service;
}

export type Lists = Awaited<ReturnType<typeof openLists>>;
