// Numbers, durations and times as the viewer's language writes them. Pure functions: the hook in use-format.ts gives
// them the language and the time zone.

export interface Locale {
  /** BCP 47, for example `pt-BR`. */
  readonly language: string;
  /** IANA name, for example `America/Sao_Paulo`. */
  readonly zone: string;
}

/** The viewer's kind of the page's language, for example `en-US`; without one, the kind that most of the world reads. */
export function regionalLanguage(language: string, preferred: readonly string[]): string {
  const own = preferred.find((each) => each === language || each.startsWith(`${language}-`));
  return own ?? (language === 'en' ? 'en-GB' : language);
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

export function formatCount({ language }: Locale, value: number): string {
  return new Intl.NumberFormat(language).format(value);
}

/** `12.4K` for places where a long number does not fit. Offer the whole number nearby. */
export function formatCompact({ language }: Locale, value: number): string {
  const options = { notation: 'compact', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat(language, options).format(value);
}

/** @param share from 0 to 1 */
export function formatPercent({ language }: Locale, share: number): string {
  const maximumFractionDigits = share > 0 && share < 0.1 ? 1 : 0;
  return new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits }).format(share);
}

/** The two largest units: `2 h 5 min`, `3 d`, `40 s`. */
export function formatDuration({ language }: Locale, seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const unit = (value: number, name: string) =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'narrow' }).format(value);
  const two = (large: number, name: string, rest: number, restName: string) =>
    rest === 0 ? unit(large, name) : `${unit(large, name)} ${unit(rest, restName)}`;
  if (whole < MINUTE) return unit(whole, 'second');
  if (whole < HOUR) return two(Math.floor(whole / MINUTE), 'minute', whole % MINUTE, 'second');
  if (whole < DAY)
    return two(Math.floor(whole / HOUR), 'hour', Math.floor((whole % HOUR) / MINUTE), 'minute');
  return two(Math.floor(whole / DAY), 'day', Math.floor((whole % DAY) / HOUR), 'hour');
}

/** `in 5 minutes`, `2 hours ago`. */
export function formatRelative({ language }: Locale, at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000);
  const size = Math.abs(seconds);
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  if (size < 5) return words.format(0, 'second');
  if (size < MINUTE) return words.format(seconds, 'second');
  if (size < HOUR) return words.format(Math.round(seconds / MINUTE), 'minute');
  if (size < DAY) return words.format(Math.round(seconds / HOUR), 'hour');
  if (size < 30 * DAY) return words.format(Math.round(seconds / DAY), 'day');
  if (size < 365 * DAY) return words.format(Math.round(seconds / (30 * DAY)), 'month');
  return words.format(Math.round(seconds / (365 * DAY)), 'year');
}

/** As `formatRelative`, of something that has happened: never a time ahead, whatever the clocks say. */
export function formatAgo(locale: Locale, at: number, now: number): string {
  return formatRelative(locale, Math.min(at, now), now);
}

/** Date and time with the zone: `23 Nov 2026, 08:20:15 GMT-3`. */
export function formatInstant({ language, zone }: Locale, at: number): string {
  return new Intl.DateTimeFormat(language, {
    timeZone: zone,
    dateStyle: 'medium',
    timeStyle: 'long',
    hourCycle: 'h23',
  }).format(at);
}

/**
 * Date and time without seconds, with the month as a word: `28 Nov 2026, 14:05`. In Portuguese the day always comes
 * first, so `28/11/2026, 14:05` has one reading.
 * @param own the viewer's zone; a time of another zone names it
 */
export function formatMoment({ language, zone }: Locale, at: number, own: string): string {
  const isPortuguese = language.startsWith('pt');
  return new Intl.DateTimeFormat(language, {
    timeZone: zone,
    year: 'numeric',
    month: isPortuguese ? '2-digit' : 'short',
    day: isPortuguese ? '2-digit' : 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(zone === own ? {} : { timeZoneName: 'short' }),
  }).format(at);
}

/** Two times of one stretch. Those of today are clock times. */
export function formatSpan(
  locale: Locale,
  [from, until]: readonly [number, number],
  { now, own }: { readonly now: number; readonly own: string },
): readonly [string, string] {
  const dayOf = (at: number) =>
    new Intl.DateTimeFormat('en', { timeZone: locale.zone, dateStyle: 'short' }).format(at);
  const isToday = [from, until].every((at) => dayOf(at) === dayOf(now));
  const write = (at: number) => (isToday ? formatClock(locale, at) : formatMoment(locale, at, own));
  return [write(from), write(until)];
}

/** A day of a calendar: `Sat 28 Nov`. @param day `YYYY-MM-DD` */
export function formatDay(language: string, day: string): string {
  return new Intl.DateTimeFormat(language, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  }).format(Date.parse(`${day}T12:00:00Z`));
}

/** A day of the year without its weekday, for an axis: `28 Nov`, and `28/11` in Portuguese. */
export function formatDate({ language, zone }: Locale, at: number): string {
  const isPortuguese = language.startsWith('pt');
  return new Intl.DateTimeFormat(language, {
    timeZone: zone,
    month: isPortuguese ? '2-digit' : 'short',
    day: isPortuguese ? '2-digit' : 'numeric',
  }).format(at);
}

export function formatClock({ language, zone }: Locale, at: number): string {
  return new Intl.DateTimeFormat(language, {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at);
}

/** A clock time with its seconds: `14:05:20`. */
export function formatClockSeconds({ language, zone }: Locale, at: number): string {
  return new Intl.DateTimeFormat(language, { timeZone: zone, timeStyle: 'medium', hourCycle: 'h23' }).format(
    at,
  );
}

/** `GMT-3`, or the zone's short name where the language has one. */
export function zoneOffset({ language, zone }: Locale, at: number): string {
  const parts = new Intl.DateTimeFormat(language, {
    timeZone: zone,
    timeZoneName: 'shortOffset',
  }).formatToParts(at);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export function formatBytes({ language }: Locale, bytes: number): string {
  const step = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit: BYTE_UNITS[step] ?? 'byte',
    // The short form of a byte has no plural: `98 byte`.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(bytes / 1000 ** step);
}
