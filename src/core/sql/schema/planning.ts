// What a run needs while it is planned. It is deleted when the run ends.

export const PLANNING_TABLES = `
  -- Pages of the source: which people they brought, and the packed records of people with nothing to do.
  create table plan_pages (
    run_id text not null references runs on delete cascade,
    page int not null,
    keys bytea not null,
    places bytea not null,
    ends int[] not null,
    packed bytea not null,
    primary key (run_id, page)
  );
  alter table plan_pages alter column packed set storage external;

  -- Claims about a number's owner, when the first row does not contain all of them.
  create table plan_claims (
    run_id text not null references runs on delete cascade,
    key text not null,
    claims jsonb not null,
    -- The values that made Sluice refuse the number.
    against jsonb,
    primary key (run_id, key)
  );

  -- Contacts and cards of the account, as its lists showed them.
  create table snapshot_contacts (
    run_id text not null references runs on delete cascade,
    contact_id bigint not null,
    primary key (run_id, contact_id)
  );
  create table snapshot_cards (
    run_id text not null references runs on delete cascade,
    card_id bigint not null,
    contact_id bigint not null,
    stage_id bigint,
    is_open boolean not null,
    primary key (run_id, card_id)
  );
`;
