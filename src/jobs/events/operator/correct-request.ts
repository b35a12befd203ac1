// Checks a request that an operator has corrected by hand.
import { isDeepStrictEqual } from 'node:util';
import { canonicalKey } from '../../../mapping/phone/index.ts';
import { EventRequest } from '../contract/intake.ts';

type Corrected =
  | { readonly ok: true; readonly request: EventRequest }
  /** `reason` names fields, and contains no value. */
  | { readonly ok: false; readonly reason: string };

type Json = Readonly<Record<string, unknown>>;

/**
 * The corrected request. Keys follow the numbers that they belong to. The action and the rules for downloads come from
 * the configuration, so nobody changes them here.
 */
export function correct(stored: EventRequest, given: unknown): Corrected {
  const keyed = withKeys(given);
  const parsed = EventRequest.safeParse(keyed);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join('.') || 'request'}: ${HINTS.get(path.at(-1)) ?? message}`,
    );
    return refused(problems.join('; '));
  }
  const request = parsed.data;
  const [unknown] = unknownFields(keyed, request, '');
  if (unknown !== undefined)
    return refused(`${unknown}: a ${request.type} has no such field; correct its name, or remove it`);
  if (request.type !== stored.type)
    return refused(`type: the event is a ${stored.type}, and its route does nothing else; leave it`);
  if (!isDeepStrictEqual(rulesOf(request), rulesOf(stored)))
    return refused('media: only its urls can be corrected; the other fields come from the configuration');
  return { ok: true, request };
}

const refused = (reason: string): Corrected => ({ ok: false, reason });

const NUMBER = '7 to 15 digits with the country code, without plus or spaces';
const HINTS: ReadonlyMap<PropertyKey | undefined, string> = new Map([
  ['number', `write ${NUMBER}`],
  ['key', 'it follows the number; add the number'],
  ['to', `needs a number (${NUMBER}) or a conversation (its id)`],
  ['of', `needs a number (${NUMBER}) or a card (its id)`],
]);

/** The request with the key of each number, wherever a request has one. */
function withKeys(given: unknown): unknown {
  if (!isObject(given)) return given;
  const keyed = keyOf(given, given.number);
  for (const place of ['to', 'of']) {
    const who = keyed[place];
    if (isObject(who)) keyed[place] = keyOf(who, who.number);
  }
  const { record } = keyed;
  if (isObject(record) && isObject(record.contact)) keyed.record = keyOf(record, record.contact.number);
  return keyed;
}

const keyOf = (holder: Json, number: unknown): Record<string, unknown> =>
  typeof number === 'string' ? { ...holder, key: canonicalKey(number) } : { ...holder };

/** Places of fields that the schema has left out. */
function unknownFields(given: unknown, kept: unknown, at: string): string[] {
  if (!isObject(given) || !isObject(kept)) return [];
  return Object.entries(given).flatMap(([name, value]) => {
    const place = at === '' ? name : `${at}.${name}`;
    return Object.hasOwn(kept, name) ? unknownFields(value, kept[name], place) : [place];
  });
}

/** Null: the request has no files to download. */
function rulesOf(request: EventRequest): Json | null {
  if (request.type !== 'message' || request.media === undefined) return null;
  const { urls: _, ...rules } = request.media;
  return rules;
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;
