// Version 47: who the members of a campaign are whose number cannot be read, so that a search finds them. They are no
// person, because they have no key.

/** As the source has them. Null: unknown, or the member is a person. */
const COLUMNS = `
  alter table campaign_members
    add column row_name text,
    add column row_email text,
    -- The number as it was written.
    add column row_number text`;

export const EXCLUDED_IDENTITIES: readonly string[] = [
  COLUMNS,
  // Without fast updates, as people_words.
  `create index campaign_members_words on campaign_members using gin (array_to_tsvector(sluice_words(row_name)))
     with (fastupdate = off) where row_name is not null`,
  'create index campaign_members_email on campaign_members (lower(row_email) text_pattern_ops) where row_email is not null',
  'create index campaign_members_digits on campaign_members (sluice_digits(row_number)) where row_number is not null',
  'create index campaign_members_tail on campaign_members (sluice_tail(row_number)) where row_number is not null',
];
