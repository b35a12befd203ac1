// One page of a source, read, mapped and hashed: all that planning can do without the ledger. Runs in the worker's own
// thread or in a thread beside it, so that what comes out is made of texts, numbers and bytes.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SyncConfig } from '../src/contracts/config.ts';
import type { CrmRecord, RowProblem } from '../src/contracts/record.ts';
import type { Source, SourceCursor, SourceRow } from '../src/contracts/source.ts';
import type { RowFinding } from '../src/ledger/records.ts';
import type { Mapping } from '../src/mapping/index.ts';
import { hashRecord, refName } from './sync-diff.ts';

/** Records compressed together: reading one back costs 6 KB and 0.3 ms. */
export const CHUNK = 128;

/** A row that became a record. */
export interface MappedRow {
  readonly row: number;
  readonly key: string;
  /** Hashes of contact, extra info and tags, one behind the other. */
  readonly hashes: string;
  /** `''`: no card wanted; `?`: in any stage; `=Name`: in that stage. */
  readonly stage: string;
  /** The record as JSON. */
  readonly json: string;
}

export interface MappedPage {
  /** Rows read, the rejected ones with them. */
  readonly read: number;
  readonly good: readonly MappedRow[];
  readonly rejected: number;
  readonly findings: readonly RowFinding[];
  /** Of mirrors only: people whose rows were rejected although their number could be read. */
  readonly rejectedKeys: readonly string[];
  /** Rows that may be anybody's: not even the number could be read. */
  readonly unreadable: number;
  /** Columns that rows of the source's first page have; null on later pages. */
  readonly found: readonly string[] | null;
  readonly next: SourceCursor | null;
  readonly progress: number | null;
  readonly watermark: SourceCursor | null;
  /** The good rows' records in chunks, compressed; empty on the last page, behind which nobody asks for them. */
  readonly packed: { readonly bytes: Uint8Array; readonly ends: readonly number[] };
}

export interface PageTools {
  readonly source: Source;
  readonly mapping: Mapping;
  /** Reads the number alone; null when the sync is no mirror. */
  readonly keys: Mapping | null;
  readonly rules: Pick<SyncConfig, 'fields'>;
}

export interface PageRequest {
  readonly cursor: SourceCursor | null;
  readonly since: SourceCursor | null;
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** @throws SourceError when the source can't be read */
export async function readMappedPage(tools: PageTools, request: PageRequest): Promise<MappedPage> {
  const { cursor, ...options } = request;
  const page = await tools.source.read(cursor, options);
  const good: MappedRow[] = [];
  const findings: RowFinding[] = [];
  const rejectedKeys: string[] = [];
  let rejected = 0;
  let unreadable = 0;
  for (const { row, values, problem } of page.rows) {
    // Awaiting a plain value costs a turn of the event loop; most mappings answer at once.
    const pending = values === null || problem !== undefined ? null : tools.mapping.apply(values);
    const result = pending instanceof Promise ? await pending : pending;
    if (result?.ok === true) {
      good.push(mappedRow(row, result.record, tools.rules));
      for (const warning of result.warnings) findings.push({ row, kind: 'warning', problem: warning });
      continue;
    }
    rejected++;
    const problems = result === null ? [problem ?? UNREADABLE] : result.problems;
    for (const each of problems) findings.push({ row, kind: 'reject', problem: each });
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
    rejectedKeys,
    unreadable,
    found: cursor === null ? columnsOf(page.rows) : null,
    next: page.next,
    progress: page.progress,
    watermark: page.watermark ?? null,
    packed: page.next === null ? { bytes: new Uint8Array(), ends: [] } : pack(good),
  };
}

export function mappedRow(row: number, record: CrmRecord, rules: Pick<SyncConfig, 'fields'>): MappedRow {
  const { contact, extra, tags } = hashRecord(record, rules);
  const { card } = record;
  const stage = card === undefined ? '' : card.stage === undefined ? '?' : `=${refName(card.stage)}`;
  return { row, key: record.key, hashes: contact + extra + tags, stage, json: JSON.stringify(record) };
}

const UNREADABLE: RowProblem = {
  field: 'row',
  code: 'malformed_row',
  reason: 'the source could not read this row',
};

function columnsOf(rows: readonly SourceRow[]): string[] {
  const names = new Set<string>();
  for (const { values } of rows) for (const name of Object.keys(values ?? {})) names.add(name);
  return [...names];
}

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
