// Numbers, durations and times as people read them.

const count = new Intl.NumberFormat('en-US');

/** 1234567 → `1,234,567`. */
export function formatCount(n: number): string {
  return count.format(n);
}

/** `1 wave`, `1,200 waves`. @param many the word for more than one, where that is not `one` with an s */
export function formatMany(n: number, one: string, many = `${one}s`): string {
  return `${formatCount(n)} ${n === 1 ? one : many}`;
}

/** Milliseconds → `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`: two units at most. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return pair(Math.floor(whole / 60), 'min', whole % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 24 * 60) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(seconds / 3600);
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}

/**
 * Time with the offset of its zone: `2026-11-23 08:20:15 -03:00`, or `… UTC` where the offset is 0.
 * @param timeZone IANA name. @default the zone of the process, which `sluice` sets to that of the account
 */
export function formatTime(at: Date | string, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'longOffset',
  }).formatToParts(new Date(at));
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  const zone = of('timeZoneName').replace(/^GMT(?:[+-]00:00)?/, '') || 'UTC';
  return `${of('year')}-${of('month')}-${of('day')} ${of('hour')}:${of('minute')}:${of('second')} ${zone}`;
}

/** Pace as it reads best: per second from 2/s on, else per minute. `perMs` is things per millisecond. */
export function formatRate(perMs: number): string {
  const perSecond = perMs * 1000;
  if (perSecond >= 2)
    return `${perSecond >= 100 ? formatCount(Math.round(perSecond)) : perSecond.toFixed(1)}/s`;
  const perMinute = perSecond * 60;
  return `${perMinute >= 10 ? Math.round(perMinute) : perMinute.toFixed(1)}/min`;
}
