// Hosts that a file may come from, and the names that files are given.
import { describe, expect, it } from 'vitest';
import { redirectTarget } from '../../../../src/connectors/media/fetch-media.ts';
import { contentTypeOf, fileNameOf } from '../../../../src/core/media-names.ts';
import { isAllowedHost } from '../../../../src/core/net/media-hosts.ts';

describe('hosts', () => {
  it.each([
    ['https://a.example.com/x', ['a.example.com'], true],
    ['https://A.Example.COM/x', ['a.example.com'], true],
    ['https://a.example.com:443/x', ['a.example.com'], true],
    ['http://a.example.com:80/x', ['a.example.com:80'], true],
    ['https://a.example.com:8443/x', ['a.example.com'], false],
    ['https://a.example.com:8443/x', ['a.example.com:8443'], true],
    ['https://a.example.com/x', ['a.example.com:80'], false],
    ['https://a.b.example.com/x', ['*.example.com'], true],
    ['https://example.com/x', ['*.example.com'], false],
    ['https://notexample.com/x', ['*.example.com'], false],
    ['https://example.com.evil.test/x', ['*.example.com', 'example.com'], false],
    ['https://example.com@evil.test/x', ['example.com'], false],
    ['https://evil.test/#example.com', ['example.com'], false],
    ['https://a.example.com./x', ['a.example.com', '*.example.com'], false],
  ])('%s with %j: %s', (url, hosts, allowed) => {
    expect(isAllowedHost(new URL(url), hosts)).toBe(allowed);
  });
});

describe('names and types', () => {
  const url = new URL('https://h.test/dir/scan%20one.pdf?sig=1');
  it.each([
    [undefined, 'scan one.pdf'],
    ['attachment; filename="quote.pdf"', 'quote.pdf'],
    ['attachment; filename=plain.pdf; size=3', 'plain.pdf'],
    ['attachment; filename="x.pdf"; filename*=UTF-8\'\'pre%C3%A7o.pdf', 'preço.pdf'],
    ['attachment; filename*=UTF-8\'\'%E0%A4%A; filename="kept.pdf"', 'kept.pdf'],
    ['attachment; filename="../../etc/passwd.pdf"', 'passwd.pdf'],
    ['attachment; filename="C:\\\\tmp\\\\evil.pdf"', 'evil.pdf'],
    ["attachment; filename*=UTF-8''a%0D%0Ab%22c%E2%80%AEfdp.pdf", 'abcfdp.pdf'],
    ['attachment; filename="...."', 'scan one.pdf'],
    ['attachment; filename="bill"', 'bill.pdf'],
    [`attachment; filename="${'x'.repeat(300)}.pdf"`, `${'x'.repeat(96)}.pdf`],
  ])('%s is %s', (disposition, name) => {
    expect(fileNameOf(disposition, url, 'application/pdf')).toBe(name);
  });

  it('a file without any name is called after its type', () => {
    expect(fileNameOf(undefined, new URL('https://h.test/'), 'image/png')).toBe('file.png');
    expect(fileNameOf(undefined, new URL('https://h.test/%E0%A4%A'), 'x/y')).toBe('E0A4A');
  });

  it.each([
    ['image/PNG; charset=x', 'image/png'],
    [undefined, 'application/octet-stream'],
    ['', 'application/octet-stream'],
    ['text/html, text/plain', 'application/octet-stream'],
    ['a/b\r\nx: y', 'application/octet-stream'],
  ])('the type %j is read as %s', (header, type) => {
    expect(contentTypeOf(header)).toBe(type);
  });
});

describe('a redirect', () => {
  it.each([
    ['https://a.example.com/x', 'https://b.example.com/y', 'https://b.example.com/y'],
    ['https://a.example.com/x', '/y', 'https://a.example.com/y'],
    ['https://a.example.com/x', '//b.example.com/y', 'https://b.example.com/y'],
    ['http://127.0.0.1/x', 'https://b.example.com/y', 'https://b.example.com/y'],
  ])('from %s to %s is followed', (from, location, target) => {
    expect(redirectTarget(location, new URL(from)).href).toBe(target);
  });

  it.each(['http://a.example.com/x', 'HTTP://b.example.com/', 'http:/b.example.com', 'http://127.0.0.1/'])(
    'from https to %s is not',
    (location) => {
      expect(() => redirectTarget(location, new URL('https://a.example.com/x'))).toThrow(
        /from https to http/,
      );
    },
  );
});
