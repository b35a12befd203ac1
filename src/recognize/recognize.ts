// Recognizes a table of people: its form, the CRM that wrote it, what its columns are, and a mapping as a first draft.

import { readCsvTable, type TableForm } from '../connectors/sources/csv/csv.ts';
import { wholePercents } from '../connectors/sources/csv/encoding.ts';
import type { SourceNote } from '../core/source.ts';
import { guessOfName } from '../mapping/column-names.ts';
import type { MappingConfig } from '../mapping/config.ts';
import { type Column, type ColumnGuess, guessColumn } from './columns.ts';
import { type CountryGuess, guessCountry, rulesOf } from './country.ts';
import { draftCard, draftMapping } from './draft.ts';
import { guessPreset, type PresetGuess } from './presets.ts';

export interface Recognized {
  readonly delimiter: string;
  readonly encoding: { readonly name: string; readonly confidence: number };
  /** False: the first line looks like a row. A sync needs a line with names above it. */
  readonly header: boolean;
  readonly preset: PresetGuess | null;
  readonly country: CountryGuess;
  readonly columns: readonly ColumnGuess[];
  /** Null when no column has phone numbers. */
  readonly mapping: MappingConfig | null;
  /** With the stages of the file; the names of the account's stages are not known here. */
  readonly card: MappingConfig['card'] | null;
  /** What the source noticed: titles, footers, a doubtful encoding. Without a value of a row. */
  readonly notes: readonly SourceNote[];
  /** Number of rows that the guesses are made from. */
  readonly rows: number;
}

/** Rows that the guesses are made from. */
const ROWS = 1000;

/**
 * @param bytes the whole file, or its beginning up to a line break
 * @param name for messages
 * @param form how the table is written. Default: as it is recognized
 * @throws SourceError when it is empty, binary, or not a table
 */
export async function recognize(bytes: Uint8Array, name = 'the file', form?: TableForm): Promise<Recognized> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const table = await readCsvTable(buffer, name, ROWS, form);
  const columns = table.header.map((column, at): Column => {
    const values = table.rows.flatMap(({ values }) => (values === null ? [] : [textOf(values[column])]));
    // Without a header the names are the values of the first row.
    const all = table.hasHeader ? values : [column, ...values];
    return {
      name: table.hasHeader ? column : `column ${at + 1}`,
      values: all.filter((value) => value !== ''),
    };
  });
  const header = columns.map((column) => column.name);
  const country = guessCountry(
    header,
    columns.filter(mayHaveNumbers).flatMap(({ values }) => values),
  );
  const rules = rulesOf(country);
  const columnGuesses = columns.map((column) => guessColumn(column, rules));
  return {
    delimiter: table.delimiter,
    encoding: { name: table.encoding, confidence: wholePercents(table.encodingSure) / 100 },
    header: table.hasHeader,
    preset: guessPreset(header),
    country,
    columns: columnGuesses,
    mapping: draftMapping(columns, columnGuesses, country),
    card: draftCard(columns, columnGuesses),
    notes: table.notes,
    rows: table.rows.length,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** By the name, or because most values have as many digits as a number and nothing else. */
function mayHaveNumbers({ name, values }: Column): boolean {
  const named = guessOfName(name);
  if (named !== null) return named === 'number';
  const judged = values.slice(0, 50);
  const like = judged.filter(
    (value) => /^[="'+(\s\d).-]{8,24}$/.test(value) && /^(?:\D*\d){8,15}\D*$/.test(value),
  );
  return judged.length > 0 && like.length / judged.length > 0.8;
}
