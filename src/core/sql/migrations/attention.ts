// What the overview needs to say the truth: which workers are alive, and what a person has looked at.

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
`;
