// What goes over the wire, and what the observer hears of it.
import { describe, expect, it } from 'vitest';
import type { CallInfo } from '../../../../src/service/api-client/index.ts';
import { aCard, aContact, RATE } from './builders.ts';
import { answer } from './raw-server.ts';
import { failure, setup } from './setup.ts';

describe('what goes out', () => {
  it('names the inputs as the assumptions say', async () => {
    const { client, server } = await setup(
      [
        answer(201, { card: aCard() }),
        answer(200, { contact: aContact() }),
        answer(200, { contact: aContact() }),
      ],
      {
        assumptions: {
          'card.titleField': 'cardTitle',
          'card.expectedCloseDateField': 'closing',
          'contactUpdate.documentField': 'cpf',
        },
      },
    );
    await client.cards.create({ phone: '1', pipelineId: 1, title: 'T', expectedCloseDate: '2026-12-01' });
    await client.contacts.update(1, { document: '9', email: null });
    await client.contacts.setTags(1, [2, 3]);
    expect(server.requests.map(({ body }) => JSON.parse(body))).toEqual([
      { phone: '1', pipelineId: 1, cardTitle: 'T', closing: '2026-12-01' },
      { cpf: '9', email: null },
      { tagIds: [2, 3] },
    ]);
    expect(server.requests.map(({ line }) => line)).toEqual([
      'POST /wapi/v1/cards HTTP/1.1',
      'PUT /wapi/v1/contacts/1 HTTP/1.1',
      'PUT /wapi/v1/contacts/1/tags HTTP/1.1',
    ]);
  });

  it('sends filters as the API text writes them', async () => {
    const page = { count: 0, hasMore: false, totalValue: 0, cards: [], contacts: [] };
    const { client, server } = await setup([answer(200, page)]);
    await client.cards.list({
      status: ['open', 'lost'],
      contactTagId: [1, 2],
      notContactTagId: 3,
      createdAtAfter: new Date(0),
      closedAtBefore: '2026-11-20T10:00:00-03:00',
      sortDirection: 'asc',
      title: 'a&b',
    });
    await client.contacts.list({ tagId: [4, 5], searchParam: 'Bia +55' });
    const queries = server.requests.map(({ line }) =>
      Object.fromEntries(new URL(line.split(' ')[1] ?? '', 'http://x').searchParams),
    );
    expect(queries).toEqual([
      {
        status: 'open,lost',
        contactTagId: '1,2',
        notContactTagId: '3',
        createdAtAfter: '1970-01-01T00:00:00.000Z',
        closedAtBefore: '2026-11-20T10:00:00-03:00',
        sortOrder: 'asc',
        searchParam: 'a&b',
      },
      { tagId: '4,5', searchParam: 'Bia +55' },
    ]);
  });

  it('reports every call to the observer, and an observer that throws harms none', async () => {
    const heard: CallInfo[] = [];
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const { client } = await setup(
      [
        answer(200, { requestId: 'r', tags: [] }, RATE),
        answer(429, { code: 'ERR_RATE_LIMITED', retryAfter: 2 }, RATE),
        answer(200, 'x'),
      ],
      {
        onResponse: (info) => {
          heard.push(info);
          throw new Error('observer broke');
        },
      },
    );
    await client.tags.list();
    await failure(client.tags.list());
    await failure(client.tags.list());
    const rate = { limit: 120, remaining: 119 };
    expect(heard).toMatchObject([
      { method: 'GET', path: '/v1/tags', status: 200, code: null, reason: null, requestId: 'r', rate },
      { status: 429, code: 'ERR_RATE_LIMITED', retryAfterMs: 2000, rate },
      { status: 200, reason: 'invalid_body', code: null },
    ]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings.map(({ message }) => message)).toContain('observer broke');
  });
});
