// A client that is made or called wrongly: typed errors that name the field, and never show what must not be seen.
import { describe, expect, it } from 'vitest';
import { InvalidArgumentError, MessagingClient } from '../../../../src/service/api-client/index.ts';

const good = { baseUrl: 'http://127.0.0.1:1/wapi', token: 'svc_test_x' };

describe('a client made wrongly is refused with the field and the fix', () => {
  it.each<[string, unknown, RegExp]>([
    ['without options', undefined, /options is undefined/],
    ['with null', null, /options is null/],
    ['with a text as base URL that is none', { ...good, baseUrl: 'x' }, /baseUrl is an unusable text/],
    ['with another protocol', { ...good, baseUrl: 'ftp://canary/wapi' }, /baseUrl is an unusable text/],
    [
      'with a token that no header takes',
      { ...good, token: 'canary with space' },
      /token is an unusable text/,
    ],
  ])('%s', (_, options, says) => {
    const make = () => new MessagingClient(options as never);
    expect(make).toThrow(InvalidArgumentError);
    expect(make).toThrow(says);
    expect(make).not.toThrow(/canary/);
  });
});

it('a call with a signal that is none is refused before anything is sent', async () => {
  const client = new MessagingClient(good);
  try {
    await expect(client.tags.list({ signal: 'x' as never })).rejects.toThrow(InvalidArgumentError);
  } finally {
    await client.close();
  }
});
