// Migration 7: what polling has imported, what sinks still have to receive, and the status of messages that were
// sent.

export const CONVERSATION_TABLES = `
  create table pollers (
    account text not null,
    poller text not null,
    run_id text not null,
    -- Messages before this are not published. Null means that the whole history is.
    since timestamptz,
    -- Everything updated up to this time is imported or marked as todo. Null means nothing was read yet.
    watermark timestamptz,
    -- When the watermark last moved, and whether a later poll has found everything that was committed late.
    moved_at timestamptz,
    settled boolean not null default false,
    -- A reading of several pages that is under way, from page 1 down to the watermark.
    sweep jsonb,
    -- Older pages still to read after the first start. Null means none.
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
    -- The last published state. Null means never published.
    published jsonb,
    -- The messages must be read from this time on. Null means nothing to read. Since when, and number of tries.
    todo_at timestamptz,
    todo_since timestamptz,
    tries int not null default 0,
    -- A reading of older messages over several pages that is under way.
    reading jsonb,
    -- Every message up to this time of the service is imported. A later listing up to it brings no news.
    covered_at timestamptz,
    -- What the last finished reading saw: hashes of the newest text and of the last message as listed, and up to when
    -- messages were deleted.
    seen jsonb,
    -- The contact's newest imported message.
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
    -- Read but not published yet, because older ones must be read first: the item, and its place counted from the
    -- newest.
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
  create index deliveries_event on deliveries (event_id);
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
  create table upload_parts (
    id text not null references uploads on delete cascade,
    part int not null,
    data bytea not null,
    primary key (id, part)
  );
  alter table upload_parts alter column data set storage external;
  create index uploads_expires on uploads (expires_at);
`;

/**
 * Migration 9: unreadable parts of conversations, with the assumptions that failed, and campaigns that wait for them.
 */
export const UNREAD_TABLES = `
  -- A gap with a fingerprint is unreadable: something exists that could not be read. It is read again under other
  -- assumptions.
  alter table poll_gaps
    -- Fingerprint of the assumptions under which it could not be read.
    add column assumed text,
    -- Key of the assumption whose override may make it readable.
    add column assumption text,
    -- The person of the conversation, as conversations.person_key. Null when unknown.
    add column person_key text,
    -- The list item is newer than this time. Null means anywhere.
    add column floor timestamptz;
  create index poll_gaps_unread on poll_gaps (account, person_key) where assumed is not null;

  alter table pollers
    -- What it could not read when it was blocked: {assumption, seen, assumed}.
    add column block_shape jsonb,
    -- Fingerprint of the assumptions under which it has read messages.
    add column proven text,
    -- Conversations in a row that could not be read.
    add column unread_row int not null default 0,
    -- Fingerprint of the assumptions of a sweep that rereads items that were unreadable under others.
    add column assumed text;

  alter table campaigns
    -- Why it waits although nobody paused it: {code, reason}.
    add column blocked jsonb,
    -- What confirmed that the first trigger had its effect: {how, reason, member}.
    add column verified jsonb,
    -- The refusal that paused it, and the assumptions at the time: {code, assumed}.
    add column suspect jsonb;
`;

/** When the person of the conversation was erased; null if they were not. */
export const ERASED_CONVERSATIONS = 'alter table conversations add column erased_at timestamptz';
