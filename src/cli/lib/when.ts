// Points in time as operators write them.
import { InvalidArgumentError } from 'commander';

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

/** What {@link when} reads, for help texts. */
export const WHEN = 'a time with offset, today, yesterday, 20:00, or a duration such as 12h';

/**
 * Parser of `2026-11-20T06:00:00-03:00`; of a duration before now: `30m`, `12h`, `3d`; and of `today`, `yesterday`,
 * `20:00` (the last time that it was) and `yesterday 20:00` in the zone of the process, which `sluice` sets to that of
 * the account.
 */
export function when(text: string, now?: unknown): Date {
  // commander passes the value before as the second argument.
  const at = now instanceof Date ? now : new Date();
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (amount !== undefined)
    return new Date(at.getTime() - Number(amount) * UNITS[unit as keyof typeof UNITS]);
  return clockTime(text, at) ?? exactTime(text);
}

function clockTime(text: string, now: Date): Date | null {
  const [whole, day, hour, minute] =
    /^(today|yesterday)?(?:(?<!^)[ T]|^|$)(?:([01]?\d|2[0-3]):([0-5]\d))?$/.exec(text) ?? [];
  if (whole === undefined || (day === undefined && hour === undefined)) return null;
  const at = new Date(
    now.getFullYear(),
    now.getMonth(),
    now.getDate(),
    Number(hour ?? 0),
    Number(minute ?? 0),
  );
  const isBefore = day === 'yesterday' || (day === undefined && at > now);
  if (isBefore) at.setDate(at.getDate() - 1);
  return at;
}

function exactTime(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime()) || !/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(text))
    throw new InvalidArgumentError(
      'write a time with its offset, such as 2026-11-20T06:00:00-03:00; today, yesterday, 20:00 or "yesterday 20:00"; or a duration such as 30m, 12h or 3d.',
    );
  return date;
}
