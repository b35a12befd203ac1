import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { SecretError } from '../../../../../../../src/jobs/events/ingress/http/auth/claim.ts';
import { standardWebhooks } from '../../../../../../../src/jobs/events/ingress/http/auth/standard-webhooks.ts';
import { claim } from './claim.ts';

// The specification's own example.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const TIMESTAMP = '1614265330';
const BODY = Buffer.from('{"test": 2432232314}');
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const OTHER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const HEADERS = { 'webhook-id': ID, 'webhook-timestamp': TIMESTAMP, 'webhook-signature': SIGNATURE };

interface Asked {
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array;
  readonly secrets?: readonly string[];
  /** Seconds by which this machine's clock is ahead of the signature. */
  readonly ahead?: number;
}

function isTaken({ headers = {}, body = BODY, secrets = [SECRET], ahead = 0 }: Asked): boolean {
  const now = () => (Number(TIMESTAMP) + ahead) * 1000;
  const { plausible, proves } = standardWebhooks({ purpose: 'event', secrets, toleranceMs: 300_000, now });
  const asked = claim({ ...HEADERS, ...headers });
  return plausible(asked) && proves(asked, body);
}

describe('Standard Webhooks', () => {
  it('takes the example of the specification, by a secret with and without its prefix', () => {
    expect(isTaken({})).toBe(true);
    expect(isTaken({ secrets: [SECRET.slice('whsec_'.length)] })).toBe(true);
  });

  it('takes what the reference package signs, whatever is in the body', () => {
    const now = Date.now();
    const { plausible, proves } = standardWebhooks({
      purpose: 'event',
      secrets: [SECRET],
      toleranceMs: 300_000,
      now: () => now,
    });
    const character = fc
      .integer({ min: 0, max: 0x10_ffff })
      .map((code) => String.fromCodePoint(code >= 0xd8_00 && code <= 0xdf_ff ? 0x20 : code));
    fc.assert(
      fc.property(fc.string({ unit: character }), fc.uuid(), (payload, id) => {
        const at = new Date(now);
        const signed = claim({
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now / 1000)),
          'webhook-signature': new Webhook(SECRET).sign(id, at, payload),
        });
        expect(plausible(signed) && proves(signed, Buffer.from(payload))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  it.each([
    ['the signature among others', `v1,bm9uZQ== v1a,bm9uZQ== ${SIGNATURE}`],
    ['the signature behind empty ones', `v1, v1,, ${SIGNATURE}`],
  ])('takes %s', (_name, signature) => {
    expect(isTaken({ headers: { 'webhook-signature': signature } })).toBe(true);
  });

  it.each<[string, Asked]>([
    ['no signature', { headers: { 'webhook-signature': '' } }],
    ['another version alone', { headers: { 'webhook-signature': SIGNATURE.replace('v1,', 'v1a,') } }],
    ['a version in capitals', { headers: { 'webhook-signature': SIGNATURE.replace('v1', 'V1') } }],
    ['a signature without version', { headers: { 'webhook-signature': SIGNATURE.slice(3) } }],
    [
      'a signature with other spare bits',
      { headers: { 'webhook-signature': SIGNATURE.replace('OE=', 'OF=') } },
    ],
    [
      'a signature in the 21st place',
      { headers: { 'webhook-signature': `${'v1,a '.repeat(20)}${SIGNATURE}` } },
    ],
    ['another id', { headers: { 'webhook-id': `${ID}x` } }],
    ['another secret', { secrets: [OTHER] }],
    ['no secret', { secrets: [] }],
    ['another body', { body: Buffer.from('{"test": 2432232315}') }],
    ['an empty body', { body: new Uint8Array() }],
  ])('refuses %s', (_name, asked) => {
    expect(isTaken(asked)).toBe(false);
  });

  it('FAULTS 30: a time that is off by more than the tolerance, either way, is refused', () => {
    expect([-301, -300, 300, 301].map((ahead) => isTaken({ ahead }))).toEqual([false, true, true, false]);
  });

  it.each([
    'NaN',
    'Infinity',
    '',
    `${TIMESTAMP} junk`,
    `${TIMESTAMP}junk`,
    ` ${TIMESTAMP}`,
    `${TIMESTAMP}.0`,
    `+${TIMESTAMP}`,
    `-${TIMESTAMP}`,
    '0x60378fb2',
    '1.61426533e9',
    '１６１４２６５３３０',
    `${TIMESTAMP}000`,
    '9'.repeat(400),
  ])('FAULTS 30: the time "%s" is refused, even when it is signed', (timestamp) => {
    const now = () => Number(TIMESTAMP) * 1000;
    const { plausible } = standardWebhooks({
      purpose: 'event',
      secrets: [SECRET],
      toleranceMs: 300_000,
      now,
    });
    expect(plausible(claim({ ...HEADERS, 'webhook-timestamp': timestamp }))).toBe(false);
  });

  it('FAULTS 31: while one secret replaces another both are taken, and a third is not', () => {
    const sign = (secret: string) =>
      new Webhook(secret).sign(ID, new Date(Number(TIMESTAMP) * 1000), BODY.toString());
    const third = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const taken = (secret: string) =>
      isTaken({ secrets: [OTHER, SECRET], headers: { 'webhook-signature': sign(secret) } });
    expect([SECRET, OTHER, third].map(taken)).toEqual([true, true, false]);
    expect(
      isTaken({ secrets: [OTHER], headers: { 'webhook-signature': `${sign(SECRET)} ${sign(OTHER)}` } }),
    ).toBe(true);
  });

  it('one flipped bit, in body, id, time or signature, is refused', () => {
    const flip = (bytes: Uint8Array, bit: number): Buffer => {
      const copy = Buffer.from(bytes);
      const at = Math.floor(bit / 8) % copy.length;
      copy[at] = (copy[at] as number) ^ (1 << (bit % 8));
      return copy;
    };
    fc.assert(
      fc.property(fc.nat(10_000), fc.constantFrom('body', ...Object.keys(HEADERS)), (bit, part) => {
        if (part === 'body') return !isTaken({ body: flip(BODY, bit) });
        const value = HEADERS[part as keyof typeof HEADERS];
        return !isTaken({ headers: { [part]: flip(Buffer.from(value, 'latin1'), bit).toString('latin1') } });
      }),
      { numRuns: 300 },
    );
  });

  it.each(['', 'whsec_', 'not base64!', 'whsec_a', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw=x'])(
    'does not start with the secret "%s", and does not say it',
    (secret) => {
      const open = () =>
        standardWebhooks({ purpose: 'event', secrets: [SECRET, secret], toleranceMs: 1, now: Date.now });
      expect(open).toThrow(SecretError);
      expect(open).toThrow(/^secret 2 is not base64/);
      if (secret.length > 6) expect(open).not.toThrow(secret);
    },
  );
});
