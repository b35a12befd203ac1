// Reads, maps and hashes one page of a source: everything that planning can do without the ledger. It runs in the
// worker's own thread or in a separate one, so its result consists of texts, numbers and bytes.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { storable } from '../../../src/core/json/stored-json.ts';
import type { CrmRecord, RowProblem } from '../../../src/core/record.ts';
import {
  type Fingerprint,
  type Source,
  type SourceCursor,
  SourceError,
  type SourceNote,
  type SourcePage,
} from '../../../src/core/source.ts';
import type { IdentifiedRow } from '../../../src/jobs/sync/store/row-identities.ts';
import type { RowFinding } from '../../../src/jobs/sync/store/row-problems.ts';
import { describeDates, describeMissingNumber, type Mapping } from '../../../src/mapping/index.ts';
import { type DiffOptions, hashRecord, refName } from '../../records/record-diff.ts';
import { shapeOf } from './plan-newcomers.ts';
import type { SlowRows } from './plan-slow.ts';
import type { UniteRules } from './plan-unite.ts';

/** Records that are compressed together. Reading one back costs 6 KB and 0.3 ms. */
export const CHUNK = 128;

/** A row that became a record. */
export interface MappedRow {
  readonly row: number;
  readonly key: string;
  /** The concatenated hashes of contact, extra info and tags. */
  readonly hashes: string;
  /** `''`: no card wanted. `?`: a card in any stage. `=Name`: a card in that stage. */
  readonly stage: string;
  /** The record as JSON that the ledger can store. */
  readonly json: string;
  /** The record's shape for a person that the ledger does not know. See plan-newcomers.ts. */
  readonly shape: number;
}

export interface MappedPage {
  /** Rows read, including rejected ones. */
  readonly read: number;
  readonly good: readonly MappedRow[];
  readonly rejected: number;
  readonly findings: readonly RowFinding[];
  /** Of the rejected rows that the source could read. */
  readonly identities: readonly IdentifiedRow[];
  /** For mirrors only: people whose rows were rejected although their number could be read. */
  readonly rejectedKeys: readonly string[];
  /** Rows without a readable number. They may belong to anybody. */
  readonly unreadable: number;
  /** Columns that rows of the source's first page have; null on later pages. */
  readonly found: readonly string[] | null;
  /** What the source says about itself. */
  readonly notes: readonly SourceNote[];
  readonly next: SourceCursor | null;
  readonly progress: number | null;
  readonly watermark: SourceCursor | null;
  /** Of a CSV file; null for other sources. */
  readonly file: Fingerprint | null;
  /** Records of the valid rows in compressed chunks. Empty on the last page, because no later page needs them. */
  readonly packed: { readonly bytes: Uint8Array; readonly ends: readonly number[] };
}

export interface PageTools {
  readonly source: Source;
  readonly mapping: Mapping;
  /** Reads only the number; null when the sync is not a mirror. */
  readonly keys: Mapping | null;
  readonly rules: DiffOptions;
  readonly slow: SlowRows;
  readonly unite: UniteRules;
}

export interface PageRequest {
  readonly cursor: SourceCursor | null;
  readonly since: SourceCursor | null;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/**
 * @throws SourceError when the source cannot be read; MappingStoppedError when an expression takes too long on too
 *   many rows
 */
export async function readMappedPage(tools: PageTools, request: PageRequest): Promise<MappedPage> {
  const { cursor, ...options } = request;
  const scan = cursor === null ? (tools.mapping.scan() ?? undefined) : undefined;
  const page = await tools.source.read(cursor, { ...options, scan });
  if (cursor === null) requireNumberColumn(tools.mapping, page);
  const good: MappedRow[] = [];
  const findings: RowFinding[] = [];
  const identities: IdentifiedRow[] = [];
  const rejectedKeys: string[] = [];
  let rejected = 0;
  let unreadable = 0;
  for (const { row, values, problem } of page.rows) {
    // Awaiting a plain value costs an event loop cycle, and most mappings return at once.
    const pending = values === null || problem !== undefined ? null : tools.mapping.apply(values, page.scan);
    const result = pending instanceof Promise ? await pending : pending;
    const before = findings.length;
    if (result?.ok === true) {
      good.push(mappedRow(row, result.record, tools.rules));
      for (const warning of result.warnings) findings.push({ row, kind: 'warning', problem: warning });
      if (findings.length > before) tools.slow.add(findings.slice(before));
      continue;
    }
    rejected++;
    const problems = result === null ? [problem ?? UNREADABLE] : result.problems;
    for (const each of problems) findings.push({ row, kind: 'reject', problem: each });
    if (result !== null) identities.push({ row, ...result.identity });
    tools.slow.add(findings.slice(before));
    if (values === null) unreadable++;
    else if (tools.keys !== null) {
      const alone = await tools.keys.apply(values);
      if (alone.ok) rejectedKeys.push(alone.record.key);
    }
  }
  return {
    read: page.rows.length,
    good,
    rejected,
    findings,
    identities,
    rejectedKeys,
    unreadable,
    found: cursor === null ? (page.columns ?? columnsOf(page.rows)) : null,
    notes: [
      ...(page.notes ?? []),
      ...(cursor === null && page.scan !== undefined ? describeDates(page.scan) : []),
    ],
    next: page.next,
    progress: page.progress,
    watermark: page.watermark ?? null,
    file: page.file ?? null,
    packed: page.next === null ? NOTHING_PACKED : pack(good),
  };
}

function mappedRow(row: number, mapped: CrmRecord, rules: DiffOptions): MappedRow {
  const text = JSON.stringify(mapped);
  const json = storable(text);
  // Compares the record as the ledger will store it.
  const record = json === text ? mapped : (JSON.parse(json) as CrmRecord);
  const hashes = hashRecord(record, rules);
  const { card } = record;
  return {
    row,
    key: record.key,
    hashes: hashes.contact + hashes.extra + hashes.tags,
    stage: card === undefined ? '' : card.stage === undefined ? '?' : `=${refName(card.stage)}`,
    json,
    shape: shapeOf(record, rules),
  };
}

const UNREADABLE: RowProblem = {
  field: 'row',
  code: 'malformed_row',
  reason: 'the source could not read this row',
};

/** @throws SourceError `no_column` when no row of the source can have a number */
function requireNumberColumn({ numberColumns }: Mapping, page: SourcePage): void {
  // JSON rows name their own properties, so only the whole source can prove that a property is missing.
  const whole = page.next === null && page.watermark === undefined;
  const columns = page.columns ?? (whole ? columnsOf(page.rows) : []);
  const missing = describeMissingNumber(numberColumns, columns);
  if (missing !== null) throw new SourceError('no_column', missing);
}

function columnsOf(rows: SourcePage['rows']): string[] {
  const names = new Set<string>();
  for (const { values } of rows) for (const name of Object.keys(values ?? {})) names.add(name);
  return [...names];
}

export const NOTHING_PACKED: MappedPage['packed'] = { bytes: new Uint8Array(), ends: [] };

function pack(rows: readonly MappedRow[]): MappedPage['packed'] {
  const chunks: Uint8Array[] = [];
  const ends: number[] = [];
  let end = 0;
  for (let from = 0; from < rows.length; from += CHUNK) {
    const lines = rows.slice(from, from + CHUNK).map(({ row, json }) => `[${row},${json}]`);
    const chunk = deflateRawSync(`[${lines.join(',')}]`, { level: 1 });
    chunks.push(chunk);
    end += chunk.length;
    ends.push(end);
  }
  return { bytes: Buffer.concat(chunks), ends };
}

/** The rows of one chunk, with their records. */
export function unpack(chunk: Uint8Array): [row: number, record: CrmRecord][] {
  return JSON.parse(inflateRawSync(chunk).toString('utf8')) as [number, CrmRecord][];
}
