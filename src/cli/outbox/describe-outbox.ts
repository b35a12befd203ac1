// Sinks and waiting events as text.
import type { OutboxEntry, SinkStatus } from '../../contracts/wire/outbox.ts';
import { formatCount, formatDuration, formatTime } from '../lib/format.ts';
import { tabbed } from '../lib/table.ts';

/** One line per sink, and a second one for a problem. */
export function describeSink(sink: SinkStatus, now: Date): string[] {
  const { waiting, dead, sent, sentAt, lagSeconds } = sink;
  const lag = lagSeconds === null ? '' : `, the oldest for ${formatDuration(lagSeconds * 1000)}`;
  const parts = [
    circuitOf(sink, now),
    `${formatCount(waiting)} waiting${lag}`,
    ...(dead === 0 ? [] : [`${formatCount(dead)} dead (sluice outbox list --dead --sink ${sink.sink})`]),
    `${formatCount(sent)} sent${sentAt === null ? '' : `, the last ${formatTime(new Date(sentAt))}`}`,
  ];
  const why = sink.code === null ? [] : [`  ${sink.reason ?? ''} [${sink.code}]`];
  return [`${sink.sink}: ${parts.join('; ')}`, ...why];
}

function circuitOf({ circuit, code, openUntil }: SinkStatus, now: Date): string {
  if (code === 'NO_SINK') return 'not in the configuration of a worker';
  if (circuit === 'closed' || openUntil === null) return 'takes events';
  const ms = new Date(openUntil).getTime() - now.getTime();
  return ms <= 0 ? 'left alone, probed with the next event' : `left alone, probed in ${formatDuration(ms)}`;
}

/** One event in one line, tabs between its parts. */
export function entryLine(entry: OutboxEntry): string {
  const { id, state, type, stream, attempts, code, reason } = entry;
  const at = formatTime(new Date(entry.createdAt));
  const tries = attempts === 1 ? '1 attempt' : `${formatCount(attempts)} attempts`;
  return tabbed([String(id), at, state, type, stream, tries, code ?? '', reason ?? '']);
}

export function entryInFull(entry: OutboxEntry): string[] {
  const time = (at: string | null) => (at === null ? '–' : formatTime(new Date(at)));
  const rows: [string, string][] = [
    ['id', entry.id],
    ['event', `${entry.eventId} (${entry.type})`],
    ['stream', entry.stream],
    ['state', entry.state],
    ...(entry.code === null ? [] : [['why', `${entry.reason ?? ''} [${entry.code}]`] as [string, string]]),
    ['attempts', formatCount(entry.attempts)],
    ['since', time(entry.createdAt)],
    ['tried', time(entry.triedAt)],
    ['next', entry.state === 'dead' ? 'never, unless `sluice outbox retry`' : time(entry.nextAt)],
  ];
  return rows.map(([name, value]) => `${name.padEnd(8)} ${value}`);
}
