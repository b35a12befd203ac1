// Campaigns and the people that they reach. All times are by the workers' clock (Deps.clock), except sent_at, whose age
// is measured by the database's own, and due_at.

export const CAMPAIGN_TABLES = `
  create table campaigns (
    run_id text primary key references runs on delete cascade,
    account text not null,
    campaign text not null,
    -- Hash of the CampaignSpec. When it changes, the plan is void.
    digest text not null,
    state text not null default 'planning',
    -- Start of the periods before the plan.
    as_of timestamptz not null,
    planned_by text not null,
    -- When the audience was frozen.
    planned_at timestamptz,
    approved_by text,
    approved_at timestamptz,
    started_by text,
    started_at timestamptz,
    ended_at timestamptz,
    -- {by, reason}. While it is set, nothing is triggered.
    paused jsonb,
    -- Why it waits although nobody paused it: {code, reason}.
    blocked jsonb,
    -- The refusal that paused it, and the assumptions at the time: {code, assumed}.
    suspect jsonb,
    -- The member whose accepted trigger must be verified before anybody else is triggered.
    unverified bigint,
    -- What confirmed that the first trigger had its effect: {how, reason, member}.
    verified jsonb,
    -- Triggers per minute, if an operator has changed the configured value. 0 means no separate limit.
    pace int,
    -- How far each part of the audience has been read.
    parts jsonb not null default '{}',
    plan jsonb,
    reason text,
    -- Results are recorded up to here, by the database's clock. Null means none yet.
    stamped_at timestamptz,
    -- The results (CampaignReport), once its members are deleted.
    report jsonb,
    -- The end of the run after which the variables of its members were deleted.
    stripped_at timestamptz
  );
  create index campaigns_name on campaigns (account, campaign, run_id);

  -- Batches lease members, and one statement takes a trigger. Members that fail come after those that do not, and end
  -- when they are the only ones that fail.
  create table campaign_members (
    id bigint generated always as identity primary key,
    run_id text not null references campaigns on delete cascade,
    -- The person: number with the Brazilian ninth digit. Null when the number cannot be read.
    key text,
    -- E.164 without plus, as the service or the source has it.
    number text,
    contact_id bigint,
    card_id bigint,
    -- When that card was created, and the part that brought it. Of several cards of one person and part, the newest
    -- counts.
    card_at timestamptz,
    card_part int,
    -- Part of the audience that brought it, from 0, and the row of a source.
    part int not null,
    row_no int,
    -- Ids of the contact's tags as it was listed.
    tag_ids bigint[],
    -- IANA zones, joined by a comma. The member's windows are open when they are open in all of them.
    zones text not null default '',
    variables jsonb,
    state text not null default 'found',
    code text,
    reason text,
    -- Random but fixed for one run. Waves take members in this order.
    place int,
    wave int,
    -- The batch that holds the member. Null when none does.
    holder text,
    -- Earliest due time by the clock of the ledger: the end of the lease, or of a wait after a failure. Null means due.
    due_at timestamptz,
    -- Earliest next try, after a person served the conversation when the member was next.
    not_before timestamptz,
    tries int not null default 0,
    -- Transient failures in a row, and when the first of them was, by the workers' clock.
    attempts int not null default 0,
    failing_since timestamptz,
    -- The service has no contact with the id that the member came with.
    contact_gone boolean not null default false,
    -- Tags were read just before the call, for campaigns that ask for it.
    rechecked_at timestamptz,
    -- The right to trigger: how often it was given, and when last.
    sends int not null default 0,
    sent_at timestamptz,
    triggered_at timestamptz,
    ended_at timestamptz,
    ticket_id bigint,
    -- Events that follow the trigger, and when the database saw their ends.
    events text[] not null default '{}',
    moved_at timestamptz,
    tagged_at timestamptz,
    -- As the poller saw it.
    replied_at timestamptz,
    delivered_at timestamptz,
    read_at timestamptz,
    opted_out_at timestamptz
  );
  create unique index campaign_members_key on campaign_members (run_id, key) where key is not null;
  create index campaign_members_next on campaign_members (run_id, wave, state, attempts, id);
  create index campaign_members_place on campaign_members (run_id, place) where state = 'waiting' and wave is null;
  create index campaign_members_row on campaign_members (run_id, part, row_no) where key is null;
  create index campaign_members_wrong on campaign_members (state, ended_at) where state in ('failed', 'unknown');
  -- Some of the member's events are unfinished or failed.
  create index campaign_members_after on campaign_members (run_id, id)
    where cardinality(events) > (moved_at is not null)::int + (tagged_at is not null)::int;

  -- While the audience is read: cards or contacts that a part has seen, and numbers to leave out.
  create table campaign_seen (
    run_id text not null references campaigns on delete cascade,
    part int not null,
    id bigint not null,
    primary key (run_id, part, id)
  );
  create table campaign_barred (
    run_id text not null references campaigns on delete cascade,
    key text not null,
    primary key (run_id, key)
  );

  create table campaign_waves (
    run_id text not null references campaigns on delete cascade,
    wave int not null,
    -- canary, wave, retry
    kind text not null,
    size int not null,
    started_at timestamptz not null,
    -- Every member of the wave has its outcome.
    ended_at timestamptz,
    judged_at timestamptz,
    -- Stop rules that the wave broke: [{code, reason}].
    broken jsonb not null default '[]',
    -- Members that moved on to a later wave, by their state here: {humanService, failed, unknown}. The wave's size is
    -- these plus the members that still name it.
    moved_on jsonb not null default '{}',
    primary key (run_id, wave)
  );

  -- Every trigger that went out, or may have. The frequency cap counts them. They outlive their run.
  create table campaign_touches (
    member_id bigint primary key,
    account text not null,
    key text not null,
    campaign text not null,
    run_id text not null,
    at timestamptz not null
  );
  create index campaign_touches_person on campaign_touches (account, key, at);
  create index campaign_touches_campaign on campaign_touches (account, campaign, key);

  -- How often a person was about to be reached. If two campaigns want one person at once, the first one increases the
  -- count, and the second one finds a different count than its checks used.
  create table campaign_reached (
    account text not null,
    key text not null,
    times int not null,
    primary key (account, key)
  );

  -- Commands on runs.
  create table campaign_audit (
    run_id text not null,
    id text not null,
    at timestamptz not null,
    by text not null,
    action text not null,
    reason text not null,
    details jsonb not null default '{}',
    members int not null default 0,
    seq bigint generated always as identity,
    primary key (run_id, id)
  );
  create index campaign_audit_at on campaign_audit (at);
`;
