import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact, redactText } from '../../../src/core/redaction.ts';
import { propertyRuns } from '../../support/runner/property-runs.ts';

describe('texts lose what is secret or personal', () => {
  it.each([
    ['token svc_live_abc-DEF_123 refused', 'token [token] refused'],
    ['Authorization: Bearer abc.def.ghi', 'Authorization: Bearer [token]'],
    ['postgres://sluice:hunter2@db:5432/x', 'postgres://[token]@db:5432/x'],
    ['no contact 5511987654321', 'no contact [phone]'],
    ['+55 (11) 98765-4321 called', '[phone] called'],
    ['11.98765.4321', '[phone]'],
    ['lead-5511987654321-x', 'lead-[phone]-x'],
    ['contact_5511987654321', 'contact_[phone]'],
    ['5511987654321@s.whatsapp.net', '[email]'],
    ['mail bia.souza+x@acme.com.br now', 'mail [email] now'],
    ['joão@açaí.com', '[email]'],
    ['<bia@acme.com>,rui@acme.com', '<[email]>,[email]'],
  ])('%s', (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });
});

describe('texts keep what operators need', () => {
  it.each([
    'run 7f0d7a52-4b0c-4a57-9a0a-123456789012 started',
    'at 2026-11-20T10:00:00.000Z',
    'on 2026-11-20, 10:00',
    'hash 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'sha256 70123456884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'listening on 127.0.0.1:54321 and 192.168.100.200',
    'read 1234567 rows in 12.5 s',
    'at load (node_modules/@temporalio/worker/lib/worker.js:123:45)',
    'zod@4.6.7',
    'HTTP 429, retry in 31 s',
  ])('%s', (text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe('fields', () => {
  it('keep ids, times, durations and counts, and lose numbers that could be phones', () => {
    const at = new Date('2026-11-20T10:00:00Z');
    expect(
      redact({ contactId: 123456789, startedAt: 1763632800000, durationMs: 12345678, done: 99999999, at }),
    ).toEqual({
      contactId: 123456789,
      startedAt: 1763632800000,
      durationMs: 12345678,
      done: 99999999,
      at: at.toISOString(),
    });
    expect(redact({ value: 5511987654321, list: [5511987654321n], small: 1234567 })).toEqual({
      value: '[phone]',
      list: ['[phone]'],
      small: 1234567,
    });
  });

  it('are hidden whole where the name says secret or personal', () => {
    expect(
      redact({
        token: 'x',
        headers: { Authorization: 'x', 'x-service-token': 'x', cookie: 'x' },
        contact: { name: 'Bia' },
        contactName: 'Bia',
        document: '1',
        number: 1,
        tokens: 3,
        tokenHash: 'ab12',
      }),
    ).toEqual({
      token: '[redacted]',
      headers: { Authorization: '[redacted]', 'x-service-token': '[redacted]', cookie: '[redacted]' },
      contact: '[redacted]',
      contactName: '[redacted]',
      document: '[redacted]',
      number: '[redacted]',
      tokens: 3,
      tokenHash: 'ab12',
    });
  });

  it('may be cyclic, deep, huge, throwing or binary without harm', () => {
    const cyclic: Record<string, unknown> = { name: 'a' };
    cyclic.self = cyclic;
    let deep: unknown = 'bottom';
    for (let i = 0; i < 10_000; i++) deep = { deep };
    const throwing = Object.defineProperty({}, 'x', {
      enumerable: true,
      get() {
        throw new Error('no');
      },
    });
    expect(redact(cyclic)).toEqual({ name: 'a', self: '[circular]' });
    expect(JSON.stringify(redact(deep))).toContain('[too deep]');
    expect((redact(Array.from({ length: 1000 })) as unknown[]).at(-1)).toBe('[800 more]');
    expect(redact(throwing)).toEqual({ x: '[unreadable: no]' });
    expect(redact(Buffer.from('5511987654321'))).toBe('[13 bytes]');
    expect(redact(new Map([['bia@acme.com', new Set(['x'])]]))).toEqual({ '[email]': ['x'] });
  });
});

describe('no canary comes out', () => {
  const canaries = [
    '5511987654321',
    '+55 (11) 98765-4321',
    'svc_live_CANARYcanary0',
    'canary.person@example.com',
  ];
  const digits = (text: string) => text.replace(/\D/g, '');
  const leaks = (out: string, canary: string) =>
    out.includes(canary) || (/^\+?\d/.test(canary) && digits(out).includes(digits(canary)));

  // Text around the canary must not itself be able to hold it, nor add digits to it.
  const around = fc.string({ unit: fc.constantFrom(...'abcXYZ äß"\\/<>{}[]():;,.!?=&%#_-\n\t') });
  const planted = (canary: string) =>
    fc.tuple(around, around).map(([before, after]) => before + canary + after);
  const anything = (canary: string): fc.Arbitrary<unknown> =>
    fc.letrec((tie) => ({
      leaf: fc.oneof(
        planted(canary),
        planted(canary).map((text) => new Error(text)),
        planted(canary).map((text) => new Error('outer', { cause: new Error(text) })),
        planted(canary).map((text) => Object.assign(new Error('x'), { detail: { text } })),
        planted(canary).map((text) => new AggregateError([new Error(text)], text)),
        planted(canary).map((text) => ({ [text]: 1 })),
      ),
      node: fc.oneof(
        { maxDepth: 5 },
        tie('leaf'),
        fc.array(tie('node'), { minLength: 1, maxLength: 3 }),
        fc.dictionary(fc.constantFrom('id', 'name', 'err', 'msg', 'time', 'contactId', 'x'), tie('node'), {
          minKeys: 1,
        }),
        tie('node').map((node) => new Map([['k', node]])),
      ),
    })).node;

  it.each(canaries)('of %s', (canary) => {
    fc.assert(
      fc.property(anything(canary), (value) => {
        expect(leaks(JSON.stringify(redact(value)), canary)).toBe(false);
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

it.each([
  ['letters', 'a'.repeat(200_000)],
  ['single digits', '1 '.repeat(100_000)],
  ['half e-mails', 'a@'.repeat(50_000)],
  ['schemes', 'Bearer '.repeat(30_000)],
  ['URLs', '://'.repeat(50_000)],
  ['hashes cut short', '0'.repeat(31).concat('a ').repeat(3000)],
])('ends on a long text made to be slow: %s', (_name, text) => {
  expect(redactText(`${text} bia@acme.com`)).not.toContain('bia');
});
