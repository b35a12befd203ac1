// Events that sinks still have to receive, and messages that Sluice sends.

export const OUTBOX_TABLES = `
  create table outbox (
    sink text not null,
    seq bigint generated always as identity,
    -- The order that is kept: account and conversation.
    stream text not null,
    account text not null,
    event_id text not null,
    type text not null,
    event jsonb not null,
    -- waiting, dead
    state text not null default 'waiting',
    attempts int not null default 0,
    -- Earliest next try, after a failed attempt, also for events behind it in the stream. Null means ready.
    next_at timestamptz,
    -- It failed because the sink as a whole had a problem. It stops waiting once that is over.
    sink_wide boolean not null default false,
    code text,
    reason text,
    created_at timestamptz not null default now(),
    tried_at timestamptz,
    primary key (sink, seq)
  );
  create index outbox_ready on outbox (sink, seq) where state = 'waiting' and next_at is null;
  create index outbox_stream on outbox (sink, stream, seq) where state = 'waiting';
  create index outbox_next on outbox (sink, next_at) where state = 'waiting' and next_at is not null;
  create index outbox_dead on outbox (sink, seq) where state = 'dead';
  create index outbox_dead_at on outbox (coalesce(tried_at, created_at)) where state = 'dead';

  -- The circuit of a sink. After several failures in a row, nothing but one probe is tried before open_until.
  create table sink_states (
    sink text primary key,
    failures int not null default 0,
    open_until timestamptz,
    code text,
    reason text,
    sent bigint not null default 0,
    sent_at timestamptz,
    failed_at timestamptz,
    -- The batch that holds the sink's lease, and when the lease ends unless it is renewed.
    claimed_by text,
    claimed_until timestamptz
  );

  -- Messages that Sluice sent, and their status.
  create table deliveries (
    account text not null,
    message_id text not null,
    event_id text not null,
    conversation_id bigint,
    status text not null,
    ack int,
    -- The status last published to sinks. If it is behind status, the new one must still be published.
    published text,
    sent_at timestamptz not null,
    checks int not null default 0,
    checked_at timestamptz,
    -- When to check next. Null means that it is over.
    next_at timestamptz,
    deadline timestamptz not null,
    -- The conversation's history does not show the message, so it is checked separately.
    alone boolean not null default false,
    -- Why it is not checked any more, if its status is not the reason.
    end_code text,
    primary key (account, message_id)
  );
  create index deliveries_due on deliveries (account, next_at) where next_at is not null;
  create index deliveries_over on deliveries (sent_at) where next_at is null;
  create index deliveries_sent on deliveries (sent_at);
  create index deliveries_event on deliveries (event_id);
  create index deliveries_of on deliveries (account, conversation_id);
  create index deliveries_conversation on deliveries (account, conversation_id) where next_at is not null;

  -- Uploaded files for messages. Without ready, some of the bytes are still missing.
  create table uploads (
    id text primary key,
    account text not null,
    name text not null,
    type text not null,
    size int not null,
    ready boolean not null default false,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  );
  create index uploads_expires on uploads (expires_at);
  create table upload_parts (
    id text not null references uploads on delete cascade,
    part int not null,
    data bytea not null,
    primary key (id, part)
  );
  alter table upload_parts alter column data set storage external;
`;
