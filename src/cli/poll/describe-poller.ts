// Pollers and their gaps as text.
import type { PollerStatus, PollGap } from '../../contracts/operator/pollers.ts';
import { formatCount, formatDuration, formatMany, formatTime } from '../lib/format.ts';
import { tabbed } from '../lib/table.ts';

const NONE = '–';

/** A column: its title, its alignment, and its cell for a row. */
type Column = readonly [title: string, side: 'left' | 'right', value: (poller: PollerStatus) => string];

const columns = (timeZone?: string): readonly Column[] => [
  ['POLLER', 'left', ({ poller }) => poller],
  ['ACCOUNT', 'left', ({ account }) => account],
  ['STATE', 'left', ({ state }) => state],
  ['LAG', 'right', ({ lagSeconds }) => (lagSeconds === null ? NONE : formatDuration(lagSeconds * 1000))],
  ['TODO', 'right', ({ todo }) => formatCount(todo)],
  ['POLLS', 'right', ({ polls }) => formatCount(polls)],
  ['CALLS', 'right', ({ calls }) => formatCount(calls)],
  ['MESSAGES', 'right', ({ messages }) => formatCount(messages)],
  ['GAPS', 'right', ({ gaps }) => formatCount(gaps)],
  [
    'LAST POLL',
    'left',
    ({ polledAt }) => (polledAt === null ? NONE : formatTime(new Date(polledAt), timeZone)),
  ],
];

/** A table; each row is followed by its problems. `timeZone` is an IANA name; by default the machine's. */
export function describePollers(pollers: readonly PollerStatus[], timeZone?: string): string[] {
  const shown = columns(timeZone);
  const rows = [
    shown.map(([title]) => title),
    ...pollers.map((one) => shown.map(([, , value]) => value(one))),
  ];
  const widths = shown.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) =>
        shown[at]?.[1] === 'right' ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  return lines.flatMap((text, at) => {
    const poller = pollers[at - 1];
    return poller === undefined ? [text] : [text, ...notes(poller, timeZone).map((note) => `  ${note}`)];
  });
}

function notes(poller: PollerStatus, timeZone?: string): string[] {
  const { blocked, paused, state, trouble, history, gaps, unread, startedAt, configured } = poller;
  const name = configured ? poller.poller : `${poller.account}/${poller.poller}`;
  const at = (time: string) => formatTime(new Date(time), timeZone);
  return [
    ...(paused === null
      ? []
      : [`paused by ${paused.by} at ${at(paused.at)}: ${paused.reason || 'no reason given'}`]),
    ...(blocked === null || state === 'stopped'
      ? []
      : [
          `blocked: ${blockReason(blocked)}; correct it, then \`sluice poll resume ${name}\` retries at once`,
        ]),
    ...(trouble === null ? [] : [trouble]),
    ...(startedAt === null ? [`never started: \`sluice poll start ${name}\``] : []),
    ...(history ? ['older pages are still to be read, with calls that nobody else wants'] : []),
    ...(unread === 0
      ? []
      : [
          `${formatMany(unread, 'conversation')} could not be read in full; campaigns that depend on replies skip these people`,
        ]),
    ...(gaps === 0 ? [] : [`something may be missing: \`sluice poll gaps ${name}\``]),
    ...(configured
      ? []
      : [
          state === 'stopped'
            ? 'not in this configuration'
            : `not in this configuration: \`sluice poll stop ${name}\` ends it`,
        ]),
  ];
}

/** The reason with its code once. */
function blockReason({ code, reason }: NonNullable<PollerStatus['blocked']>): string {
  const text = reason.startsWith(`${code}: `) ? reason.slice(code.length + 2) : reason;
  return text.includes(code) ? text : `${text} [${code}]`;
}

/** One line, parts separated by tabs. */
export function describeGap(gap: PollGap, timeZone?: string): string {
  const { account, poller, conversation, after, before, seen, code, reason } = gap;
  const at = (time: string | null) => (time === null ? '…' : formatTime(new Date(time), timeZone));
  const where = conversation === null ? 'list of conversations' : `conversation ${conversation}`;
  const often = seen > 1 ? `seen ${formatCount(seen)} times` : 'seen once';
  return tabbed([
    `${account}/${poller}`,
    at(gap.at),
    where,
    `${at(after)} to ${at(before)}`,
    often,
    code,
    reason,
  ]);
}
