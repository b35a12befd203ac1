// The budget of calls, which all worker processes share. src/service/budget/estimate.ts computes what answers teach and
// explains the columns. Times are the database's.

export const BUDGET_TABLES = `
  -- A token's next slot, and what its answers teach.
  create table slots (
    token text primary key,
    call_limit int not null,
    next_at timestamptz not null default '-infinity',
    blocked_until timestamptz not null default '-infinity',
    -- Number of the next slot.
    slot_no bigint not null default 1,
    -- The limit in the last answer.
    limit_seen int not null default 0,
    -- Slots owed to a share of the budget: at one or more, the lanes of the share come first.
    reply_due float8 not null default 0,
    lead_due float8 not null default 0,
    low_due float8 not null default 0,
    -- Wider distance that leaves room for other programs in this window.
    stretch_s float8 not null default 0,
    stretch_until timestamptz not null default '-infinity',
    -- End of the service's window: as the header states it, and by the database's clock.
    window_reset timestamptz,
    window_ends timestamptz not null default '-infinity',
    -- Our first and last slot in the window, the last slot before it, and our number of slots in the window before.
    window_first bigint not null default 1,
    window_last bigint not null default 0,
    window_before bigint not null default 0,
    own_before int not null default 0,
    -- Answers in a row whose window does not follow from the previous one.
    out_of_step int not null default 0,
    -- Calls that the service has counted, minus the number of the slot that showed the count, while nobody else
    -- calls.
    window_base bigint not null default 0,
    -- How far the service's clock is ahead, as far as answers have proved it.
    skew_s float8 not null default 0,
    -- Other programs' calls in this window, and the largest step among them. Then the usual values of both.
    foreign_now float8 not null default 0,
    burst_now float8 not null default 0,
    foreign_usual float8 not null default 0,
    burst_usual float8 not null default 0,
    -- Other programs' calls two to four seconds ago: a burst does not end within one answer.
    mark_at timestamptz not null default '-infinity',
    mark_last float8 not null default 0,
    mark_before float8 not null default 0
  );

  -- A token that was refused, completely (scope '') or for a scope. Refused tokens come last but are not excluded.
  create table token_marks (
    token text not null,
    scope text not null,
    code text not null,
    at timestamptz not null default clock_timestamp(),
    primary key (token, scope)
  );

  -- When each key with its own pace last got a slot: campaigns with a rate. A slot that is up to 200 ms late counts as
  -- taken in time, so the rate is reached and no 60 s contain one call more.
  create table paces (
    key text primary key,
    last_at timestamptz not null default '-infinity'
  );
`;
