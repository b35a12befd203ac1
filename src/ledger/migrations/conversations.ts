// Migration 7: what polling has imported, what sinks still have to receive, and the status of messages that were
// sent.

export const CONVERSATION_TABLES = `
  create table pollers (
    account text not null,
    poller text not null,
    run_id text not null,
    -- Messages before this are not published; null: all of the history is.
    since timestamptz,
    -- Everything that was updated up to this is imported, or stands as todo; null: nothing was read yet.
    watermark timestamptz,
    -- When the watermark last moved, and whether a poll so long after that has found all that was committed late.
    moved_at timestamptz,
    settled boolean not null default false,
    -- A reading of several pages that is under way, from page 1 down to the watermark.
    sweep jsonb,
    -- Older pages still to be read after the first start; null: none.
    history jsonb,
    polls bigint not null default 0,
    polled_at timestamptz,
    -- When a poll last brought the ledger up to the newest page without a gap.
    complete_at timestamptz,
    news_at timestamptz,
    messages bigint not null default 0,
    block_code text,
    block_reason text,
    paused_by text,
    paused_reason text,
    paused_at timestamptz,
    started_at timestamptz not null default now(),
    primary key (account, poller)
  );

  create table conversations (
    account text not null,
    id bigint not null,
    poller text not null,
    connection_id bigint not null,
    channel text not null,
    -- The contact's number with the Brazilian ninth digit, as people.key.
    person_key text not null,
    updated_at timestamptz not null,
    -- Hash of the newest listing, and the listing itself (ConversationState and the last message).
    fingerprint text not null,
    item jsonb not null,
    -- The state that was last published; null: never.
    published jsonb,
    -- From then on the messages are to be read; null: nothing to read. Since when, and how often that was tried.
    todo_at timestamptz,
    todo_since timestamptz,
    tries int not null default 0,
    -- A reading back over several pages that is under way.
    reading jsonb,
    -- Every message up to this instant of the service is imported; a later listing up to it brings no news.
    covered_at timestamptz,
    -- What the last finished reading saw: hashes of the newest text and of the last message as it was listed, and how
    -- far back messages were forgotten.
    seen jsonb,
    -- The newest message of the contact that is imported.
    inbound_at timestamptz,
    primary key (account, id)
  );
  create index conversations_todo on conversations (account, poller, todo_at) where todo_at is not null;
  create index conversations_person on conversations (account, person_key);
  create index conversations_connection on conversations (account, connection_id, updated_at);

  create table messages (
    account text not null,
    conversation_id bigint not null,
    key text not null,
    seq bigint generated always as identity,
    at timestamptz,
    from_me boolean,
    status text,
    -- Read, and not published yet, because older ones are still to be read: the item, and its place from the newest back.
    item jsonb,
    place int,
    primary key (account, conversation_id, key)
  );
  create index messages_seq on messages (account, conversation_id, seq);

  create table poll_gaps (
    id bigint generated always as identity primary key,
    account text not null,
    poller text not null,
    -- 0: the list of conversations
    conversation_id bigint not null default 0,
    code text not null,
    reason text not null,
    after timestamptz,
    before timestamptz,
    seen int not null default 1,
    at timestamptz not null default now(),
    last_at timestamptz not null default now()
  );
  create index poll_gaps_poller on poll_gaps (account, poller, id);

  create table outbox (
    sink text not null,
    seq bigint generated always as identity,
    -- What stays in order: account and conversation.
    stream text not null,
    account text not null,
    event_id text not null,
    type text not null,
    event jsonb not null,
    -- waiting, dead
    state text not null default 'waiting',
    attempts int not null default 0,
    -- Not before: set after an attempt that failed, and for those behind it in the stream. Null: ready.
    next_at timestamptz,
    -- It failed because the sink as a whole was in trouble: waits no longer once that is over.
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

  -- The circuit of a sink: after several failures in a row nothing is tried before open_until but one probe.
  create table sink_states (
    sink text primary key,
    failures int not null default 0,
    open_until timestamptz,
    code text,
    reason text,
    sent bigint not null default 0,
    sent_at timestamptz,
    failed_at timestamptz,
    -- The batch that has the sink in hand, and until when unless it says so again.
    claimed_by text,
    claimed_until timestamptz
  );

  -- Messages that Sluice sent, and how far they are.
  create table deliveries (
    account text not null,
    message_id text not null,
    event_id text not null,
    conversation_id bigint,
    status text not null,
    ack int,
    -- The status that sinks were last published; behind status: still to be published.
    published text,
    sent_at timestamptz not null,
    checks int not null default 0,
    checked_at timestamptz,
    -- When to look next; null: it is over.
    next_at timestamptz,
    deadline timestamptz not null,
    -- The history of its conversation does not show it: it is asked for by itself.
    alone boolean not null default false,
    -- Why nobody checks any more, where that is not its status.
    end_code text,
    primary key (account, message_id)
  );
  create index deliveries_due on deliveries (account, next_at) where next_at is not null;
  create index deliveries_over on deliveries (sent_at) where next_at is null;
  create index deliveries_event on deliveries (event_id);
  create index deliveries_conversation on deliveries (account, conversation_id) where next_at is not null;

  -- Files that were uploaded to be sent with a message; without ready some of the bytes are still to come.
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
  create table upload_parts (
    id text not null references uploads on delete cascade,
    part int not null,
    data bytea not null,
    primary key (id, part)
  );
  alter table upload_parts alter column data set storage external;
  create index uploads_expires on uploads (expires_at);
`;
