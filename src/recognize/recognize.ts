// Recognizes a table of people: its form, the CRM that wrote it, what its columns are, and a mapping as a first draft.

import { readCsvTable, type TableForm } from '../connectors/sources/csv/csv.ts';
import { wholePercents } from '../connectors/sources/csv/encoding.ts';
import type { RecognizedFile } from '../jobs/sync/contract/first-sync.ts';
import { guessOfName } from '../mapping/column-names.ts';
import type { MappingConfig } from '../mapping/config.ts';
import { type Column, type ColumnGuess, guessColumn } from './columns.ts';
import { guessCountry, rulesOf } from './country.ts';
import { draftCard, draftMapping } from './draft.ts';
import { guessPreset, type PresetGuess } from './presets.ts';

/** `card`: with the stages of the file; the names of the account's stages are not known here. */
export type Recognized = Omit<RecognizedFile, 'preset' | 'columns' | 'card'> & {
  readonly preset: PresetGuess | null;
  readonly columns: readonly ColumnGuess[];
  readonly card: MappingConfig['card'] | null;
};

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
