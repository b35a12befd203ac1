// Pollers and their gaps as text.

import { formatCount, formatDuration, formatMany, formatTime } from '../../../cli/lib/terminal/format.ts';
import { type Column, tableOf } from '../../../cli/lib/terminal/table.ts';
import type { PollerStatus, PollGap } from '../contract/pollers.ts';

const NONE = '–';

const columns = (timeZone?: string): readonly Column<PollerStatus>[] => [
  ['poller', 'left', ({ poller }) => poller, 'keep'],
  ['account', 'left', ({ account }) => account],
  ['state', 'left', ({ state }) => state],
  ['lag', 'right', ({ lagSeconds }) => (lagSeconds === null ? NONE : formatDuration(lagSeconds * 1000))],
  ['todo', 'right', ({ todo }) => formatCount(todo)],
  ['polls', 'right', ({ polls }) => formatCount(polls), 'drop'],
  ['calls', 'right', ({ calls }) => formatCount(calls), 'drop'],
  ['messages', 'right', ({ messages }) => formatCount(messages), 'drop'],
  ['gaps', 'right', ({ gaps }) => formatCount(gaps)],
  [
    'last poll',
    'left',
    ({ polledAt }) => (polledAt === null ? NONE : formatTime(polledAt, timeZone)),
    'keep',
  ],
];

/** A table; each row is followed by its problems. `timeZone` is an IANA name; by default the machine's. */
export function describePollers(pollers: readonly PollerStatus[], timeZone?: string): string[] {
  const lines = tableOf(columns(timeZone), pollers);
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

/** Columns of gaps. `timeZone` is an IANA name; by default the zone of the process. */
export function gapColumns(timeZone?: string): readonly Column<PollGap>[] {
  const at = (time: string | null) => (time === null ? '…' : formatTime(time, timeZone));
  return [
    ['poller', 'left', ({ account, poller }) => `${account}/${poller}`],
    ['found', 'left', (gap) => at(gap.at)],
    [
      'where',
      'left',
      ({ conversation }) =>
        conversation === null ? 'list of conversations' : `conversation ${conversation}`,
      'keep',
    ],
    ['period', 'left', ({ after, before }) => `${at(after)} to ${at(before)}`, 'keep'],
    ['seen', 'left', ({ seen }) => (seen > 1 ? `seen ${formatCount(seen)} times` : 'seen once')],
    ['code', 'left', ({ code }) => code],
    ['reason', 'left', ({ reason }) => reason, 'cut'],
  ];
}
