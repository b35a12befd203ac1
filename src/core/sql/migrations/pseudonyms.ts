// A keyed hash for what outlives an erased person. A hash without a key can be reversed by trying every phone number.

/**
 * HMAC-SHA256 (RFC 2104) needs the key twice, each time combined with a constant of 64 bytes. PostgreSQL has no HMAC
 * without an extension, so the ledger stores both results.
 */
const KEYS = `
  create table ledger_keys (
    name text primary key,
    inner_pad bytea not null,
    outer_pad bytea not null
  )`;

const padded = (constant: number) =>
  `(select string_agg(set_byte('\\x00'::bytea, 0, get_byte(block, i) # ${constant}), ''::bytea order by i)
      from generate_series(0, 63) i)`;

/** 244 random bits. PostgreSQL takes the bits of its UUIDs from the system's generator of keys. */
const FRESH_KEY = `
  with key as materialized (
    select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) || decode(repeat('00', 32), 'hex') as block)
  insert into ledger_keys (name, inner_pad, outer_pad) select 'pseudonym', ${padded(0x36)}, ${padded(0x5c)} from key`;

const hmac = (message: string) => `encode(sha256(k.outer_pad || sha256(k.inner_pad || ${message})), 'hex')`;

/** The message is the hash that pseudonyms were before: so the ones that exist can be converted. */
const PSEUDONYM = `
  create or replace function sluice_pseudonym(account text, key text) returns text stable parallel safe language sql as $$
    select 'erased:' || ${hmac(`sha256(convert_to(account || '/' || key, 'UTF8'))`)}
      from ledger_keys k where k.name = 'pseudonym'
  $$`;

const CONVERT = `
  update opt_outs set key = 'erased:' || ${hmac(`decode(substring(key from 8), 'hex')`)}
    from ledger_keys k where k.name = 'pseudonym' and key like 'erased:%'`;

export const KEYED_PSEUDONYMS: readonly string[] = [KEYS, FRESH_KEY, PSEUDONYM, CONVERT];
