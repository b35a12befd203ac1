// Migration of campaigns: batches lease members, and one statement takes a trigger.

export const CAMPAIGN_BATCH_TABLES = `
  alter table campaign_members
    -- The batch that has the member in hand; null: nobody has.
    add column holder text,
    -- Not due before, by the workers' clock: the end of the lease, or of a wait after a failure. Null: due.
    add column due_at timestamptz,
    -- Failures in a row that pass by themselves.
    add column attempts int not null default 0;

  alter table campaigns
    -- The member whose trigger was accepted, and has to be verified before anybody else is triggered.
    add column unverified bigint;

  -- How often a person was about to be reached. Two campaigns that want one person at once: the first one counts up, and the
  -- other one finds another number than the one that its checks went by.
  create table campaign_reached (
    account text not null,
    key text not null,
    times int not null,
    primary key (account, key)
  );
`;

// Another migration: members that fail come after those that do not, and end when they are the only ones that fail.
export const CAMPAIGN_FAILURE_TABLES = `
  alter table campaign_members
    drop column errors,
    -- When the first of its failures in a row was, by the workers' clock.
    add column failing_since timestamptz;

  drop index campaign_members_next;
  create index campaign_members_next on campaign_members (run_id, wave, state, attempts, id);
`;
