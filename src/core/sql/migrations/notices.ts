// What notices to people remember: who sends, which needs each channel was notified of, and which channel fails.

export const NOTICE_TABLES = `
  -- The process that sends. Its one row is a lease.
  create table notice_sender (
    singleton boolean primary key default true check (singleton),
    claimed_by text not null,
    claimed_until timestamptz not null
  );

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

  -- Needs that stand, or that ended and whose end is not notified yet.
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
