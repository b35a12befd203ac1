// Imports of opt-outs: rows that a request brings, and a file that somebody uploaded.

import { Time } from '../../../core/endpoint.ts';
import { SourceError } from '../../../core/source.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import {
  MAX_EVIDENCE,
  type OptOut,
  type RecordedOptOut,
  recordOptOuts,
} from '../../../core/store/opt-outs.ts';
import type { Announcer } from '../../../jobs/outbox/store/announcer.ts';
import { addedOptOuts } from '../../../jobs/outbox/store/opt-out-news.ts';
import type { PhoneRules } from '../../../mapping/phone/index.ts';
import { type ImportRow, MOST_REJECTED, type RejectedRow } from '../../contract/opt-outs.ts';
import { OperatorError } from '../../error.ts';
import { type OptOutColumns, type OptOutFile, readOptOutFile, rejectedOf } from './file.ts';
import { type Refusal, readNumber } from './number.ts';

/** Milliseconds that the clock of another system may be ahead. */
export const AHEAD_MS = 5 * 60_000;

const LONGEST_TIME = 100;

export const AHEAD: Refusal = {
  code: 'OPT_OUT_AHEAD',
  reason: 'the time is in the future; correct the time or its offset',
};
const NO_TIME: Refusal = {
  code: 'OPT_OUT_TIME',
  reason:
    'the time cannot be read in exactly one way; write it as 2026-11-20T06:00:00-03:00, or name its offset and the order of its date',
};
const LONG: Refusal = {
  code: 'OPT_OUT_EVIDENCE',
  reason: `the evidence has more than ${MAX_EVIDENCE} characters; shorten it`,
};

export interface Importing {
  readonly announce: Announcer;
  readonly account: string;
  readonly rules: PhoneRules;
  readonly dryRun: boolean;
  /** Identity of the operator. */
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

interface Imported {
  readonly recorded: readonly RecordedOptOut[];
  readonly rejected: RejectedRow[];
}

export async function importRows(
  rows: readonly ImportRow[],
  { announce, account, rules, dryRun, by, now }: Importing,
): Promise<Imported> {
  const { optOuts, rejected } = readRows(rows, rules, now);
  const how = { via: 'import', by } as const;
  const recorded = await ifDryRun(
    announce(async (tx: Queryable) => {
      const result = await recordOptOuts(tx, account, optOuts, how);
      if (dryRun) throw new DryRunEnd(result);
      return { result, news: addedOptOuts(account, result, how) };
    }),
  );
  return { recorded, rejected };
}

export function countsOf(recorded: readonly Pick<RecordedOptOut, 'result'>[]) {
  const count = (wanted: string) => recorded.filter(({ result }) => result === wanted).length;
  return { added: count('added'), known: count('known'), withdrawn: count('withdrawn') };
}

/**
 * Imports a file page by page, each in a transaction of its own. An import that stops in between can be repeated.
 * @throws OperatorError (invalid) for a file that is no table, or does not have a column
 */
export async function importFile(file: OptOutFile, columns: OptOutColumns, importing: Importing) {
  const total = { added: 0, known: 0, withdrawn: 0, rejectedRows: 0 };
  const rejected: RejectedRow[] = [];
  /** People of earlier pages: a dry run keeps nobody. */
  const before = new Set<string>();
  const pages = readOptOutFile(file, columns);
  for (;;) {
    const page = (await pages.next().catch(asInvalid)).value;
    if (page === undefined) break;
    const imported = await importRows(page.rows, importing);
    const counts = countsOf(
      imported.recorded.map(({ key, result }) => ({ result: before.has(key) ? 'known' : result })),
    );
    if (importing.dryRun)
      for (const { key, result } of imported.recorded) if (result === 'added') before.add(key);
    const refused = rejectedOf(page, imported.rejected);
    total.added += counts.added;
    total.known += counts.known;
    total.withdrawn += counts.withdrawn;
    total.rejectedRows += refused.length;
    rejected.push(...refused.slice(0, MOST_REJECTED - rejected.length));
  }
  return { ...total, rejected };
}

function asInvalid(error: unknown): never {
  if (!(error instanceof SourceError)) throw error;
  throw new OperatorError('invalid', error.message, {
    code: error.failure,
    cause: error,
  });
}

function readRows(rows: readonly ImportRow[], rules: PhoneRules, now: number) {
  const optOuts: OptOut[] = [];
  const rejected: RejectedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const read = readRow(row, rules, now);
    if ('code' in read) rejected.push({ row: index + 1, code: read.code, reason: read.reason });
    else optOuts.push(read);
  }
  return { optOuts, rejected };
}

function readRow({ number, at, evidence = '' }: ImportRow, rules: PhoneRules, now: number): OptOut | Refusal {
  const read = readNumber(number, rules);
  if ('code' in read) return read;
  // Of a file, a cell may have any length.
  const time = at.length > LONGEST_TIME ? null : Time.safeParse(at.trim());
  if (!time?.success) return NO_TIME;
  const when = new Date(time.data);
  if (when.getTime() > now + AHEAD_MS) return AHEAD;
  const note = evidence.trim();
  if ([...note].length > MAX_EVIDENCE) return LONG;
  return { key: read.key, at: when, evidence: note === '' ? null : note };
}

/** Ends the transaction of a dry run. */
class DryRunEnd extends Error {
  override readonly name = 'DryRunEnd';
  readonly recorded: readonly RecordedOptOut[];
  constructor(recorded: readonly RecordedOptOut[]) {
    super('a dry run keeps nothing');
    this.recorded = recorded;
  }
}

/** A dry run does everything and rolls it back, so that its answer cannot differ. */
async function ifDryRun(work: Promise<readonly RecordedOptOut[]>): Promise<readonly RecordedOptOut[]> {
  return await work.catch((error: unknown) => {
    if (error instanceof DryRunEnd) return error.recorded;
    throw error;
  });
}
