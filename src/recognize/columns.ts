// Guesses what each column of a table is: by its name and by its values. A name alone or values alone are less sure.
import type { RecognizedFile } from '../jobs/sync/contract/first-sync.ts';
import { type Guess, guessOfName } from '../mapping/column-names.ts';
import { readCountry } from '../mapping/country.ts';
import { type PhoneRules, parsePhone } from '../mapping/phone/index.ts';
import { isDocument } from './documents.ts';

export interface Column {
  readonly name: string;
  /** Values that are not empty, in the order of the rows. */
  readonly values: readonly string[];
}

/** Confidence below 0.7: somebody should look at it. The samples are in clear. */
export type ColumnGuess = RecognizedFile['columns'][number] & { readonly guess: Guess | null };

/** Samples of a column whose values are judged. */
const JUDGED = 200;
const SAMPLES = 3;

export function guessColumn({ name, values }: Column, rules: PhoneRules): ColumnGuess {
  const judged = values.slice(0, JUDGED);
  const named = guessOfName(name);
  const { guess, confidence } = judge(named, judged, rules);
  return {
    name,
    guess,
    confidence: Math.round(confidence * 100) / 100,
    samples: [...new Set(judged)].slice(0, SAMPLES),
    filled: values.length,
  };
}

interface Judged {
  readonly guess: Guess | null;
  readonly confidence: number;
}

/** Share of values that a guess needs when the name says it, and when the name says nothing. */
const ENOUGH = 0.3;
const CLEAR = 0.8;

function judge(named: Guess | null, values: readonly string[], rules: PhoneRules): Judged {
  if (named !== null) {
    const fit = values.length === 0 ? 0 : shareOf(named, values, rules);
    if (values.length === 0) return { guess: named, confidence: 0.5 };
    if (fit >= ENOUGH) return { guess: named, confidence: 0.5 + fit / 2 };
  }
  if (values.length === 0 || named === 'id' || named === 'value' || named === 'closeDate')
    return { guess: null, confidence: 0 };
  // A CPF has eleven digits, as a mobile number has: the digits that check it decide.
  for (const guess of ['email', 'document', 'number'] as const) {
    const fit = shareOf(guess, values, rules);
    if (fit >= CLEAR) return { guess, confidence: fit * 0.8 };
  }
  return { guess: null, confidence: 0 };
}

const TESTS: Readonly<Partial<Record<Guess, (value: string, rules: PhoneRules) => boolean>>> = {
  number: (value, rules) => parsePhone(value, rules).ok,
  country: (value) => readCountry(value) !== null,
  email: (value) => /^[^@\s]+@[^@\s]+\.\p{L}{2,}/u.test(value),
  document: (value) => isDocument(value),
  name: (value) => /\p{L}/u.test(value) && !/[@\d]{3}/.test(value),
  firstName: (value) => /\p{L}/u.test(value) && !/[@\d]{3}/.test(value),
  lastName: (value) => /\p{L}/u.test(value) && !/[@\d]{3}/.test(value),
  tags: (value) => /\p{L}/u.test(value) && value.length <= 200,
  disableBot: (value) =>
    /^(?:s(?:im|i|í)?|n(?:ao|ão|o)?|y(?:es)?|true|false|verdadeiro|falso|[01])$/i.test(value),
  closeDate: (value) => /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}/.test(value) || /^\d{8}$/.test(value),
  value: (value) => /^[\p{Sc}A-Z\s]*-?[\d.,\s]+$/u.test(value),
};

function shareOf(guess: Guess, values: readonly string[], rules: PhoneRules): number {
  if (guess === 'stage' || guess === 'pipeline') return repetition(values);
  const test = TESTS[guess];
  return test === undefined ? 1 : values.filter((value) => test(value, rules)).length / values.length;
}

/** Stages repeat: a column with a different text in every row is none. */
function repetition(values: readonly string[]): number {
  const distinct = new Set(values).size;
  if (values.length < 5) return 0.6;
  return distinct > 40 ? 0 : Math.max(0, 1 - distinct / values.length);
}
