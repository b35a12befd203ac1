// Where a command sends a password or an access token.
import { describe, expect, it } from 'vitest';
import { originOf } from '../../../../src/cli/lib/connect/credentials.ts';

describe('a server', () => {
  it.each([
    ['https://sluice.example.com/console', 'https://sluice.example.com'],
    ['http://localhost:8088', 'http://localhost:8088'],
    ['http://[::1]:8088/', 'http://[::1]:8088'],
  ])('%s is %s', (server, origin) => {
    expect(originOf(server)).toBe(origin);
  });

  it.each(['127.0.0.1:8088', 'localhost:8088', 'ftp://localhost', 'sluice', ''])('is not %j', (server) => {
    expect(() => originOf(server)).toThrow('--server must be a URL');
  });

  it.each(['http://sluice.example.com', 'http://10.0.0.7:8088', 'http://localhost.evil.example'])(
    'on another machine gets no password or token in clear: %s',
    (server) => {
      expect(() => originOf(server)).toThrow('is not encrypted');
    },
  );
});
