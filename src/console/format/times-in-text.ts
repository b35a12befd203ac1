// Times within a sentence of the server, as the page shows its own: in the page's language and zone.
import { instantOf } from './wall-time.ts';

/** `2026-11-27T15:00:00.123Z`, `2026-11-27 15:00+00`, or `2026-11-20 10:00 (America/Sao_Paulo)`. */
const TIME =
  /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:(Z|[+-]\d\d(?::?\d\d)?)| \(([A-Za-z]+(?:\/[\w+-]+)*)\))/g;

/** @param write shows one time, ISO 8601 */
export function withTimes(text: string, write: (at: string) => string): string {
  return text.replace(TIME, (found: string, day: string, clock: string, offset?: string, zone?: string) => {
    const wall = Date.parse(`${day}T${clock}Z`);
    if (Number.isNaN(wall)) return found;
    if (zone !== undefined)
      return isZone(zone) ? write(new Date(instantOf(wall, zone)).toISOString()) : found;
    const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset ?? '') ?? [];
    const ahead = hours === undefined ? 0 : Number(hours) * 60 + Number(minutes ?? 0);
    return write(new Date(wall - (sign === '-' ? -ahead : ahead) * 60_000).toISOString());
  });
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
