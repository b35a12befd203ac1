// Points in time as operators write them.
import { InvalidArgumentError } from 'commander';

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parser of `2026-11-20T06:00:00-03:00`, or of a duration before now: `30m`, `12h`, `3d`. */
export function when(text: string): Date {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount !== undefined) return new Date(Date.now() - Number(amount) * UNITS[unit as keyof typeof UNITS]);
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || !/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(text))
    throw new InvalidArgumentError(
      'write a time with its offset, such as 2026-11-20T06:00:00-03:00, or a duration such as 30m, 12h or 3d.',
    );
  return date;
}
