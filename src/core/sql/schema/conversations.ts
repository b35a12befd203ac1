// What polling has imported, and what it could not read.

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
    -- Fingerprint of the assumptions under which it has read messages.
    proven text,
    -- Conversations in a row that could not be read.
    unread_row int not null default 0,
    -- Fingerprint of the assumptions of a sweep that rereads items that were unreadable under others.
    assumed text,
    block_code text,
    block_reason text,
    -- What it could not read when it was blocked: {assumption, seen, assumed}.
    block_shape jsonb,
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
    -- When the last reading of the conversation ended. Campaign results come from what was read since.
    read_at timestamptz not null default now(),
    -- When the person of the conversation was erased. Null: they were not.
    erased_at timestamptz,
    primary key (account, id)
  );
  create index conversations_todo on conversations (account, poller, todo_at) where todo_at is not null;
  create index conversations_person on conversations (account, person_key);
  create index conversations_connection on conversations (account, connection_id, updated_at);
  create index conversations_read on conversations (account, read_at);
  create index conversations_changed on conversations (updated_at);
  -- Without fast updates, as people_words.
  create index conversations_words on conversations using gin (array_to_tsvector(sluice_words(item #>> '{state,contact,name}')))
    with (fastupdate = off);
  create index conversations_contact on conversations (account, ((item #>> '{state,contact,id}')::bigint));

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

  -- A gap with a fingerprint is unreadable: something exists that could not be read. It is read again under other
  -- assumptions.
  create table poll_gaps (
    id bigint generated always as identity primary key,
    account text not null,
    poller text not null,
    -- 0: the list of conversations
    conversation_id bigint not null default 0,
    -- The person of the conversation, as conversations.person_key. Null when unknown.
    person_key text,
    code text not null,
    reason text not null,
    after timestamptz,
    before timestamptz,
    -- Fingerprint of the assumptions under which it could not be read.
    assumed text,
    -- Key of the assumption whose override may make it readable.
    assumption text,
    -- The list item is newer than this time. Null means anywhere.
    floor timestamptz,
    seen int not null default 1,
    at timestamptz not null default now(),
    last_at timestamptz not null default now()
  );
  create index poll_gaps_poller on poll_gaps (account, poller, id);
  create index poll_gaps_unread on poll_gaps (account, person_key) where assumed is not null;
`;
