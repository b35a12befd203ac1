// Reads what an operator typed to find a person: a number in any spelling, an e-mail address, an id, or a name.

import { canonicalKey, isCountry, type PhoneRules, parsePhone } from '../../../mapping/phone/index.ts';
import type { IdentityQuery } from '../../store/people/identity-match.ts';
import type { FoundBy, PeopleQuery } from '../../store/people/people-search.ts';

export type ReadQuery = Omit<PeopleQuery & IdentityQuery, 'whole'>;

/** `contact 12`, `card:34`, `event abc` */
const KIND = /^(contact|card|conversation|member|record|event|request)[\s:#]+(\S+)$/i;
/** `acme/leads/3 17`: a row of a run of a sync, or a member of a run of a campaign. */
const ROW = /^([^\s/]+\/[^\s/]+\/\d+)[\s:#]+(\d{1,9})$/;
const ID = /^#?(\d{1,15})$/;
/** Ids of the chat network are numbers. */
const NETWORK_ID = /@(?:c\.us|s\.whatsapp\.net)$/i;
/** Ids that the search answers. */
const PERSON = /^(?:[pcmrte]\d{1,15}|o[0-9a-f]{32})$/i;
const TOKEN = /^\S{6,100}$/;
/** The shortest numbers have seven digits. */
const SHORTEST = 7;
const LONGEST = 15;
/** Rows may have any part of a number. */
const SHORTEST_WRITTEN = 3;
const TAIL = 8;

/** @param countries country codes in which numbers without a country code may be */
export function readQuery(
  text: string,
  accounts: readonly string[],
  countries: readonly string[],
): ReadQuery {
  const [, kind, named] = KIND.exec(text) ?? [];
  const [, run, row] = ROW.exec(text) ?? [];
  const isRow = run !== undefined;
  const words = named ?? text;
  const isEmail = kind === undefined && !isRow && /^\S*@\S*$/.test(words) && !NETWORK_ID.test(words);
  const digits = kind === undefined && !isRow && !isEmail ? text.replace(/\D/g, '') : '';
  const id = isRow ? undefined : ID.exec(words)?.[1];
  const isToken = !isEmail && !isRow && TOKEN.test(words);
  const only = kind?.toLowerCase();
  return {
    accounts,
    keys: digits.length >= SHORTEST ? keysOf(text, digits, countries) : [],
    ref: PERSON.test(text) ? text.toLowerCase() : null,
    email: isEmail ? words : null,
    name: kind === undefined && !isRow && !isEmail && /\p{L}/u.test(text) ? text : null,
    id: id === undefined || only === 'event' || only === 'request' ? null : Number(id),
    idKind: only === undefined || only === 'event' || only === 'request' ? null : (only as FoundBy),
    event: isToken && (only === undefined || only === 'event') ? words : null,
    request: isToken && (only === undefined || only === 'request') ? words : null,
    row: isRow ? { run, row: Number(row) } : null,
    digits: digits.length >= SHORTEST_WRITTEN ? digits : null,
    tail: digits.length >= TAIL ? digits.slice(-TAIL) : null,
  };
}

/** Every number that the text may be. Somebody who searches is shown all of them; a sync would refuse the number. */
function keysOf(text: string, digits: string, countries: readonly string[]): string[] {
  const rules: PhoneRules[] = [
    { format: 'international' },
    ...countries
      .filter(isCountry)
      .flatMap((country) => (['national', 'international'] as const).map((format) => ({ country, format }))),
  ];
  const found = rules.flatMap((rule) => {
    const result = parsePhone(text, rule);
    return result.ok ? [canonicalKey(result.number)] : [];
  });
  // As the service may have it, even if no carrier has such a number.
  const written = digits.replace(/^00/, '');
  if (written.length <= LONGEST) found.push(canonicalKey(written));
  return [...new Set(found)];
}

/** All default countries that the configuration names, wherever they stand. */
export function countriesIn(config: unknown): string[] {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, item] of Object.entries(value)) {
      if (name === 'defaultCountry' && typeof item === 'string') found.add(item);
      else walk(item);
    }
  };
  walk(config);
  return [...found];
}
