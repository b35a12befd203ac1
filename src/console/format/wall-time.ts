// What clocks of a time zone show, and back.

/** Milliseconds by which clocks of the zone are ahead of UTC. */
function offsetAt(at: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const of = (name: string) => Number(parts.find(({ type }) => type === name)?.value);
  const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return shown - at + (at % 1000);
}

/**
 * @param wall milliseconds of the wall time, as if it were UTC
 * @returns the instant at which clocks of the zone show it
 */
export function instantOf(wall: number, zone: string): number {
  // Twice, because the offset may change between the first guess and the answer.
  const guess = wall - offsetAt(wall, zone);
  return wall - offsetAt(guess, zone);
}

/**
 * @param text an ISO time with its offset, as the configuration has it
 * @returns `2026-12-01T09:00`, with seconds where there are some, as a field of date and time takes it; null when the
 * text is no such time
 */
export function wallTime(text: string, zone: string): string | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/.test(text)) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) return null;
  return new Date(at + offsetAt(at, zone)).toISOString().slice(0, at % 60_000 === 0 ? 16 : 19);
}

/**
 * @param wall `2026-12-01T09:00`, with or without seconds
 * @returns `2026-12-01T09:00:00-03:00`; null when it is no time
 */
export function isoTime(wall: string, zone: string): string | null {
  const shown = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(wall) ? Date.parse(`${wall}Z`) : Number.NaN;
  if (Number.isNaN(shown)) return null;
  const at = instantOf(shown, zone);
  const offset = offsetAt(at, zone);
  const minutes = Math.abs(Math.round(offset / 60_000));
  const pad = (n: number) => String(n).padStart(2, '0');
  const sign = offset < 0 ? '-' : '+';
  const text = new Date(at + offset).toISOString().slice(0, 19);
  return `${text}${sign}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
