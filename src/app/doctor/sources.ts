// Checks that a source is readable and has the columns that a mapping reads. It shows no value of a row.

import type { SourceConfig } from '../../connectors/sources/config.ts';
import { type Source, SourceError, type SourceErrorCode } from '../../core/source.ts';
import { nearest } from '../../core/suggest.ts';
import type { MappingConfig } from '../../mapping/config.ts';
import { compileMapping, describeMissingNumber } from '../../mapping/index.ts';
import type { Cause, Findings } from './findings.ts';
import { quote, type Said, say } from './say.ts';

/** Number of rows to check: JSON names its properties row by row. */
const ROWS = 200;

const CAUSES: Partial<Record<SourceErrorCode, Cause>> = {
  unreachable: 'unreachable',
  busy: 'unreachable',
  denied: 'auth',
  format: 'usage',
  encoding: 'usage',
  no_header: 'usage',
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
    const { rows, next, columns, notes = [] } = await open(use.config).read(null, { limit: ROWS });
    const broken = rows.filter(({ values }) => values === null).length;
    keys = [...(columns ?? new Set(rows.flatMap(({ values }) => Object.keys(values ?? {}))))];
    if (rows.length === 0) findings.warning(check, say('CHECK_ROWS_NONE'));
    if (keys.length === 0) return;
    findings.ok(check, say('CHECK_COLUMNS', { count: keys.length, rows: rows.length }));
    if (next === null && isPagedByAnswer(use.config)) findings.ok(check, say('CHECK_PAGE_LAST'));
    if (isFile(use.config) && !notes.some(({ code }) => code.includes('ENCODING'))) {
      const { encoding } = use.config;
      findings.ok(check, say('CHECK_ENCODING', { encoding: encoding === 'auto' ? 'utf-8' : encoding }));
    }
    for (const { code, reason } of notes) {
      const note = quote(code, reason);
      if (code === 'ENCODING') findings.ok(check, note);
      else if (code === 'NOT_READ') findings.problem(check, note);
      else findings.warning(check, note);
    }
    if (broken > 0) findings.warning(check, say('CHECK_ROWS_BROKEN', { broken, rows: rows.length }));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const said = quote(error.failure, error.message);
    findings.problem(check, said, { cause: CAUSES[error.code] });
    return;
  }
  checkColumns(use, keys, findings);
}

function isFile(config: SourceConfig): config is Extract<SourceConfig, { encoding: string }> {
  return config.type === 'csv' || config.type === 'jsonl';
}

/** A misspelled path to the next page looks like the end of the list. */
function isPagedByAnswer(config: SourceConfig): boolean {
  return config.type === 'http' && (config.pagination.type === 'cursor' || config.pagination.type === 'link');
}

function checkColumns(use: SourceUse, keys: readonly string[], findings: Findings): void {
  const check = `syncs.${use.sync}`;
  const mapping = compileMapping(use.mapping);
  const missing = mapping.missing(keys);
  const withoutNumber = describeMissingNumber(mapping.numberColumns, keys);
  if (withoutNumber !== null) {
    const hint = use.config.type === 'http' ? say('FIX_COLUMN_ANSWER') : undefined;
    findings.problem(check, quote('CHECK_NUMBER_NONE', withoutNumber), {
      hint,
      cause: isFile(use.config) ? 'usage' : undefined,
    });
  }
  for (const column of missing) {
    const said = say('CHECK_COLUMN_NONE', { column: JSON.stringify(column) });
    const hint = nearOf([column], keys, use.config);
    // In JSON a property may be absent from the rows that were read.
    if (use.config.type === 'jsonl' || use.config.type === 'http') findings.warning(check, said, hint);
    else findings.problem(check, said, { hint });
  }
  if (missing.length === 0) findings.ok(check, say('CHECK_COLUMNS_ALL'));
}

/** A column with a similar name. Others are not listed: in a file without a header, they are personal data. */
function nearOf(wanted: readonly string[], keys: readonly string[], { type }: SourceConfig): Said {
  const near = wanted.map((column) => nearest(column, keys)).find((found) => found !== undefined);
  if (near !== undefined) return say('FIX_NEAR', { near });
  if (type === 'postgres') return say('FIX_COLUMN_TABLE');
  return say(type === 'http' ? 'FIX_COLUMN_ANSWER' : 'FIX_COLUMN_FILE');
}
