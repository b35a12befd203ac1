// Migration 18: the call log, which operators read. Calls without names or texts: ids and keys of the ledger only.

export const CALL_TABLES = `
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

  -- What went wrong, for operators: by outcome and time, over all runs.
  create index run_records_wrong on run_records (status, ended_at) where status in ('failed', 'unknown');
  create index campaign_members_wrong on campaign_members (state, ended_at) where state in ('failed', 'unknown');
  create index events_wrong on events (outcome, ended_at) where state = 'ended' and outcome in ('failed', 'unknown');
  create index events_blocked on events (account, route) where state = 'accepted' and block_code is not null;
  create index runs_finished on runs (finished_at) where finished_at is not null;
`;
