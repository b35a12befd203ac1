// What a run reports about the rows of its source that did not become records, or only in part.

export const ROW_TABLES = `
  -- Refused values of rows.
  create table row_problems (
    run_id text not null references runs on delete cascade,
    row_no int not null,
    kind text not null,
    field text not null,
    -- Column or path in the source.
    source_column text,
    code text not null,
    reason text not null,
    -- Personal data.
    value text,
    -- The row that the row contradicts, and its value, which is personal data.
    other_row int,
    other_value text,
    primary key (run_id, row_no, field, code)
  );
  create index row_problems_tail on row_problems (sluice_tail(value)) where field = 'contact.number';

  -- Who the rows are about that have no record of their own, because they were rejected or merged: a search finds them.
  -- The primary key has no kind: a merged row may be rejected later, when a further row contradicts it.
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
  );
  -- Without fast updates, as people_words.
  create index row_identities_words on row_identities using gin (array_to_tsvector(sluice_words(name)))
    with (fastupdate = off) where name is not null;
  create index row_identities_email on row_identities (lower(email) text_pattern_ops) where email is not null;
  create index row_identities_digits on row_identities (sluice_digits(number)) where number is not null;
  create index row_identities_tail on row_identities (sluice_tail(number)) where number is not null;

  -- Rows whose person another row already represents. into_row is null when that is a record of the previous run.
  create table merged_rows (
    run_id text not null references runs on delete cascade,
    row_no int not null,
    key text not null,
    into_row int,
    primary key (run_id, row_no)
  );
  create index merged_rows_key on merged_rows (run_id, key);

  create table run_warnings (
    run_id text not null references runs on delete cascade,
    step text not null,
    subject text not null,
    code text not null,
    reason text not null,
    at timestamptz not null default now(),
    primary key (run_id, step, subject, code)
  );

  -- Which rows of a run ask for tags that the account lacks.
  create table missing_tags (
    run_id text not null references runs on delete cascade,
    tag text not null,
    -- The record's first row in the source.
    row_no int not null,
    primary key (run_id, tag, row_no)
  );
  create index missing_tags_row on missing_tags (run_id, row_no);
`;
