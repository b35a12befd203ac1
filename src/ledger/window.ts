// What the ledger knows of the 24-hour window of waba conversations (API text, Limits): pollers write down when contacts
// wrote, and how far that can be trusted.
import type { Queryable } from './database.ts';

/** Times of the service's clock. */
export type Window =
  /** `until` is null where the channel has no window. */
  | { readonly state: 'open'; readonly until: Date | null }
  /** Null: the contact has not written for at least 24 hours, and the ledger does not have when they did. */
  | { readonly state: 'closed'; readonly since: Date | null }
  | { readonly state: 'unknown'; readonly why: string };

/** Whom a message is for: a conversation by its id, or a person by the number with the Brazilian ninth digit. */
export type WindowTarget = { readonly conversation: number } | { readonly key: string };

/** Which connection a poller reads by the configuration, `all`, or null when the configuration has no such poller. */
export type ScopeOf = (poller: string) => number | 'all' | null;

export interface WindowQuestion {
  readonly account: string;
  readonly to: WindowTarget;
  /** Outgoing connection by id or name; without it the service chooses. Replies have none. */
  readonly connection?: number | string | undefined;
  readonly scopeOf: ScopeOf;
  readonly now: Date;
}

const WINDOW_MS = 24 * 3_600_000;
/**
 * Counts as closed so long before: the two clocks may differ, up to 45 s of downloads and the wait for a slot lie between
 * this look and the call, and the channel needs a moment too. What comes late is taken and never arrives.
 */
const MARGIN_MS = 60_000;
/**
 * A poll that is older proves nothing about now: the contact may have written since. Pollers look every 30 s when all is
 * quiet (`interval.max`); ten times that leaves room for a budget that campaigns use up, and for a restart.
 */
const FRESH_MS = 5 * 60_000;
/** A message that lies further ahead than clocks differ has a time that can't be read. */
const SKEW_MS = 5 * 60_000;
/** Channels that send (API text, What the service does). */
const SENDING = ['waba', 'whatsapp'];

interface Conversation {
  readonly id: number;
  readonly poller: string;
  readonly connection_id: number;
  readonly channel: string;
  readonly status: string | null;
  readonly updated_at: string;
  readonly inbound_at: string | null;
  /** Messages of it are still to be read. */
  readonly behind: boolean;
  /** A message of the last 24 hours does not say when, or by whom, it was written. */
  readonly unclear: boolean;
}

interface Facts {
  readonly pollers: readonly {
    readonly poller: string;
    readonly complete_at: string | null;
    readonly since: string | null;
    /** Older pages are still to be read. */
    readonly history: boolean;
  }[];
  readonly conversations: readonly Conversation[];
  /** Stretches of the last 24 hours of which something may be missing; conversation 0 is the list. */
  readonly gaps: readonly { readonly poller: string; readonly conversation_id: number }[];
  /** Connections that the ledger has conversations of. */
  readonly connections: readonly { readonly id: number; readonly channel: string; readonly name: string }[];
}

/**
 * Is the window open in which anything but a template is delivered? One statement.
 *
 * An inbound message of the last 24 hours proves that it is open, however old that knowledge is. That it is closed is only
 * said while a poller looks: its last complete poll is at most 5 minutes old, nothing of the conversation is still to be
 * read, and no gap concerns it.
 */
export async function windowOf(db: Queryable, question: WindowQuestion): Promise<Window> {
  const { account, to, now } = question;
  const isReply = 'conversation' in to;
  const [facts] = await db.query<Facts>(isReply ? FACTS_OF_CONVERSATION : FACTS_OF_PERSON, [
    account,
    isReply ? to.conversation : to.key,
    new Date(now.getTime() - WINDOW_MS),
  ]);
  return judge(facts as Facts, question);
}

function factsOf(which: string, connections: string): string {
  return `
    with recursive mine as materialized (
      select c.id, c.poller, c.connection_id, c.channel, c.item ->> 'status' as status, c.updated_at, c.inbound_at,
             c.todo_at is not null or c.reading is not null as behind,
             exists (select 1 from messages m
                      where m.account = c.account and m.conversation_id = c.id and (m.from_me is null or m.at is null)
                        and m.from_me is distinct from true and coalesce(m.at, 'infinity') > $3) as unclear
        from conversations c where c.account = $1 and ${which}),
    ${connections}
    select
      (select coalesce(jsonb_agg(p), '[]') from (
         select poller, complete_at, since, history is not null as history from pollers where account = $1) p) as pollers,
      (select coalesce(jsonb_agg(m), '[]') from mine m) as conversations,
      (select coalesce(jsonb_agg(g), '[]') from (
         select distinct poller, conversation_id from poll_gaps
          where account = $1 and coalesce(before, last_at) > $3
            and (conversation_id = 0 or conversation_id in (select id from mine))) g) as gaps,
      (select coalesce(jsonb_agg(s), '[]') from seen s) as connections`;
}

const FACTS_OF_CONVERSATION = factsOf('c.id = $2', 'seen as (select 1 where false)');
const FACTS_OF_PERSON = factsOf(
  'c.person_key = $2',
  // One look into the index for each connection, of which there are few.
  `ids as (
     (select connection_id as id from conversations where account = $1 order by connection_id limit 1)
     union all
     select (select connection_id from conversations where account = $1 and connection_id > ids.id
              order by connection_id limit 1)
       from ids where ids.id is not null),
   seen as (
     select ids.id, newest.channel, newest.name
       from ids, lateral (
         select channel, item -> 'connection' ->> 'name' as name from conversations
          where account = $1 and connection_id = ids.id order by updated_at desc limit 1) newest)`,
);

function judge(facts: Facts, question: WindowQuestion): Window {
  const { to } = question;
  if (!('conversation' in to)) return ofPerson(facts, question);
  const [row] = facts.conversations;
  return row === undefined ? unknown('no poller has imported the conversation') : ofRow(row, facts, question);
}

function ofRow(row: Conversation, facts: Facts, { scopeOf, now }: WindowQuestion): Window {
  if (row.channel !== 'waba') return { state: 'open', until: null };
  const inbound = row.inbound_at === null ? null : new Date(row.inbound_at).getTime();
  const time = now.getTime();
  if (inbound !== null && inbound > time + SKEW_MS) return unknown('the newest message lies in the future');
  const until = inbound === null ? null : new Date(inbound + WINDOW_MS - MARGIN_MS);
  if (until !== null && time < until.getTime()) return { state: 'open', until };
  const poller = facts.pollers.find((each) => each.poller === row.poller);
  const why = notFollowed(poller, row.connection_id, facts, scopeOf, time);
  if (why !== null) return unknown(why);
  if (row.behind) return unknown('messages of the conversation are still to be read');
  if (facts.gaps.some((gap) => gap.conversation_id === row.id))
    return unknown('messages of the conversation may be missing');
  if (row.unclear) return unknown('a message does not say when, or by whom, it was written');
  const isQuiet = new Date(row.updated_at).getTime() <= time - WINDOW_MS;
  if (inbound === null && !isQuiet && !reachesBack(poller, time))
    return unknown('its messages have not been read as far back as 24 hours');
  return { state: 'closed', since: until };
}

/** A person may have several conversations, of which the service takes one, or begins another. */
function ofPerson(facts: Facts, question: WindowQuestion): Window {
  const { connection } = question;
  const wanted = facts.connections.filter(({ id, name, channel }) =>
    connection === undefined ? SENDING.includes(channel) : connection === id || connection === name,
  );
  if (wanted.length === 0) return unknown('the ledger has no conversation on the connection');
  if (connection === undefined && wanted.some(({ channel }) => channel !== 'waba'))
    return unknown('the service chooses the connection, and not all of them are waba');
  const windows = wanted.map((each) =>
    each.channel === 'waba'
      ? onConnection(each.id, facts, question)
      : ({ state: 'open', until: null } as const),
  );
  return alike(windows, 'the service chooses the connection, and the window is not open on all of them');
}

function onConnection(connection: number, facts: Facts, question: WindowQuestion): Window {
  const { scopeOf, now } = question;
  const rows = facts.conversations.filter(({ connection_id }) => connection_id === connection);
  const windows = rows.map((row) => ({ row, window: ofRow(row, facts, question) }));
  const open = windows.filter(({ window }) => window.state === 'open');
  const going = open.filter(({ row }) => row.status !== null && row.status !== 'closed');
  if (going.length > 0) return latest(going.map(({ window }) => window));
  if (open.length > 0)
    return unknown('the contact wrote in a conversation that is closed: the service may begin another');
  const vague = windows.find(({ window }) => window.state === 'unknown');
  if (vague !== undefined) return vague.window;
  // There may be more conversations than the ledger has.
  const wide = question.connection === undefined ? 'all' : connection;
  const whys = facts.pollers.map(
    (poller) =>
      notFollowed(poller, wide, facts, scopeOf, now.getTime()) ??
      (reachesBack(poller, now.getTime()) ? null : 'the poller does not know the last 24 hours yet'),
  );
  if (!whys.includes(null)) return unknown(whys[0] ?? 'no poller follows the conversations');
  return windows.length === 0
    ? { state: 'closed', since: null }
    : latest(windows.map(({ window }) => window));
}

/** Why what this poller brought does not show how things stand now; null: it does. */
function notFollowed(
  poller: Facts['pollers'][number] | undefined,
  connection: number | 'all',
  { gaps }: Facts,
  scopeOf: ScopeOf,
  now: number,
): string | null {
  if (poller === undefined) return 'no poller follows the conversation';
  const scope = scopeOf(poller.poller);
  if (scope !== 'all' && scope !== connection) return 'no poller follows the connection';
  if (poller.complete_at === null || new Date(poller.complete_at).getTime() < now - FRESH_MS)
    return 'the last complete poll is more than 5 minutes old';
  if (gaps.some((gap) => gap.conversation_id === 0 && gap.poller === poller.poller))
    return 'the list of conversations has a gap in the last 24 hours';
  return null;
}

/** Is every conversation that changed in the last 24 hours imported? */
function reachesBack(poller: Facts['pollers'][number] | undefined, now: number): boolean {
  if (poller === undefined || poller.history) return false;
  return poller.since === null || new Date(poller.since).getTime() <= now - WINDOW_MS;
}

const unknown = (why: string): Window => ({ state: 'unknown', why });

/** What all of them say: open to the first end, closed since the last one. */
function alike(windows: readonly Window[], otherwise: string): Window {
  const [first, ...others] = windows as [Window, ...Window[]];
  if (others.length === 0) return first;
  const vague = windows.find(({ state }) => state === 'unknown');
  if (vague !== undefined) return vague;
  if (others.some(({ state }) => state !== first.state)) return unknown(otherwise);
  return first.state === 'open'
    ? windows.reduce((a, b) =>
        timeOf(a, Number.POSITIVE_INFINITY) <= timeOf(b, Number.POSITIVE_INFINITY) ? a : b,
      )
    : latest(windows);
}

const latest = (windows: readonly Window[]): Window =>
  windows.reduce((a, b) =>
    timeOf(b, Number.NEGATIVE_INFINITY) > timeOf(a, Number.NEGATIVE_INFINITY) ? b : a,
  );

function timeOf(window: Window, none: number): number {
  if (window.state === 'unknown') return none;
  return (window.state === 'open' ? window.until : window.since)?.getTime() ?? none;
}
