// Only a plain host with an optional port counts as the host of a request.
import { describe, expect, it } from 'vitest';
import { hostOfRequest, readAuthority } from '../../../../src/core/net/authority.ts';

describe('the Host header', () => {
  it.each([
    ['localhost', 'localhost', null],
    ['LOCALHOST:8088', 'localhost', 8088],
    ['127.0.0.1:65535', '127.0.0.1', 65_535],
    ['[::1]:80', '[::1]', 80],
    ['console.example.com', 'console.example.com', null],
    ['xn--nxasmq6b.example', 'xn--nxasmq6b.example', null],
    ['worker_1:9464', 'worker_1', 9464],
  ])('"%s" names %s', (header, hostname, port) => {
    expect(readAuthority(header)).toEqual({ hostname, port });
  });

  it.each([
    ['nothing', ''],
    ['a port alone', ':8088'],
    ['a user', 'evil@127.0.0.1:8088'],
    ['a user and a password', 'a:b@localhost'],
    ['another host behind a user', 'localhost@evil.example'],
    ['a path', 'localhost/evil'],
    ['a backslash', 'localhost\\evil'],
    ['a query', 'localhost?evil'],
    ['a fragment', 'localhost#@evil.example'],
    ['a space', 'localhost evil.example'],
    ['a tab', 'localhost\t'],
    ['a list', 'localhost, evil.example'],
    ['a scheme', 'http://localhost'],
    ['a dot at the end', 'localhost.'],
    ['a dot at the end before a port', '127.0.0.1.:8088'],
    ['two dots', 'evil..localhost/..'],
    ['a zone', '[::1%25lo]:8088'],
    ['a zone as in a shell', '[fe80::1%eth0]'],
    ['an IPv6 address without brackets', '::1'],
    ['an open bracket', '[::1'],
    ['a long form of an IPv6 address', '[0:0:0:0:0:0:0:1]'],
    ['an IP address of hex digits', '0x7f.0.0.1'],
    ['an IP address of octal digits', '0177.0.0.1'],
    ['an IP address of one number', '2130706433'],
    ['a short IP address', '127.1'],
    ['a percent', '%6cocalhost'],
    ['wide letters', 'ｌocalhost'],
    ['two ports', 'localhost:80:8088'],
    ['a port that is none', 'localhost:8088x'],
    ['a port beyond the last one', 'localhost:65536'],
    ['an empty port', 'localhost:'],
    ['a port with zeros', 'localhost:08088'],
  ])('is refused with %s', (_what, header) => {
    expect(readAuthority(header)).toBeNull();
  });
});

describe('a request', () => {
  const of = (url: string, ...host: string[]) => hostOfRequest({ headersDistinct: { host }, url });

  it.each([
    '/',
    '/api/v1/session',
    '//evil.example/x',
    '*',
    'http://localhost:8088/x',
    'HTTP://LOCALHOST:8088',
  ])('to %s names the host of its header', (url) => {
    expect(of(url, 'localhost:8088')).toEqual({ hostname: 'localhost', port: 8088 });
  });

  it.each([
    ['http://evil.example/x', 'HOST_DIFFERS'],
    ['http://localhost/x', 'HOST_DIFFERS'],
    ['http://evil@localhost:8088/x', 'HOST_DIFFERS'],
    ['http:localhost:8088/x', 'HOST_DIFFERS'],
    ['ftp://localhost:8088/x', 'HOST_DIFFERS'],
    ['evil.example:443', 'HOST_DIFFERS'],
    ['http://', 'HOST_DIFFERS'],
  ])('to %s is refused', (url, problem) => {
    expect(of(url, 'localhost:8088')).toBe(problem);
  });

  it('with two hosts, or none, is refused', () => {
    expect(of('/', 'localhost', 'localhost')).toBe('HOST_TWICE');
    expect(of('/')).toBe('HOST_INVALID');
  });
});
