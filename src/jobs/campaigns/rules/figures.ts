// Formats numbers and times in the messages of campaigns.

const count = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const share = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 1 });

/** 12345.678 → `12,345.7`. */
export function plainNumber(n: number): string {
  return count.format(n);
}

/** 0.125 → `12.5%`. */
export function percent(part: number): string {
  return share.format(part);
}

/** Local time to the minute, with its zone: `2026-11-20 10:00 (America/Sao_Paulo)`. */
export function timeIn(zone: string, ms: number): string {
  const parts = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  // The Swedish date format is that of ISO 8601.
  const text = new Intl.DateTimeFormat('sv-SE', { ...parts, timeZone: zone, hourCycle: 'h23' }).format(ms);
  return `${text} (${zone})`;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Rounded to minutes, or above a day to hours: `2 days 3 hours`, `4 hours 5 minutes`, `less than a minute`. */
export function spanText(ms: number): string {
  const grain = ms >= 86_400_000 ? 3_600_000 : 60_000;
  let left = Math.round(ms / grain) * grain;
  const parts = UNITS.flatMap(([unit, size]) => {
    const n = Math.floor(left / size);
    left -= n * size;
    return n === 0 ? [] : [`${plainNumber(n)} ${unit}${n === 1 ? '' : 's'}`];
  });
  return parts.length === 0 ? 'less than a minute' : parts.join(' ');
}
