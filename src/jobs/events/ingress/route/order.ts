// Reads how new an event is, for routes that order their events.
import { RefusedError } from '../intake.ts';
import { type JsonObject, kindOf } from './json.ts';
import { compilePath } from './path.ts';

/** Long floats in JSON arrive as text. */
const NUMERAL = /^\d+(?:\.\d+)?$/;
const TIME =
  /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * Reads the rank of an event: larger is newer. Numbers and digit strings count as they are. Times with an offset count
 * as milliseconds since 1970 with fractions. Numbers beyond 2^53 are refused: neighbors would be equal, and one absurd
 * number would overtake all that follow.
 * @throws RouteConfigError for an unsafe path
 * @returns a function that throws RefusedError `BAD_ORDER`: an ordered route cannot guess a rank
 */
export function compileOrder(route: string, path: string | undefined): (view: JsonObject) => number | null {
  if (path === undefined) return () => null;
  const read = compilePath(route, 'order', path);
  return (view) => {
    const value = read(view);
    const rank = toRank(value);
    if (rank !== undefined) return rank;
    const missing = value === undefined || value === null;
    const problem = missing ? 'is missing' : `is ${kindOf(value)}, not a usable number or time`;
    const reason = `order "${path}" ${problem}; send a number up to ${Number.MAX_SAFE_INTEGER}, or an ISO time with Z or an offset`;
    throw new RefusedError('BAD_ORDER', 422, reason, [{ field: path, code: 'bad_order', reason }]);
  };
}

function toRank(value: unknown): number | undefined {
  if (typeof value === 'number') return countable(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (!NUMERAL.test(text)) return toTime(text);
  return countable(Number(text));
}

function countable(rank: number): number | undefined {
  return Math.abs(rank) <= Number.MAX_SAFE_INTEGER ? rank : undefined;
}

function toTime(text: string): number | undefined {
  const [, day, minute, second = ':00', fraction = '', offset] = TIME.exec(text) ?? [];
  if (day === undefined || offset === undefined) return undefined;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Date.parse turns 30 February into a day in March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  // It truncates to milliseconds. Databases write three digits more.
  const whole = Date.parse(`${day}T${minute}${second}${offset.toUpperCase()}`);
  return whole + (fraction === '' ? 0 : Number(`0${fraction}`) * 1000);
}
