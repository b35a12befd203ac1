// Migration 9: unreadable parts of conversations, with the assumptions that failed, and campaigns that wait for them.

export const UNREAD_TABLES = `
  -- A gap with a fingerprint is unread: something is there that could not be read. It is read again under other assumptions.
  alter table poll_gaps
    -- Fingerprint of the assumptions by which it could not be read.
    add column assumed text,
    -- Key of the assumption whose override may make it readable.
    add column assumption text,
    -- Whose conversation it is, as conversations.person_key; null: nobody knows.
    add column person_key text,
    -- The list has it above this instant; null: anywhere.
    add column floor timestamptz;
  create index poll_gaps_unread on poll_gaps (account, person_key) where assumed is not null;

  alter table pollers
    -- What it could not read when it was blocked: {assumption, seen, assumed}.
    add column block_shape jsonb,
    -- Fingerprint of the assumptions by which it has read messages.
    add column proven text,
    -- Conversations in a row that could not be read.
    add column unread_row int not null default 0,
    -- A sweep that goes down to what was unread under other assumptions carries the fingerprint of its own.
    add column assumed text;

  alter table campaigns
    -- Why it waits although nobody holds it: {code, reason}.
    add column blocked jsonb,
    -- What showed that the first trigger did what it should: {how, reason, member}.
    add column verified jsonb,
    -- The refusal that it was held for, and the assumptions at the time: {code, assumed}.
    add column suspect jsonb;
`;
