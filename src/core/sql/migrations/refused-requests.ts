// Refused requests of authenticated senders, with their content.

export const REFUSED_REQUEST_TABLES = `
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
