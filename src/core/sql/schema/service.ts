// Calls to the service: intents of those that must not happen twice, lists that it gave, and the log of all calls.

export const SERVICE_TABLES = `
  -- Written before a call that is not idempotent, so that a lost answer never causes a second call.
  create table intents (
    id bigint generated always as identity primary key,
    account text not null,
    kind text not null,
    -- Ledger ids of the subject.
    subject text not null,
    run_id text not null,
    state text not null default 'open',
    detail text,
    sends int not null default 0,
    -- Calls that the service certainly refused. They are not lost answers.
    refused int not null default 0,
    sent_at timestamptz,
    -- Hash of a message, and its traces (see MessageTrace). They distinguish two messages with the same text in a
    -- conversation.
    mark text,
    trace jsonb,
    created_at timestamptz not null default now(),
    unique (account, kind, subject)
  );
  create index intents_mark on intents (account, mark) where mark is not null;

  -- Lists of the account, such as its tags.
  create table catalog (
    account text not null,
    kind text not null,
    items jsonb not null,
    fetched_at timestamptz not null default now(),
    -- When somebody asked for a newer list. Null: nobody has since.
    asked_at timestamptz,
    primary key (account, kind)
  );

  -- The call log, which operators read. Calls without names or texts: ids and keys of the ledger only.
  create table calls (
    id bigint generated always as identity,
    -- When the call went out, by the ledger's clock.
    at timestamptz not null,
    account text not null,
    token text not null,
    run_id text not null,
    lane smallint not null,
    method text not null,
    -- Path template, such as /v1/cards/{cardId}.
    route text not null,
    -- Null: the answer was lost.
    status smallint,
    -- Code of the error, or why there is no usable answer.
    code text,
    request_id text,
    -- As people.key. Null: the call concerns nobody in particular.
    person_key text,
    event_id text,
    conversation_id bigint,
    card_id bigint,
    -- Milliseconds from the wish to call until the call went out, mostly the wait for a slot. Then until the answer.
    wait_ms int not null,
    took_ms int not null,
    primary key (at, id)
  );
  create index calls_person on calls (account, person_key, at) where person_key is not null;
  create index calls_request on calls (request_id) where request_id is not null;
  create index calls_failed on calls (at, id) where status is null or status >= 400 or code is not null;
  create index calls_event on calls (event_id, at) where event_id is not null;

  -- Calls per minute, token, lane and run. They outlive the calls.
  create table call_minutes (
    minute timestamptz not null,
    token text not null,
    lane smallint not null,
    run_id text not null,
    account text not null,
    calls int not null,
    -- Answered with 429.
    limited int not null,
    -- Every other call without success.
    failed int not null,
    wait_ms bigint not null,
    -- The token's limit in calls per minute at that time.
    call_limit int,
    primary key (minute, token, lane, run_id)
  );
`;
