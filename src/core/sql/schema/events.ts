// Incoming events, what is remembered of them, and what the ingress refused.

export const EVENT_TABLES = `
  -- run_id refers to no run: only runs of syncs are deleted, and no event refers to one. Without an index on run_id, the
  -- reference would read all events for each deleted run.
  create table events (
    seq bigint generated always as identity primary key,
    id text not null unique,
    account text not null,
    route text not null,
    run_id text not null,
    action text not null,
    subject text not null,
    rank double precision,
    request jsonb,
    warnings jsonb not null default '[]',
    state text not null default 'received',
    workflow text,
    progress jsonb not null default '{}',
    attempts int not null default 0,
    record_id bigint,
    block_code text,
    block_reason text,
    outcome text,
    step text,
    code text,
    reason text,
    -- W3C Trace Context of the span that accepted the event, or of its sender. The work on the event continues it.
    traceparent text,
    tracestate text,
    received_at timestamptz not null default now(),
    accepted_at timestamptz,
    ended_at timestamptz,
    -- The corrected event that takes the place of a failed one, and when somebody began to hand it in.
    replaced_by text,
    replaced_at timestamptz
  );
  create index events_open on events (account, subject, seq) where state = 'accepted';
  create index events_ended on events (ended_at) where state = 'ended';
  create index events_received on events (received_at) where state = 'received';
  create index events_subject on events (account, subject, seq);
  create index events_route on events (route, seq);
  create index events_code on events (code, seq) where code is not null;
  create index events_block on events (block_code, seq) where block_code is not null;
  create index events_blocked on events (account, route) where state = 'accepted' and block_code is not null;
  create index events_wrong on events (outcome, ended_at) where state = 'ended' and outcome in ('failed', 'unknown');

  -- The newest finished event of a subject, for routes that order their events.
  create table event_ranks (
    account text not null,
    route text not null,
    subject text not null,
    rank double precision not null,
    at timestamptz not null default now(),
    primary key (account, route, subject)
  );
  create index event_ranks_at on event_ranks (at);

  -- Refused deliveries per hour. Few routes and codes: it stays small.
  create table refusal_hours (
    hour timestamptz not null,
    -- http, kafka
    via text not null,
    -- '-': no route has the path.
    route text not null,
    code text not null,
    -- Null: of Kafka.
    status smallint,
    count int not null,
    last_at timestamptz not null,
    primary key (hour, via, route, code)
  );

  -- The newest refusals, without content: why each was refused, and which fields were wrong.
  create table refusals (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    via text not null,
    route text not null,
    code text not null,
    status smallint,
    reason text not null
  );

  -- Refused requests of authenticated senders, with their content.
  create table refused_requests (
    -- The same for the same body of a route.
    id text primary key,
    seq bigint generated always as identity,
    account text not null,
    route text not null,
    code text not null,
    reason text not null,
    count int not null default 1,
    -- Length of the body.
    bytes int not null,
    -- Headers, signature and body. Encrypted when the ledger has a key.
    content bytea not null,
    first_at timestamptz not null default now(),
    last_at timestamptz not null default now(),
    -- Somebody replays it until then.
    claimed_until timestamptz,
    -- replayed, discarded. Null: nobody has dealt with it.
    settled_how text,
    settled_by text,
    settled_reason text,
    settled_at timestamptz
  );
  create index refused_requests_route on refused_requests (route, seq);
  create index refused_requests_account on refused_requests (account, seq);
  create index refused_requests_seq on refused_requests (seq);
  create index refused_requests_last on refused_requests (last_at);
`;
