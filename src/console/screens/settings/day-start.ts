// The begin of a day in a time zone.

const DAY_MS = 86_400_000;

/**
 * @param day `2026-11-23`, as a date field gives it
 * @param zone IANA name
 * @param after days later
 * @returns ISO 8601; undefined for anything that is not a day
 */
export function dayStart(day: string | undefined, zone: string, after: number): string | undefined {
  if (day === undefined || !/^\d{4}-\d\d-\d\d$/.test(day)) return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`) + after * DAY_MS;
  if (Number.isNaN(midnight)) return undefined;
  // Twice, because the offset may change between the first guess and the answer.
  const guess = midnight - offsetAt(midnight, zone);
  return new Date(midnight - offsetAt(guess, zone)).toISOString();
}

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
  return shown - at;
}
