// Migration 19: refusals of the ingress, which operators read, and indexes of the lists that operators read.

export const REFUSAL_TABLES = `
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

  create index events_route on events (account, route, seq);
  create index calls_event on calls (event_id, at) where event_id is not null;
  create index deliveries_sent on deliveries (sent_at);
  create index conversations_changed on conversations (updated_at);
`;

/** Later migration: lists of events by a route or a code that few events have. */
export const EVENT_LIST_INDEXES = `
  drop index events_route;
  create index events_route on events (route, seq);
  create index events_code on events (code, seq) where code is not null;
  create index events_block on events (block_code, seq) where block_code is not null;
`;
