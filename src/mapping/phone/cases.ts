// Names the case of a phone number that was refused, so that the console can say it in its language. The ledger stores
// the code, which several cases share, and the sentence, which only one case has.
import type { NoteParams } from '../../core/endpoint.ts';
import * as refusals from './result.ts';

/** After the code, these are keys of the console's sentences. */
const CASES: readonly (readonly [which: string, refusal: refusals.PhoneRefusal])[] = [
  ['rounded', refusals.ROUNDED],
  ['decimal', refusals.DECIMAL],
  ['placeholder', refusals.PLACEHOLDER],
  ['letters', refusals.LETTERS],
  ['symbols', refusals.SYMBOLS],
  ['hidden', refusals.HIDDEN],
  ['otherColumn', refusals.OTHER_COLUMN],
  ['local', refusals.LOCAL],
  ['context', refusals.CONTEXT],
  ['short', refusals.SHORT],
  ['long', refusals.LONG],
  ['crowded', refusals.CROWDED],
  ['noCountry', refusals.NO_COUNTRY],
  ['notInternational', refusals.NOT_INTERNATIONAL],
  ['unknown', refusals.UNKNOWN],
  ['service', refusals.SERVICE],
  ['cut', refusals.CUT],
  ['several', refusals.SEVERAL],
  ['twoNumbers', refusals.TWO],
  ['groupId', refusals.GROUP_ID],
  ['innerId', refusals.INNER_ID],
  ['link', refusals.LINK],
];
const BY_REASON = new Map(CASES.map(([which, { reason }]) => [reason, which]));
const OF_COUNTRY = [
  ['notOf', refusals.notOf],
  ['groupedUnlike', refusals.groupedUnlike],
] as const;
const COUNTRY = /\b[A-Z]{2}\b/;

/** Undefined: the reason is none of a phone number, or its sentence names more than a country. */
export function phoneCase(reason: string | null): NoteParams | undefined {
  if (reason === null) return undefined;
  const which = BY_REASON.get(reason);
  if (which !== undefined) return { which: [which] };
  const country = COUNTRY.exec(reason)?.[0];
  if (country === undefined) return undefined;
  const found = OF_COUNTRY.find(([, refusalOf]) => refusalOf(country).reason === reason);
  return found === undefined ? undefined : { which: [found[0]], country };
}
