// Can a source be read, and does it have the columns that a mapping reads? No value of a row is shown.
import { nearest } from '../config/suggest.ts';
import type { MappingConfig, SourceConfig } from '../contracts/config.ts';
import { type Source, SourceError, type SourceErrorCode } from '../contracts/source.ts';
import { compileMapping } from '../mapping/index.ts';
import { fold } from '../mapping/text.ts';
import type { Cause, Findings } from './findings.ts';

/** Rows that are looked at: JSON names its properties row by row. */
const ROWS = 200;

const CAUSES: Partial<Record<SourceErrorCode, Cause>> = {
  unreachable: 'unreachable',
  busy: 'unreachable',
  denied: 'auth',
};

export interface SourceUse {
  readonly sync: string;
  readonly source: string;
  readonly config: SourceConfig;
  readonly mapping: MappingConfig;
}

export async function checkSource(
  use: SourceUse,
  open: (config: SourceConfig) => Source,
  findings: Findings,
): Promise<void> {
  const check = `sources.${use.source}`;
  let keys: string[];
  try {
    const { rows, next } = await open(use.config).read(null, { limit: ROWS });
    const broken = rows.filter(({ values }) => values === null).length;
    keys = [...new Set(rows.flatMap(({ values }) => (values === null ? [] : Object.keys(values))))];
    if (rows.length === 0) {
      findings.warning(check, 'has no rows, so its columns can not be told');
      return;
    }
    findings.ok(check, `is there, with ${keys.length} columns in its first ${rows.length} rows`);
    if (next === null && isPagedByAnswer(use.config))
      findings.ok(check, 'its first page names no next one: compare `pagination` if there should be more');
    if (broken > 0) findings.warning(check, `${broken} of its first ${rows.length} rows can not be read`);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    findings.problem(check, error.message, { cause: CAUSES[error.code] });
    return;
  }
  checkColumns(use, keys, findings);
}

/** A misspelt path to the next page looks like the end of the list. */
function isPagedByAnswer(config: SourceConfig): boolean {
  return config.type === 'http' && (config.pagination.type === 'cursor' || config.pagination.type === 'link');
}

function checkColumns(use: SourceUse, keys: readonly string[], findings: Findings): void {
  const check = `syncs.${use.sync}`;
  const has = (column: string) =>
    keys.some((key) => fold(key) === fold(column) || fold(key) === fold(column.split('.')[0] ?? ''));
  const { columns } = compileMapping(use.mapping);
  const missing = columns.filter((column) => !has(column));
  const numbers = compileMapping({
    contact: { number: use.mapping.contact.number },
    tags: [],
    extraInfo: {},
  }).columns;
  if (numbers.length > 0 && !numbers.some(has)) {
    findings.problem(check, 'no column of contact.number is in the source: every row would be refused', {
      hint: nearOf(numbers, keys, use.config),
    });
  }
  const { contact, extraInfo, card, tags } = use.mapping;
  const spare = sparable(
    [{ contact, extraInfo, card }, ...tags.filter((tag) => typeof tag !== 'string')],
    has,
  );
  for (const column of missing) {
    const text = `the mapping reads ${JSON.stringify(column)}, which the source does not have`;
    const hint = nearOf([column], keys, use.config);
    // In JSON a property may be absent from the rows that were looked at; of alternatives another one is there.
    if (use.config.type === 'jsonl' || use.config.type === 'http' || spare.has(column))
      findings.warning(check, text, hint);
    else findings.problem(check, text, { hint });
  }
  if (missing.length === 0)
    findings.ok(check, `the source has all ${columns.length} columns that the mapping reads`);
}

/** A name near to a column of the mapping. Other columns are not listed: a file without a header has a person there. */
function nearOf(wanted: readonly string[], keys: readonly string[], { type }: SourceConfig): string {
  const near = wanted.map((column) => nearest(column, keys)).find((found) => found !== undefined);
  if (near !== undefined) return `did you mean "${near}"?`;
  if (type === 'postgres') return 'compare with the columns of the table or query';
  return type === 'http'
    ? 'compare with a row of the answer, and look at `item`'
    : 'compare with the first line of the file';
}

/** Columns of lists of alternatives of which another one is there. */
function sparable(value: unknown, has: (column: string) => boolean, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) {
    const texts = value.filter((item): item is string => typeof item === 'string');
    if (texts.length > 1 && texts.some(has)) for (const text of texts) found.add(text);
  }
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) sparable(inner, has, found);
  }
  return found;
}
