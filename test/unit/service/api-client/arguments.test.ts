// Arguments that would waste a call, or mean something else to the service, are refused before it.
import { afterEach, describe, expect, it } from 'vitest';
import {
  InvalidArgumentError,
  isAmbiguous,
  MessagingClient,
} from '../../../../src/service/api-client/index.ts';
import { answer, type RawServer, rawServer } from './raw-server.ts';

let server: RawServer | undefined;
let client: MessagingClient | undefined;
afterEach(async () => {
  await server?.close();
  await client?.close();
});

async function refused(call: (client: MessagingClient) => Promise<unknown>): Promise<InvalidArgumentError> {
  server = await rawServer(answer(200, {}));
  client = new MessagingClient({ baseUrl: server.baseUrl, token: 'svc_test_a' });
  const error = await call(client).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InvalidArgumentError);
  expect(isAmbiguous(error)).toBe(false);
  expect(server.requests).toHaveLength(0);
  return error as InvalidArgumentError;
}

describe('ids in paths', () => {
  it.each<[unknown]>([
    [0],
    [-1],
    [1.5],
    [Number.NaN],
    [2 ** 53],
    ['7'],
    ['../tags'],
    ['7/stage'],
    [null],
    [undefined],
    [{}],
  ])('%j is refused', async (id) => {
    const error = await refused((api) => api.contacts.get(id as number));
    expect(error.field).toBe('contactId');
  });
});

describe('date filters', () => {
  it.each<[unknown]>([
    ['2026-11-20'],
    ['2026-11-20T10:00:00'],
    ['2026-11-20 10:00:00Z'],
    ['2026-11-20T10:00:00 03:00'],
    ['2026-13-20T10:00:00Z'],
    ['2026-02-30T10:00:00Z'],
    ['yesterday'],
    [''],
    [new Date(Number.NaN)],
    [1_795_000_000],
    [null],
  ])('%j is refused, naming the field and the fix', async (value) => {
    const error = await refused((api) => api.cards.list({ createdAtAfter: value as string }));
    expect(error.field).toBe('createdAtAfter');
    expect(error.message).toMatch(/^createdAtAfter is .+: send a Date, or ISO 8601/);
    if (/^\d{4}-/.test(String(value))) expect(error.message).toContain(`"${String(value)}"`);
  });
});

describe('queries', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['an empty status list', { status: [] }, 'status'],
    ['a status with a comma', { status: 'open,won' }, 'status'],
    ['an empty tag list', { contactTagId: [] }, 'contactTagId'],
    ['a tag id as text', { notContactTagId: ['1'] }, 'notContactTagId'],
    ['a list where one id goes', { pipelineId: [1, 2] }, 'pipelineId'],
    ['page 0', { pageNumber: 0 }, 'pageNumber'],
    ['a page size of 1.5', { pageSize: 1.5 }, 'pageSize'],
    ['a column that would silently sort by createdAt', { sortBy: 'id' }, 'sortBy'],
    ['an unknown direction', { sortDirection: 'up' }, 'sortDirection'],
    ['an unknown filter', { pipeline: 1 }, 'argument'],
  ])('%s', async (_name, query, field) => {
    expect((await refused((api) => api.cards.list(query as never))).field).toBe(field);
  });

  it('a body that JSON cannot represent', async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const error = await refused((api) =>
      api.cards.create({ contactId: 1, pipelineId: 1, customFields: cycle }),
    );
    expect(error.field).toBe('body');
  });
});

describe('values in messages', () => {
  it.each<[unknown]>([
    ['5511987654321'],
    [5_511_987_654_321.5],
    ['bia@example.com'],
    ['svc_live_abc'],
    ['+55 11 98765-4321x'],
  ])('%j is described, not shown', async (value) => {
    const { message } = await refused((api) => api.contacts.get(value as number));
    expect(message).not.toContain(String(value));
  });

  it.each([['abc'], [1.5]])('%j is shown', async (value) => {
    const { message } = await refused((api) => api.contacts.get(value as number));
    expect(message).toContain(String(value));
  });
});

describe('options of the client', () => {
  it.each<[string, Record<string, unknown>]>([
    ['baseUrl', { baseUrl: 'not an address' }],
    ['baseUrl', { baseUrl: 'ftp://h/wapi' }],
    ['baseUrl', { baseUrl: 'http://user:secret@h/wapi' }],
    ['baseUrl', { baseUrl: 'http://h/wapi?token=secret' }],
    ['token', { token: '' }],
    ['token', { token: 'svc_secret\r\nx: y' }],
    ['token', { token: undefined }],
    ['deadlineMs', { deadlineMs: 0 }],
    ['maxBodyBytes', { maxBodyBytes: 0.5 }],
    ['connectTimeoutMs', { connectTimeoutMs: -1 }],
  ])('a bad %s is refused without showing a secret (%j)', (field, over) => {
    const make = () => new MessagingClient({ baseUrl: 'http://h/wapi', token: 't', ...over });
    expect(make).toThrow(InvalidArgumentError);
    expect(make).toThrow(new RegExp(`^${field} is (?!.*secret)`));
  });
});
