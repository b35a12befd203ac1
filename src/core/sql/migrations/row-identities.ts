// Who the rows are about that have no record of their own, because they were rejected or merged: a search finds them.

/** The primary key has no kind: a merged row may be rejected later, when a further row contradicts it. */
const TABLE = `
  create table row_identities (
    run_id text not null references runs on delete cascade,
    row_no int not null,
    account text not null,
    -- As the row has them, as far as they could be read. Null: unknown.
    name text,
    email text,
    -- The number as it was written, or in international form if it could be read.
    number text,
    primary key (run_id, row_no)
  )`;

/** The digits of a number, however it was written. */
const DIGITS = `
  create function sluice_digits(value text) returns text immutable parallel safe language sql as $$
    select nullif(regexp_replace(value, '[^0-9]', '', 'g'), '')
  $$`;

/** Numbers that could not be read are known from before. Names and addresses of those rows are not. */
const BACKFILL = `
  insert into row_identities (run_id, row_no, account, number)
  select p.run_id, p.row_no, r.account, min(p.value)
    from row_problems p join runs r on r.id = p.run_id
   where p.field = 'contact.number' and p.kind = 'reject' and p.value is not null
   group by p.run_id, p.row_no, r.account`;

export const ROW_IDENTITIES: readonly string[] = [
  TABLE,
  DIGITS,
  BACKFILL,
  // Without fast updates, as people_words.
  `create index row_identities_words on row_identities using gin (array_to_tsvector(sluice_words(name)))
     with (fastupdate = off) where name is not null`,
  'create index row_identities_email on row_identities (lower(email) text_pattern_ops) where email is not null',
  'create index row_identities_digits on row_identities (sluice_digits(number)) where number is not null',
  'create index row_identities_tail on row_identities (sluice_tail(number)) where number is not null',
];
