// Which rows of a run ask for tags that the account lacks.
export const MISSING_TAGS = `
  create table missing_tags (
    run_id text not null references runs on delete cascade,
    tag text not null,
    -- The record's first row in the source.
    row_no int not null,
    primary key (run_id, tag, row_no)
  );
  create index missing_tags_row on missing_tags (run_id, row_no);
`;
