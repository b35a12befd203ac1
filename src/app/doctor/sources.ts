// Checks that a source is readable and has the columns that a mapping reads. It shows no value of a row.

import type { SourceConfig } from '../../connectors/sources/config.ts';
import { type Source, SourceError, type SourceErrorCode } from '../../core/source.ts';
import { nearest } from '../../core/suggest.ts';
import type { MappingConfig } from '../../mapping/config.ts';
import { compileMapping, describeMissingNumber } from '../../mapping/index.ts';
import type { Cause, Findings } from './findings.ts';

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
    if (rows.length === 0) findings.warning(check, 'has no rows');
    if (keys.length === 0) return;
    findings.ok(
      check,
      `is there, with ${keys.length === 1 ? '1 column' : `${keys.length} columns`} in its ${firstRows(rows.length)}`,
    );
    if (next === null && isPagedByAnswer(use.config))
      findings.ok(check, 'its first page names no next one: compare `pagination` if there should be more');
    if (isFile(use.config) && !notes.some(({ code }) => code.includes('ENCODING')))
      findings.ok(
        check,
        use.config.encoding === 'auto' ? 'is read as utf-8' : `is read as ${use.config.encoding}`,
      );
    for (const { code, reason } of notes) {
      if (code === 'ENCODING') findings.ok(check, `is ${reason}`);
      else if (code === 'NOT_READ') findings.problem(check, reason);
      else findings.warning(check, reason);
    }
    if (broken > 0) findings.warning(check, `${broken} of its ${firstRows(rows.length)} can not be read`);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    findings.problem(check, error.message, { cause: CAUSES[error.code] });
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
    const hint =
      use.config.type === 'http' ? 'compare with a row of the answer, and check `item`' : undefined;
    findings.problem(check, withoutNumber, { hint, cause: isFile(use.config) ? 'usage' : undefined });
  }
  for (const column of missing) {
    const text = `the mapping reads ${JSON.stringify(column)}, which the source does not have`;
    const hint = nearOf([column], keys, use.config);
    // In JSON a property may be absent from the rows that were read.
    if (use.config.type === 'jsonl' || use.config.type === 'http') findings.warning(check, text, hint);
    else findings.problem(check, text, { hint });
  }
  if (missing.length === 0) findings.ok(check, `the source has all columns that the mapping reads`);
}

/** A column with a similar name. Others are not listed: in a file without a header, they are personal data. */
function nearOf(wanted: readonly string[], keys: readonly string[], { type }: SourceConfig): string {
  const near = wanted.map((column) => nearest(column, keys)).find((found) => found !== undefined);
  if (near !== undefined) return `did you mean "${near}"?`;
  if (type === 'postgres') return 'compare with the columns of the table or query';
  return type === 'http'
    ? 'compare with a row of the answer, and check `item`'
    : 'compare with the first line of the file';
}

function firstRows(rows: number): string {
  return rows === 1 ? 'first row' : `first ${rows} rows`;
}
