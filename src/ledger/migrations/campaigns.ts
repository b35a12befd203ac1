// Migration 8: campaigns, the people whom they reach, and opt-outs. All times are by the workers' clock (Deps.clock),
// except sent_at, whose age is measured by the database's own.

export const CAMPAIGN_TABLES = `
  create table campaigns (
    run_id text primary key references runs on delete cascade,
    account text not null,
    campaign text not null,
    -- Hash of what it goes by (CampaignSpec): another one now, and the plan is void.
    digest text not null,
    state text not null default 'planning',
    -- What spans of time before the plan are counted from.
    as_of timestamptz not null,
    planned_by text not null,
    -- When the audience was frozen.
    planned_at timestamptz,
    approved_by text,
    approved_at timestamptz,
    started_by text,
    started_at timestamptz,
    ended_at timestamptz,
    -- {by, reason}: nothing is triggered.
    paused jsonb,
    -- Triggers a minute, where an operator has changed what the configuration says; 0: no limit of its own.
    pace int,
    -- How far each part of the audience has been read.
    parts jsonb not null default '{}',
    plan jsonb,
    reason text,
    -- Results are stamped up to here, by the database's clock; null: none yet.
    stamped_at timestamptz,
    -- What it came to (CampaignReport), once its members are forgotten.
    report jsonb,
    -- The end of the run after which the variables of its members were forgotten.
    stripped_at timestamptz
  );
  create index campaigns_name on campaigns (account, campaign, run_id);

  create table campaign_members (
    id bigint generated always as identity primary key,
    run_id text not null references campaigns on delete cascade,
    -- The person: number with the Brazilian ninth digit; null where the number can't be read.
    key text,
    -- As the service or the source has it: E.164 without plus.
    number text,
    contact_id bigint,
    card_id bigint,
    -- When that card was made, and the part that brought it: of several of one person and part the newest counts.
    card_at timestamptz,
    card_part int,
    -- Part of the audience that brought it, from 0, and the row of a source.
    part int not null,
    row_no int,
    -- Tags of the contact as it was listed: ids.
    tag_ids bigint[],
    -- IANA zones, joined by a comma: its windows are open when they are in all of these.
    zones text not null default '',
    variables jsonb,
    state text not null default 'found',
    code text,
    reason text,
    -- Random, and the same each time for one run: waves take members in its order.
    place int,
    wave int,
    -- Not before: a person served it when it was next.
    not_before timestamptz,
    tries int not null default 0,
    -- The service knew no contact of the id that it came with.
    contact_gone boolean not null default false,
    -- Internal errors of the service in a row, while its contact was checked.
    errors int not null default 0,
    -- Tags were read just before the call, for campaigns that ask for it.
    rechecked_at timestamptz,
    -- The right to trigger: how often it was given, and when last.
    sends int not null default 0,
    sent_at timestamptz,
    triggered_at timestamptz,
    ended_at timestamptz,
    ticket_id bigint,
    -- Events that follow the trigger, and when the database saw them done.
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
  create index campaign_members_next on campaign_members (run_id, wave, state, id);
  create index campaign_members_place on campaign_members (run_id, place) where state = 'waiting' and wave is null;
  create index campaign_members_row on campaign_members (run_id, part, row_no) where key is null;
  -- Some of their events are still to be done, or came to nothing.
  create index campaign_members_after on campaign_members (run_id, id)
    where cardinality(events) > (moved_at is not null)::int + (tagged_at is not null)::int;

  -- While the audience is read: cards or contacts that a part has come by, and numbers to leave out.
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
    -- Every member of it has its outcome.
    ended_at timestamptz,
    judged_at timestamptz,
    -- Stop rules that it broke: [{code, reason}].
    broken jsonb not null default '[]',
    -- Members that went on to a later wave, by what had come of them here: {humanService, failed, unknown}. Its size is these
    -- and those that still name it.
    moved_on jsonb not null default '{}',
    primary key (run_id, wave)
  );

  -- Every trigger that went out, or may have: what the frequency cap counts. Outlives its run.
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

  -- People who want no campaign any more: a word they wrote, or a tag that was seen on them.
  create table opt_outs (
    account text not null,
    key text not null,
    via text not null,
    at timestamptz not null,
    primary key (account, key)
  );

  -- When a reading of it last ended: results of campaigns are stamped from what was read since.
  alter table conversations add column read_at timestamptz not null default now();
  create index conversations_read on conversations (account, read_at);
`;
