// Who an opt-out is about: a phone number, or the id of a person.
import type { Queryable } from '../../../core/sql/database.ts';
import { canonicalKey, isCountry, type PhoneRules, parsePhone } from '../../../mapping/phone/index.ts';
import { OperatorError } from '../../error.ts';
import { isPersonId, keyOf } from '../../store/people/person.ts';

/** Why a value is refused. The reason does not repeat the value. */
export interface Refusal {
  readonly code: string;
  readonly reason: string;
}

export function rulesOf(country: string | undefined): PhoneRules {
  if (country === undefined) return {};
  if (isCountry(country)) return { country };
  throw new OperatorError('invalid', `country: there is no country "${country}" with phone numbers`, {
    code: 'INPUT',
  });
}

export function readNumber(text: string, rules: PhoneRules): { readonly key: string } | Refusal {
  const phone = parsePhone(text, rules);
  if (phone.ok) return { key: canonicalKey(phone.number) };
  const isLocal = rules.country === undefined && !/^\s*(?:\+|00)/.test(text);
  if (!isLocal) return { code: phone.code, reason: phone.reason };
  // The way out that the reason names is one of mappings.
  const [what] = phone.reason.split('; ');
  return { code: phone.code, reason: `${what}; write + and the country code, or name the country` };
}

/**
 * @param text a number, or the id of a person of the account
 * @returns the person's key
 * @throws OperatorError (invalid) for a number that is none, or may be two, and NO_NUMBER for a person without one;
 * (notFound) NO_SUCH_PERSON
 */
export async function optOutKey(
  db: Queryable,
  account: string,
  text: string,
  country: string | undefined,
): Promise<string> {
  const rules = rulesOf(country);
  if (isPersonId(text)) return await keyOfPerson(db, account, text);
  const read = readNumber(text, rules);
  if ('key' in read) return read.key;
  throw new OperatorError('invalid', `number: ${read.reason}`, { code: read.code });
}

async function keyOfPerson(db: Queryable, account: string, person: string): Promise<string> {
  const key = await keyOf(db, account, person);
  if (key === undefined)
    throw new OperatorError(
      'notFound',
      `the account "${account}" has no person ${person}; search again, or write the number`,
      { code: 'NO_SUCH_PERSON' },
    );
  // Whoever knows an erased person by the pseudonym alone does not know who it is.
  if (key === null || !/^\d+$/.test(key))
    throw new OperatorError('invalid', `Sluice has no number of person ${person}; write the number`, {
      code: 'NO_NUMBER',
    });
  return key;
}
