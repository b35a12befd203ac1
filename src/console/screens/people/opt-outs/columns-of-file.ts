// Which columns of a list of opt-outs are what, by their names, and in which offset its times may be.
import { isoTime } from '../../../format/wall-time.ts';

const NAMES = {
  time: /^at$|date|data|time|hora|when|quando|since|desde/i,
  evidence: /evid|motivo|reason/i,
} as const;

/** A proposal that the viewer sees and can change; empty when no name fits. */
export function guessOf(what: keyof typeof NAMES, columns: readonly { readonly name: string }[]): string {
  return columns.find(({ name }) => NAMES[what].test(name))?.name ?? '';
}

const WEST = 12;
const EAST = 14;

/** `-12:00` to `+14:00`, every hour. */
export const OFFSETS: readonly string[] = Array.from({ length: WEST + EAST + 1 }, (_, index) => {
  const hours = index - WEST;
  return `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;
});

/** The offset that clocks of the zone have now. */
export function offsetOf(zone: string, now: Date): string {
  return isoTime(now.toISOString().slice(0, 16), zone)?.slice(-6) ?? '';
}
