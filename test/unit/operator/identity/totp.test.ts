// The codes of RFC 6238, appendix B, by our parameters: the last six digits of its eight, for SHA-1.
import { Secret } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { findCode, newSecret, totpUri } from '../../../../src/operator/identity/totp.ts';

const SECRET = Secret.fromLatin1('12345678901234567890').base32;
const STEP = 30;

const VECTORS: readonly [number, string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
];

describe('a code', () => {
  it.each(VECTORS)('of RFC 6238 at %d s is that of its time step', (at, code) => {
    expect(findCode(SECRET, code, at * 1000)).toEqual({ step: Math.floor(at / STEP), offset: 0 });
  });

  it.each<[string, number, number | null]>([
    ['in the first second of its step', -29, 0],
    ['in the last second of its step', 0, 0],
    ['one second after its step', 1, -1],
    ['one second before its step', -30, 1],
    ['two minutes late', 120, -4],
    ['two minutes early', -149, 4],
    ['later', 121, null],
    ['earlier', -150, null],
  ])('is found with its distance: %s', (_, seconds, offset) => {
    // The last second of its step.
    const [at, code] = VECTORS[1] as [number, string];
    expect(at % STEP).toBe(STEP - 1);
    expect(findCode(SECRET, code, (at + seconds) * 1000)?.offset ?? null).toBe(offset);
  });

  it.each([
    ['another', '287083'],
    ['none', ''],
    ['seven digits', '2870820'],
    ['five digits', '28708'],
    ['eight digits of the RFC', '94287082'],
    ['letters', 'abcdef'],
    ['digits of another script', '٢٨٧٠٨٢'],
    ['a sign', '+28708'],
  ])('is none: %s', (_, code) => {
    expect(findCode(SECRET, code, 59_000)).toBeNull();
  });
});

it('has a secret of 160 bits, never the same', () => {
  const secrets = Array.from({ length: 20 }, newSecret);
  expect(new Set(secrets).size).toBe(20);
  for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
});

it('tells an app what it needs, whatever the name', () => {
  const uri = new URL(totpUri(SECRET, 'ana&secret=x'));
  expect(uri.protocol).toBe('otpauth:');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'Sluice',
    secret: SECRET,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
  expect(decodeURIComponent(uri.pathname)).toContain('ana&secret=x');
});
