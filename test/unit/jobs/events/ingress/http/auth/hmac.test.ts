import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretError } from '../../../../../../../src/jobs/events/ingress/http/auth/claim.ts';
import {
  type HmacOptions,
  hmac,
  hubspotUri,
} from '../../../../../../../src/jobs/events/ingress/http/auth/hmac.ts';
import { claim } from './claim.ts';

const SECRET = "It's a Secret to Everybody";
const now = () => 1_700_000_000_000;

function isTaken(
  options: Partial<HmacOptions>,
  headers: Record<string, string>,
  body: string | Uint8Array,
  uri?: string,
): boolean {
  const { plausible, proves } = hmac({
    purpose: 'event',
    style: 'plain',
    secrets: [SECRET],
    now,
    ...options,
  });
  const asked = claim(headers, uri === undefined ? {} : { uri });
  return plausible(asked) && proves(asked, Buffer.from(body));
}

const sign = (body: string, encoding: 'hex' | 'base64', algorithm = 'sha256') =>
  createHmac(algorithm, SECRET).update(body).digest(encoding);

describe('HMAC of the raw body', () => {
  it("GitHub: takes the example of GitHub's documentation, and neither another body nor no prefix", () => {
    const signature = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const headers = { 'X-Hub-Signature-256': `sha256=${signature}` };
    expect(isTaken({ style: 'github' }, headers, 'Hello, World!')).toBe(true);
    expect(isTaken({ style: 'github' }, headers, 'Hello, World?')).toBe(false);
    expect(isTaken({ style: 'github' }, { 'X-Hub-Signature-256': signature }, 'Hello, World!')).toBe(false);
    expect(
      isTaken({ style: 'github' }, { 'X-Hub-Signature-256': `sha1=${signature}` }, 'Hello, World!'),
    ).toBe(false);
    expect(isTaken({ style: 'github' }, { 'X-Signature': `sha256=${signature}` }, 'Hello, World!')).toBe(
      false,
    );
  });

  it('Shopify: takes a known signature in base64', () => {
    const body = '{"id":1234567890,"email":"customer@example.com","total_price":"123.45"}';
    const headers = { 'X-Shopify-Hmac-Sha256': 'QNyObTlKbMx2qDlPF/ZOZcBqg5OgPg+2oky3zldc0Gw=' };
    const shopify = { style: 'shopify', secrets: ['test-webhook-secret'] } as const;
    expect(isTaken(shopify, headers, body)).toBe(true);
    expect(isTaken(shopify, headers, ` ${body}`)).toBe(false);
  });

  it.each<[string, Partial<HmacOptions>, Record<string, string>, boolean]>([
    ['hex in X-Signature', {}, { 'X-Signature': sign('{}', 'hex') }, true],
    ['hex in capitals', {}, { 'X-Signature': sign('{}', 'hex').toUpperCase() }, true],
    ['base64 where hex is wanted', {}, { 'X-Signature': sign('{}', 'base64') }, false],
    ['half of it', {}, { 'X-Signature': sign('{}', 'hex').slice(0, 32) }, false],
    ['it twice', {}, { 'X-Signature': sign('{}', 'hex').repeat(2) }, false],
    ['nothing', {}, { 'X-Signature': '' }, false],
    ['no header', {}, {}, false],
    [
      'all of it overridden',
      { overrides: { header: 'X-Sig', encoding: 'base64', prefix: 'v=', algorithm: 'sha512' } },
      { 'X-Sig': `v=${sign('{}', 'base64', 'sha512')}` },
      true,
    ],
    ['another hash', { overrides: { algorithm: 'sha1' } }, { 'X-Signature': sign('{}', 'hex') }, false],
    [
      'SHA-1 where it is asked for',
      { overrides: { algorithm: 'sha1' } },
      { 'X-Signature': sign('{}', 'hex', 'sha1') },
      true,
    ],
    [
      'GitHub with the older hash',
      { style: 'github', overrides: { header: 'X-Hub-Signature', prefix: 'sha1=', algorithm: 'sha1' } },
      { 'X-Hub-Signature': `sha1=${sign('{}', 'hex', 'sha1')}` },
      true,
    ],
  ])('plain keys: %s', (_name, options, headers, taken) => {
    expect(isTaken(options, headers, '{}')).toBe(taken);
  });

  it('FAULTS 31: while one secret replaces another both are taken', () => {
    const headers = { 'X-Signature': sign('{}', 'hex') };
    expect(isTaken({ secrets: ['new', SECRET] }, headers, '{}')).toBe(true);
    expect(isTaken({ secrets: [SECRET, 'new'] }, headers, '{}')).toBe(true);
    expect(isTaken({ secrets: ['new'] }, headers, '{}')).toBe(false);
  });

  it('FAULTS 32: covers bytes, not what they decode to', () => {
    const bytes = Buffer.from([0x22, 0xff, 0x22]);
    const headers = { 'X-Signature': createHmac('sha256', SECRET).update(bytes).digest('hex') };
    expect(isTaken({}, headers, bytes)).toBe(true);
    expect(isTaken({}, headers, Buffer.from(bytes.toString('utf8')))).toBe(false);
  });

  it('one changed byte of the body is refused', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (body, at, mask) => {
          const headers = { 'X-Signature': createHmac('sha256', SECRET).update(body).digest('hex') };
          const changed = Buffer.from(body);
          changed[at % body.length] = (changed[at % body.length] as number) ^ mask;
          expect([isTaken({}, headers, body), isTaken({}, headers, changed)]).toEqual([true, false]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('does not start with an empty secret', () => {
    expect(() => hmac({ purpose: 'event', style: 'plain', secrets: [SECRET, ''], now })).toThrow(SecretError);
  });
});

describe('HubSpot version 3', () => {
  const secret = 'yyyyyyyy-yyyy-yyyy-yyyy-yyyyyyyyyyyy';
  const body = '{"example_field":"example_value"}';
  const uri = 'https://www.example.com/webhook_uri';
  const signed = (at: string, address = uri) => ({
    'X-HubSpot-Request-Timestamp': at,
    // As HubSpot's own client does it: one text of all four.
    'X-HubSpot-Signature-v3': createHmac('sha256', secret)
      .update(`POST${address}${body}${at}`)
      .digest('base64'),
  });
  const taken = (headers: Record<string, string>, address = uri) =>
    isTaken({ style: 'hubspot', secrets: [secret] }, headers, body, address);
  const at = (ms: number) => String(now() + ms);

  it('takes method, address, body and time signed as one', () => {
    expect(taken(signed(at(0)))).toBe(true);
    expect(taken({ ...signed(at(0)), 'X-HubSpot-Request-Timestamp': at(1) })).toBe(false);
    expect(taken(signed(at(0)), 'http://www.example.com/webhook_uri')).toBe(false);
    expect(taken(signed(at(0)), `${uri}?`)).toBe(false);
  });

  it('FAULTS 30: a time older than five minutes, or as much ahead, is refused, and so is one that is no number', () => {
    expect([-300_001, -300_000, 300_000, 300_001].map((ms) => taken(signed(at(ms))))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect(['NaN', `${at(0)} junk`, '1e12', `${at(0)}.5`].map((time) => taken(signed(time)))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(taken({ 'X-HubSpot-Signature-v3': signed(at(0))['X-HubSpot-Signature-v3'] })).toBe(false);
  });

  it('decodes what its documentation lists, and nothing else', () => {
    expect(hubspotUri(`${uri}?a=%3A%2F%3F%40%21%24%27%28%29%2A%2C%3B&b=%3a%2f`)).toBe(
      `${uri}?a=:/?@!$'()*,;&b=:/`,
    );
    const others = `${uri}?c=%20%26%3D%25%2B%23%C3%A9%253A`;
    expect(hubspotUri(others)).toBe(others);
    expect(taken(signed(at(0), `${uri}?next=a:b`), `${uri}?next=a%3Ab`)).toBe(true);
  });
});
