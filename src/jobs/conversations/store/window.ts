// Decides about the 24-hour window of waba conversations (API text, Limits). Pollers record when contacts wrote, and
// how reliable that is.
import type { Queryable } from '../../../core/sql/database.ts';
import {
  type Conversation,
  type Facts,
  type Poller,
  type WindowTarget,
  windowFacts,
} from './window-facts.ts';

/** Times are by the service's clock. */
export type Window =
  /** `until` is null when the channel has no window. */
  | { readonly state: 'open'; readonly until: Date | null }
  /** Null when the contact has not written for at least 24 hours and the ledger does not know when they did. */
  | { readonly state: 'closed'; readonly since: Date | null }
  /** `unread`: the service shows it, but it could not be read. */
  | { readonly state: 'unknown'; readonly why: string; readonly unread: boolean };

/**
 * The connection that a poller reads by the configuration, `all`, or null when the configuration has no such poller.
 */
export type ScopeOf = (poller: string) => number | 'all' | null;

export interface WindowQuestion {
  readonly account: string;
  readonly to: WindowTarget;
  /** Outgoing connection by id or name. Without it, the service chooses. Replies have none. */
  readonly connection?: number | string | undefined;
  readonly scopeOf: ScopeOf;
  readonly now: Date;
}

/** What the facts are judged by. */
type Judged = Omit<WindowQuestion, 'account'>;

const WINDOW_MS = 24 * 3_600_000;
/**
 * The window counts as closed this long before its end. The two clocks may differ, up to 45 s of downloads and the
 * wait for a slot come between this check and the call, and the channel needs a moment too. The service accepts a
 * late message but never delivers it.
 */
const MARGIN_MS = 60_000;
/**
 * An older poll proves nothing about now, because the contact may have written since. Pollers check every 30 s when
 * nothing changes (`interval.max`). Ten times that leaves room for a budget that campaigns use up, and for a restart.
 */
const FRESH_MS = 5 * 60_000;
/** A message further in the future than the clocks can differ has an unreadable time. */
const SKEW_MS = 5 * 60_000;
const NOT_MINE = 'no poller follows the connection';
/** Channels that send (API text, What the service does). */
const SENDING = new Set(['waba', 'whatsapp']);

/**
 * Whether the window is open, so that the service delivers more than templates. Uses one statement.
 *
 * An inbound message of the last 24 hours proves that it is open, however old that knowledge is. It is reported as
 * closed only while a poller follows the conversation: its last complete poll is at most 5 minutes old, no message of
 * the conversation is left to read, and no gap concerns it.
 */
export async function windowOf(db: Queryable, question: WindowQuestion): Promise<Window> {
  const { account, to, now } = question;
  return judgeWindow(await windowFacts(db, account, to, windowAfter(now)), question);
}

/** Nothing before this time counts. */
export function windowAfter(now: Date): Date {
  return new Date(now.getTime() - WINDOW_MS);
}

/** Like {@link windowOf}, from facts that were already read. */
export function judgeWindow(facts: Facts, question: Judged): Window {
  const { to } = question;
  const [row] = facts.conversations;
  const window = !('conversation' in to)
    ? ofPerson(facts, question)
    : row === undefined
      ? unknown('no poller has imported the conversation')
      : ofRow(row, facts, question);
  return window.state === 'unknown' ? { ...window, unread: isUnread(facts, question) } : window;
}

function isUnread({ gaps, pollers, conversations }: Facts, { scopeOf }: Judged): boolean {
  const own = new Set(conversations.map(({ id }) => id));
  return (
    gaps.some(({ unread, conversation_id: id }) => unread && own.has(id)) ||
    pollers.some(({ unread, poller }) => unread && scopeOf(poller) !== null)
  );
}

function ofRow(row: Conversation, facts: Facts, { scopeOf, now }: Judged): Window {
  if (row.channel !== 'waba') return { state: 'open', until: null };
  const inbound = row.inbound_at === null ? null : new Date(row.inbound_at).getTime();
  const time = now.getTime();
  if (inbound !== null && inbound > time + SKEW_MS)
    return unknown('the newest message is dated in the future');
  const until = inbound === null ? null : new Date(inbound + WINDOW_MS - MARGIN_MS);
  if (until !== null && time < until.getTime()) return { state: 'open', until };
  const pollers = facts.pollers.filter(
    (poller) => notFollowed(poller, row.connection_id, facts, scopeOf, time) === null,
  );
  // The connection's name has changed. If that happened in the last 24 hours, the new name would have taken over the
  // conversation.
  const poller =
    pollers.find((each) => each.poller === row.poller) ?? pollers.find((each) => reachesBack(each, time));
  if (poller === undefined) return unknown(whyUnfollowed(row.connection_id, facts, scopeOf, time));
  if (row.behind) return unknown('messages of the conversation still have to be read');
  if (facts.gaps.some((gap) => gap.conversation_id === row.id))
    return unknown('messages of the conversation may be missing');
  if (row.unclear) return unknown('a message does not show its time or its author');
  const isQuiet = new Date(row.updated_at).getTime() <= time - WINDOW_MS;
  if (inbound === null && !isQuiet && !reachesBack(poller, time))
    return unknown('its messages of the last 24 hours have not all been read');
  return { state: 'closed', since: until };
}

/** A person may have several conversations. The service uses one of them or starts another. */
function ofPerson(facts: Facts, question: Judged): Window {
  const { connection } = question;
  const wanted = facts.connections.filter(({ id, name, channel }) =>
    connection === undefined ? SENDING.has(channel) : connection === id || connection === name,
  );
  if (wanted.length === 0) return unknown('the ledger has no conversation on the connection');
  if (connection === undefined && wanted.some(({ channel }) => channel !== 'waba'))
    return unknown('the service chooses the connection, and not all connections are waba');
  const windows = wanted.map((each) =>
    each.channel === 'waba'
      ? onConnection(each.id, facts, question)
      : ({ state: 'open', until: null } as const),
  );
  return alike(windows, 'the service chooses the connection, and the window is not open on all of them');
}

function onConnection(connection: number, facts: Facts, question: Judged): Window {
  const { scopeOf, now } = question;
  const rows = facts.conversations.filter(({ connection_id }) => connection_id === connection);
  const windows = rows.map((row) => ({ row, window: ofRow(row, facts, question) }));
  const open = windows.filter(({ window }) => window.state === 'open');
  const going = open.filter(({ row }) => row.status !== null && row.status !== 'closed');
  if (going.length > 0) return latest(going.map(({ window }) => window));
  if (open.length > 0)
    return unknown('the contact wrote in a closed conversation: the service may start another one');
  const vague = windows.find(({ window }) => window.state === 'unknown');
  if (vague !== undefined) return vague.window;
  // There may be more conversations than the ledger has.
  const wide = question.connection === undefined ? 'all' : connection;
  const time = now.getTime();
  const following = facts.pollers.filter((each) => notFollowed(each, wide, facts, scopeOf, time) === null);
  if (following.length === 0) return unknown(whyUnfollowed(wide, facts, scopeOf, time));
  if (!following.some((each) => reachesBack(each, time)))
    return unknown('the poller has not covered the last 24 hours yet');
  return windows.length === 0
    ? { state: 'closed', since: null }
    : latest(windows.map(({ window }) => window));
}

/** Why this poller's data does not show the current state; null when it does. */
function notFollowed(
  poller: Poller,
  connection: number | 'all',
  { gaps }: Facts,
  scopeOf: ScopeOf,
  now: number,
): string | null {
  const scope = scopeOf(poller.poller);
  if (scope !== 'all' && scope !== connection) return NOT_MINE;
  if (poller.complete_at === null || new Date(poller.complete_at).getTime() < now - FRESH_MS)
    return 'the last complete poll is more than 5 minutes old';
  if (gaps.some((gap) => gap.conversation_id === 0 && gap.poller === poller.poller))
    return 'the list of conversations has a gap in the last 24 hours';
  return null;
}

function whyUnfollowed(connection: number | 'all', facts: Facts, scopeOf: ScopeOf, now: number): string {
  const whys = facts.pollers.map((poller) => notFollowed(poller, connection, facts, scopeOf, now));
  return whys.find((why) => why !== null && why !== NOT_MINE) ?? NOT_MINE;
}

/** Whether every conversation that changed in the last 24 hours is imported. */
function reachesBack(poller: Poller, now: number): boolean {
  if (poller.history) return false;
  return poller.since === null || new Date(poller.since).getTime() <= now - WINDOW_MS;
}

const unknown = (why: string): Window => ({ state: 'unknown', why, unread: false });

/** What all windows have in common: open until the first end, or closed since the last one. */
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
