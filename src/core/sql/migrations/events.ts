// Migration 6: incoming events, and what is remembered of them.

export const EVENT_TABLES = `
  create table events (
    seq bigint generated always as identity primary key,
    id text not null unique,
    account text not null,
    route text not null,
    run_id text not null references runs,
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
    received_at timestamptz not null default now(),
    accepted_at timestamptz,
    ended_at timestamptz
  );
  create index events_open on events (account, subject, seq) where state = 'accepted';
  create index events_ended on events (ended_at) where state = 'ended';
  create index events_received on events (received_at) where state = 'received';

  -- The newest finished event of a subject, for routes that order their events.
  create table event_ranks (
    account text not null,
    route text not null,
    subject text not null,
    rank double precision not null,
    at timestamptz not null default now(),
    primary key (account, route, subject)
  );

  -- The run of a route may have several events about one person under way. A source gives each person one record.
  alter table run_records drop constraint run_records_run_id_key_key;
  alter table run_records add column event_id text;
  create unique index run_records_key on run_records (run_id, key, (coalesce(event_id, '')));

  -- Hash of a message, and its traces (see MessageTrace). They distinguish two messages with the same text in a
  -- conversation.
  alter table intents add column mark text, add column trace jsonb;
  create index intents_mark on intents (account, mark) where mark is not null;

  alter table catalog add column asked_at timestamptz;
`;

/** Later migration: the corrected event that takes the place of a failed one. */
export const EVENT_REPLACEMENTS = `
  alter table events
    add column replaced_by text,
    -- When somebody began to hand in the corrected event.
    add column replaced_at timestamptz;
`;

/** Later migration: the trace that the work on an event continues. */
export const EVENT_TRACES = `
  -- W3C Trace Context of the span that accepted the event, or of its sender.
  alter table events add column traceparent text, add column tracestate text;
`;
