// Operators: users, logins, access tokens and the audit log.

export const OPERATOR_TABLES = `
  -- Users are disabled, never deleted: the audit log and approvals refer to them by name.
  create table users (
    id bigint generated always as identity primary key,
    name text not null unique,
    display_name text not null,
    role text not null,
    password_hash text,
    oidc_issuer text,
    oidc_subject text,
    unix_user text unique,
    -- The secret of the second factor. It waits for its first code while second_factor_at is null.
    second_factor jsonb,
    second_factor_at timestamptz,
    -- The last time step whose code was used.
    second_factor_step bigint,
    -- As hashes.
    recovery_codes jsonb,
    created_at timestamptz not null default now(),
    last_login_at timestamptz,
    disabled_at timestamptz,
    unique (oidc_issuer, oidc_subject)
  );

  -- A session ends when the role differs from the user's.
  create table user_sessions (
    hash text primary key,
    -- With which people name the session.
    id bigint generated always as identity,
    user_id bigint not null references users,
    role text not null,
    via text not null,
    agent text not null default '',
    csrf_token uuid not null default gen_random_uuid(),
    created_at timestamptz not null default now(),
    seen_at timestamptz not null default now()
  );
  create index user_sessions_id on user_sessions (id);
  create index user_sessions_user on user_sessions (user_id);

  create table access_tokens (
    id bigint generated always as identity primary key,
    hash text not null unique,
    user_id bigint not null references users,
    name text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    last_used_at timestamptz
  );
  create index access_tokens_user on access_tokens (user_id);

  -- One-time links. Without a user: for the first admin.
  create table login_links (
    hash text primary key,
    user_id bigint references users,
    -- The Unix user who asked for the first admin's link.
    unix_user text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    used_at timestamptz
  );

  -- Failed logins by hash of name, address and both.
  create table login_attempts (
    key text primary key,
    failures int not null default 0,
    failed_at timestamptz not null default now(),
    blocked_until timestamptz not null default '-infinity',
    succeeded_at timestamptz
  );
  create index login_attempts_failed on login_attempts (failed_at);

  create table operator_audit (
    id bigint generated always as identity primary key,
    at timestamptz not null default now(),
    identity text,
    name text,
    role text,
    via text,
    action text not null,
    target text not null,
    details jsonb not null default '{}',
    outcome text not null
  );
  create index operator_audit_identity on operator_audit (identity, id);
  create index operator_audit_action on operator_audit (action, id);
`;
