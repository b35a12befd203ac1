// How an encrypted value stands in its column. A column may have both: values from before the encryption stay as they
// are until the job encrypts them.
import { toJson } from '../json/stored-json.ts';
import type { Sealed } from './cipher.ts';

/** Key of a JSON object that contains an encrypted value: the id of its key, a point, and Base64. */
const MARK = '$encrypted';
const MARKED = /^([a-z0-9_-]+)\.([A-Za-z0-9+/=]+)$/;

/** @param part name of a part of the value, if each part is encrypted by itself */
export type Seal = (plain: Uint8Array, part?: string) => Sealed;
export type Open = (sealed: Sealed, part?: string) => Buffer;

export interface Shape {
  /** @param value not null */
  encrypt(value: unknown, seal: Seal): unknown;
  /** Returns a value from before the encryption as it is. */
  decrypt(stored: unknown, open: Open): unknown;
  /**
   * SQL: the column has a value that is not encrypted with the key.
   * @param key SQL of the key's id
   */
  isOutdated(column: string, key: string): string;
  /** SQL type of the column. */
  readonly type: 'jsonb' | 'bytea';
}

/**
 * A JSON document as a whole.
 * @param keeps what stays readable, for statements that need it
 * @default nothing
 */
export function document(keeps: (document: never) => object = () => ({})): Shape {
  return {
    type: 'jsonb',
    encrypt: (value, seal) => ({ ...keeps(value as never), ...marked(value, seal) }),
    decrypt: (stored, open) => unmarked(stored, open),
    isOutdated: (column, key) => `(${column} is not null and ${hasOtherKey(column, key)})`,
  };
}

/** A JSON document of which one field is encrypted. */
export function field(name: string): Shape {
  return {
    type: 'jsonb',
    encrypt(value, seal) {
      const document = value as Readonly<Record<string, unknown>>;
      return document[name] == null ? document : { ...document, [name]: marked(document[name], seal) };
    },
    decrypt(stored, open) {
      const document = stored as Readonly<Record<string, unknown>>;
      return { ...document, [name]: unmarked(document[name], open) };
    },
    isOutdated: (column, key) =>
      `(coalesce(jsonb_typeof(${column} -> '${name}'), 'null') <> 'null' and ${hasOtherKey(`${column} -> '${name}'`, key)})`,
  };
}

/** A JSON object whose values are encrypted one by one, because statements merge such objects. */
export const values: Shape = {
  type: 'jsonb',
  encrypt: (value, seal) => mapped(value, (each, name) => marked(each, (plain) => seal(plain, name))),
  decrypt: (stored, open) => mapped(stored, (each, name) => unmarked(each, (sealed) => open(sealed, name))),
  isOutdated: (column, key) =>
    `exists (select 1 from jsonb_each(${column}) each where ${hasOtherKey('each.value', key)})`,
};

/** Before the length of the key's id and the id. No file and no packed page begins with these bytes. */
const BYTES_MARK = Buffer.from('\0sluice-encrypted\x01', 'latin1');

export const bytes: Shape = {
  type: 'bytea',
  encrypt(value, seal) {
    const sealed = seal(value as Uint8Array);
    return Buffer.concat([prefixOf(sealed.keyId), sealed.bytes]);
  },
  decrypt(stored, open) {
    const { buffer, byteOffset, byteLength } = stored as Uint8Array;
    const all = Buffer.from(buffer, byteOffset, byteLength);
    const idAt = BYTES_MARK.length + 1;
    if (all.length < idAt || !all.subarray(0, BYTES_MARK.length).equals(BYTES_MARK)) return all;
    const end = idAt + (all[BYTES_MARK.length] as number);
    return open({ keyId: all.toString('latin1', idAt, end), bytes: all.subarray(end) });
  },
  isOutdated: (column, key) =>
    `(substring(${column} from 1 for ${BYTES_MARK.length + 1} + length(${key})) <>
       '\\x${BYTES_MARK.toString('hex')}'::bytea || set_byte('\\x00'::bytea, 0, length(${key})) || convert_to(${key}, 'UTF8'))`,
};

function prefixOf(keyId: string): Buffer {
  return Buffer.concat([BYTES_MARK, Buffer.from([keyId.length]), Buffer.from(keyId, 'latin1')]);
}

function marked(value: unknown, seal: Seal): Record<typeof MARK, string> {
  const { keyId, bytes: sealed } = seal(Buffer.from(toJson(value)));
  return { [MARK]: `${keyId}.${Buffer.from(sealed).toString('base64')}` };
}

function unmarked(stored: unknown, open: Open): unknown {
  if (typeof stored !== 'object' || stored === null || !(MARK in stored)) return stored;
  const [, keyId, text] = MARKED.exec(String(stored[MARK])) ?? [];
  if (keyId === undefined || text === undefined) return stored;
  return JSON.parse(open({ keyId, bytes: Buffer.from(text, 'base64') }).toString());
}

function mapped(document: unknown, change: (value: unknown, name: string) => unknown) {
  return Object.fromEntries(
    Object.entries(document as Readonly<Record<string, unknown>>).map(([name, value]) => [
      name,
      change(value, name),
    ]),
  );
}

const hasOtherKey = (json: string, key: string) =>
  `coalesce(split_part((${json}) ->> '${MARK}', '.', 1), '') <> ${key}`;
