// Which keys an edit of the configuration changed, for the audit log: names, never values.
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';

/** A longer list names only the first level: below it, an entry may have a thousand keys that somebody chose. */
const MAX_CHARACTERS = 1000;

/**
 * Keys of the first two levels, such as `flow` or `windows.days`. The third level may have keys that are values of rows,
 * as `map` of a mapping has.
 * @param before as the file had the entry; null: there was none, so every key is new, and none is named
 * @param after as somebody sent it, and as it was accepted
 */
export function changedKeys(before: string | null, after: string): string[] {
  if (before === null) return [];
  const [old, now] = [keysOf(parse(before)), keysOf(parse(after))];
  const first = differences(old, now);
  const both = first.flatMap((key) => {
    const [was, is] = [keysOf(old[key]), keysOf(now[key])];
    const inner = differences(was, is);
    return inner.length === 0 ? [key] : inner.map((each) => `${key}.${each}`);
  });
  return both.join().length > MAX_CHARACTERS ? first : both;
}

type Keys = Readonly<Record<string, unknown>>;

/** Whatever is no mapping has no keys. */
function keysOf(value: unknown): Keys {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Keys) : {};
}

function differences(old: Keys, now: Keys): string[] {
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].filter((name) => !isDeepStrictEqual(old[name], now[name]));
}
