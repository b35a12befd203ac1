// Builds a mapping from guesses.

import type { RecognizedFile } from '../jobs/sync/contract/first-sync.ts';
import { type Guess, plainName } from '../mapping/column-names.ts';
import type { Expression, MappingConfig } from '../mapping/config.ts';
import { readCountry } from '../mapping/country.ts';
import type { Column, ColumnGuess } from './columns.ts';

type Card = NonNullable<MappingConfig['card']>;

/** Separators of several tags in a cell; the longest first. */
const SEPARATORS = [' ::: ', ';', '|', ','];
/** Number of stages to name. */
const MAX_STAGES = 40;

/** A mobile number or a chat number reaches somebody before a number at work does. */
function rankOfNumber(name: string): number {
  const plain = plainName(name);
  if (/whats|zap/.test(plain)) return 0;
  if (/mobile|celular|cell|movil|movel/.test(plain)) return 1;
  return /\b(?:work|home|other|comercial|trabalho|residencial|outros?|fixo|2)\b/.test(plain) ? 3 : 2;
}

/** The mapping without a card. Null when no column has a number. */
export function draftMapping(
  columns: readonly Column[],
  guesses: readonly ColumnGuess[],
  { country, format }: RecognizedFile['country'],
): MappingConfig | null {
  const of = (guess: Guess) => guesses.filter((one) => one.guess === guess).map(({ name }) => name);
  const numbers = of('number').toSorted((a, b) => rankOfNumber(a) - rankOfNumber(b));
  if (numbers.length === 0) return null;
  const name = nameOf(of('name'), of('firstName'), of('lastName'));
  const [email, document, disableBot] = [of('email'), of('document'), of('disableBot')];
  const countryColumn = of('country').find((name) => hasSeveral(columns, name));
  const tags = of('tags').map((column) => {
    const split = separatorOf(columns.find(({ name }) => name === column)?.values ?? []);
    return split === undefined ? { path: column } : { path: column, split };
  });
  return {
    ...(country === null ? {} : { defaultCountry: country }),
    ...(format === 'auto' ? {} : { numberFormat: format }),
    contact: {
      number: anyOf(numbers),
      ...(countryColumn === undefined ? {} : { country: column(countryColumn) }),
      ...(name === null ? {} : { name }),
      ...(email.length === 0 ? {} : { email: anyOf(email) }),
      ...(document.length === 0 ? {} : { document: anyOf(document) }),
      ...(disableBot.length === 0 ? {} : { disableBot: anyOf(disableBot) }),
    },
    tags,
    extraInfo: {},
  };
}

/** Whether a column names several countries: with one, the country of all numbers says the same. */
function hasSeveral(columns: readonly Column[], name: string): boolean {
  const values = columns.find((column) => column.name === name)?.values ?? [];
  return new Set(values.map(readCountry).filter((country) => country !== null)).size > 1;
}

/** The card that the columns of stages suggest; its names are those of the file. Null without such a column. */
export function draftCard(columns: readonly Column[], guesses: readonly ColumnGuess[]): Card | null {
  const best = (guess: Guess) =>
    guesses.filter((one) => one.guess === guess).toSorted((a, b) => b.confidence - a.confidence)[0]?.name;
  const valuesOf = (name: string | undefined) => columns.find((one) => one.name === name)?.values ?? [];
  const stage = best('stage');
  if (stage === undefined) return null;
  const words = [...new Set(valuesOf(stage))].slice(0, MAX_STAGES);
  const [title, closeDate] = [best('title'), best('closeDate')];
  return {
    pipeline: valuesOf(best('pipeline'))[0] ?? 'Sales',
    stage: { path: stage, map: Object.fromEntries(words.map((word) => [word, word])) },
    ...(title === undefined ? {} : { title: column(title) }),
    ...(closeDate === undefined ? {} : { expectedCloseDate: column(closeDate) }),
    customFields: {},
  };
}

function nameOf(
  whole: readonly string[],
  first: readonly string[],
  last: readonly string[],
): Expression | null {
  // `Nome` beside `Sobrenome` is the first name.
  const [given] = first.length > 0 ? first : last.length > 0 ? whole : [];
  const [family] = last;
  const isPlain = [given, family].every((name) => name !== undefined && !/[{}]/.test(name));
  if (isPlain) return `{{${given}}} {{${family}}}`;
  const names = [...whole, ...first];
  return names.length === 0 ? null : anyOf(names);
}

function anyOf(names: readonly string[]): Expression {
  const [only] = names;
  if (names.length === 1 && only !== undefined) return column(only);
  return names.some(isSpecial) ? { first: [...names] } : [...names];
}

/** A name that a text would read as a template or as JSONata. */
const isSpecial = (name: string) => name.startsWith('=') || name.includes('{{');

function column(name: string): Expression {
  return isSpecial(name) ? { path: name } : name;
}

function separatorOf(values: readonly string[]): string | undefined {
  return SEPARATORS.find((separator) => values.some((value) => value.includes(separator)));
}
