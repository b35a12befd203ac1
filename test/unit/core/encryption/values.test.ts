// Any value of any shape comes back as it was; nothing else is accepted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DamagedValueError, UnknownLedgerKeyError } from '../../../../src/core/encryption/cipher.ts';
import type { EncryptedColumn } from '../../../../src/core/encryption/columns.ts';
import { bytes, document, field, type Shape, values } from '../../../../src/core/encryption/shapes.ts';
import { decryptValue, encryptValue } from '../../../../src/core/encryption/values.ts';
import { toJson } from '../../../../src/core/json/stored-json.ts';
import { cipherOf } from './keys.ts';

const columnOf = (shape: Shape): EncryptedColumn => ({
  table: 'things',
  column: 'content',
  shape,
  row: ['account', 'id'],
  key: ['id'],
});
const SHAPES = {
  document: [columnOf(document()), fc.jsonValue().filter((value) => value !== null)],
  field: [columnOf(field('text')), fc.record({ text: fc.option(fc.string()), more: fc.jsonValue() })],
  values: [columnOf(values), fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue())],
  bytes: [columnOf(bytes), fc.uint8Array().map((each) => Buffer.from(each))],
} as const satisfies Record<string, readonly [EncryptedColumn, fc.Arbitrary<unknown>]>;
const ALL = Object.entries(SHAPES) as [string, readonly [EncryptedColumn, fc.Arbitrary<unknown>]][];

const OLD = { cipher: cipherOf('old') };
const NEW = { cipher: cipherOf('new') };
const BOTH = { cipher: cipherOf('new', 'old') };
const ROW = ['acme', 7] as const;
/** As the database returns it. */
const stored = (value: unknown) => (Buffer.isBuffer(value) ? value : JSON.parse(toJson(value)));

describe.each(ALL)('a value of the shape %s', (_, [column, arbitrary]) => {
  it('comes back as it was, with the same key and with a newer one first', () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        const encrypted = stored(encryptValue(OLD, column, ROW, value));
        for (const keys of [OLD, BOTH])
          expect(decryptValue(keys, column, ROW, encrypted)).toEqual(stored(value));
      }),
    );
  });

  it('is read as it is if it is from before the encryption', () => {
    fc.assert(
      fc.property(arbitrary, (value) => {
        expect(decryptValue(NEW, column, ROW, stored(value))).toEqual(stored(value));
      }),
    );
  });
});

describe('an encrypted value', () => {
  const secret = Buffer.from('what nobody else reads');
  const [column] = SHAPES.bytes;
  const encrypted = () => Buffer.from(encryptValue(NEW, column, ROW, secret) as Uint8Array);
  const read = (value: Buffer, of = column, row: readonly (string | number)[] = ROW) =>
    decryptValue(NEW, of, row, value);

  it('is refused when any bit of it was changed', () => {
    const value = encrypted();
    const prefix = value.indexOf('new') + 3;
    fc.assert(
      fc.property(fc.nat(8 * (value.length - prefix) - 1), (bit) => {
        const changed = Buffer.from(value);
        changed[prefix + (bit >> 3)] = (changed[prefix + (bit >> 3)] as number) ^ (1 << (bit & 7));
        expect(() => read(changed)).toThrow(DamagedValueError);
      }),
    );
  });

  it('is refused when it was cut', () => {
    const value = encrypted();
    const prefix = value.indexOf('new') + 3;
    for (let length = prefix; length < value.length; length++)
      expect(() => read(value.subarray(0, length))).toThrow(DamagedValueError);
  });

  it.each([
    ['in another row', column, ['acme', 8]],
    ['in a row whose parts join to the same text', column, ['acm', 'e7']],
    ['in another column', { ...column, column: 'other' }, ROW],
    ['in another table', { ...column, table: 'others' }, ROW],
  ])('is refused %s', (_, of, row) => {
    expect(() => read(encrypted(), of, row)).toThrow(DamagedValueError);
  });

  it('is refused under the id of another key', () => {
    const renamed = encrypted();
    renamed.write('old', renamed.indexOf('new'));
    expect(() => decryptValue(BOTH, column, ROW, renamed)).toThrow(DamagedValueError);
    expect(() => decryptValue(NEW, column, ROW, renamed)).toThrow(UnknownLedgerKeyError);
  });

  it('differs each time, also for the same content', () => {
    expect(encrypted().equals(encrypted())).toBe(false);
  });
});

it('a variable with the form of an encrypted value stays what it is once it is encrypted', () => {
  const [column] = SHAPES.values;
  const value = { name: { $encrypted: 'new.AAAA' } };
  const encrypted = stored(encryptValue(NEW, column, ROW, value));
  expect(decryptValue(NEW, column, ROW, encrypted)).toEqual(value);
});
