// People who opted out of campaigns, and the pseudonyms that stand for those who were erased.

/**
 * HMAC-SHA256 (RFC 2104) needs the key twice, each time combined with a constant of 64 bytes. PostgreSQL has no HMAC
 * without an extension, so the ledger stores both results. A hash without a key could be reversed by trying every phone
 * number.
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

/**
 * Takes the place of a key that was erased where a fact must outlive the person: opt-outs. Sluice recognizes the
 * person again by it, but cannot read the number from it.
 */
const PSEUDONYM = `
  create function sluice_pseudonym(account text, key text) returns text stable parallel safe language sql as $$
    select 'erased:' || encode(sha256(k.outer_pad || sha256(k.inner_pad || sha256(convert_to(account || '/' || key, 'UTF8')))), 'hex')
      from ledger_keys k where k.name = 'pseudonym'
  $$`;

/** A registry: where each comes from, what shows it, who recorded it, and whether it was withdrawn. */
const OPT_OUTS = `
  create table opt_outs (
    id bigint generated always as identity,
    account text not null,
    -- As people.key, or a pseudonym.
    key text not null,
    -- For example a keyword that they wrote, or a tag on the contact.
    via text not null,
    at timestamptz not null,
    -- What shows it, for example the person's own words. Encrypted if the ledger has keys. Null: nothing, or erased.
    evidence jsonb,
    -- Identity of the operator. Null: Sluice itself.
    recorded_by text,
    recorded_at timestamptz default now(),
    -- The last withdrawal. The opt-out is in effect if it is later than this.
    withdrawn_at timestamptz,
    withdrawn_by text,
    withdrawn_reason text,
    primary key (account, key)
  )`;

export const OPT_OUT_TABLES: readonly string[] = [
  KEYS,
  FRESH_KEY,
  PSEUDONYM,
  OPT_OUTS,
  'create index opt_outs_id on opt_outs (id)',
];
