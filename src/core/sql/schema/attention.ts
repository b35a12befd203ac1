// What needs a person: which workers are alive, what somebody has looked at, and what notices remember.

export const ATTENTION_TABLES = `
  -- Worker processes. One that has not been seen for 30 s is lost.
  create table worker_processes (
    id uuid primary key,
    host text not null,
    pid int not null,
    version text not null,
    started_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    -- Null: it has not said that it ends.
    stopped_at timestamptz
  );

  -- Failures that somebody has looked at. Newer ones of the same subject show again.
  create table reviewed_needs (
    kind text not null,
    -- A run, or the name of a route.
    subject text not null,
    -- Failures up to here were looked at.
    until timestamptz not null,
    primary key (kind, subject)
  );

  -- The process that sends notices. Its one row is a lease.
  create table notice_sender (
    singleton boolean primary key default true check (singleton),
    claimed_by text not null,
    claimed_until timestamptz not null
  );

  -- Which channel of notices fails.
  create table notice_channels (
    channel text primary key,
    -- Failed attempts since the last success.
    failures int not null default 0,
    failing_since timestamptz,
    -- Nothing is sent before.
    retry_at timestamptz,
    code text,
    reason text,
    sent_at timestamptz
  );

  -- Needs that each channel was notified of: they stand, or their end is not notified yet.
  create table notice_needs (
    channel text not null,
    key text not null,
    kind text not null,
    severity text not null,
    account text,
    name text not null,
    run text,
    code text,
    count int not null,
    path text not null,
    first_seen_at timestamptz not null,
    gone_at timestamptz,
    -- Before a notice of its begin goes out, so that its end is notified even if nobody could write down the begin.
    attempted_at timestamptz,
    notified_at timestamptz,
    primary key (channel, key)
  );
`;
