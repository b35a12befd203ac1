// Rows of a run, in pages.

import type { CrmRecord } from '../../../core/record.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import { findPeople, type KnownPerson } from '../../../core/store/people.ts';
import { phoneCase } from '../../../mapping/phone/cases.ts';
import { maskRecord, maskValue } from '../../../observe/masking.ts';
import type { Output, Parsed } from '../../../operator/contract/index.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { SyncRow } from '../contract/runs.ts';
import { missingTagsOf } from '../store/missing-tags.ts';
import { findRun, type OutcomePosition, pageOutcomes, type RowOutcome } from '../store/outcomes.ts';
import { newestRuns } from '../store/retries.ts';
import type { RunRow } from '../store/runs.ts';
import { conflictCase, reasonWithLines, rowsInReason } from './conflict-lines.ts';
import { maskOutcome } from './mask-row.ts';
import { hintsOf } from './row-hints.ts';
import { type FindLines, type RowLines, sheetLines } from './row-lines.ts';

/** The runs of a list stay those of its first page, even if a retry begins meanwhile. */
interface RowCursor {
  readonly newest: string;
  readonly from: OutcomePosition;
}

export async function listRows(
  db: Queryable,
  account: string,
  input: Parsed<'GET /syncs/{sync}/rows'>,
  findLines: (run: RunRow, rows: readonly number[]) => ReturnType<FindLines>,
): Promise<Output<'GET /syncs/{sync}/rows'>> {
  const { sync, statuses, codes = null, row = null, limit, unmask } = input;
  const cursor = input.after === undefined ? null : readCursor(input.after);
  const runs = input.run === undefined ? await newestRuns(db, account, sync, cursor?.newest) : [input.run];
  const [newest] = runs;
  const run = newest === undefined ? null : await findRun(db, account, sync, newest);
  if (newest === undefined || run === null) {
    const what = input.run === undefined ? 'has not run yet' : `has no run ${input.run}`;
    throw new OperatorError('notFound', `the sync "${sync}" ${what}`, { code: 'NO_RUN' });
  }
  const page = await pageOutcomes(db, runs, { statuses, codes, row }, { limit, from: cursor?.from ?? null });
  const lines = input.lines
    ? await linesOf(db, account, { sync, runs, rows: page.rows }, findLines)
    : NO_LINES;
  const allLines = sheetLines(lines, page.rows.flatMap(rowsInReason));
  const changes = input.diff ? await changesOf(db, run, page.rows, unmask) : new Map();
  const hints = await hintsOf(db, runs, page.rows);
  const tags = await missingTagsOf(db, runs, [...new Set(page.rows.map((each) => each.row))]);
  const shownTag = (tag: string) => (unmask ? tag : maskValue('tags.0', tag));
  return {
    runs: [...runs],
    status: run.status,
    pruned: run.counts !== null,
    same: run.rows_same,
    rows: page.rows.map((outcome) => {
      const found = reasonWithLines(outcome, allLines);
      const { endedAt, ...shown } = unmask ? found : maskOutcome(found);
      const end = endedAt?.toISOString() ?? null;
      const place = outcome.status === 'rejected' ? (lines.places.get(outcome.row) ?? null) : null;
      return {
        ...shown,
        endedAt: end,
        params: conflictCase(found) ?? phoneCase(found.reason),
        place,
        changes: changes.get(outcome) ?? null,
        hints: hints.get(outcome) ?? null,
        missingTags: outcome.status === 'merged' ? [] : (tags.get(outcome.row) ?? []).map(shownTag),
      } as SyncRow;
    }),
    linesProblem: lines.problem,
    next: page.next === null ? null : writeCursor({ newest, from: page.next }),
  };
}

const NO_LINES: RowLines = { places: new Map(), problem: null };

/** Retries read no source, so rejected rows are of the oldest run. */
async function linesOf(
  db: Queryable,
  account: string,
  { sync, runs, rows }: { sync: string; runs: readonly string[]; rows: readonly RowOutcome[] },
  findLines: (run: RunRow, rows: readonly number[]) => ReturnType<FindLines>,
): Promise<RowLines> {
  const rejected = rows
    .filter(({ status }) => status === 'rejected')
    .flatMap((each) => [each.row, ...rowsInReason(each)]);
  const run = await findRun(db, account, sync, runs.at(-1) ?? '');
  return run === null ? NO_LINES : await findLines(run, rejected);
}

type Change = NonNullable<SyncRow['changes']>[number];

/** What each record would change: the contact as the service last showed it, beside the record. */
async function changesOf(
  db: Queryable,
  run: RunRow,
  rows: readonly RowOutcome[],
  unmask: boolean,
): Promise<Map<RowOutcome, Change[]>> {
  const pipeline = String(run.spec.mapping.card?.pipeline ?? '');
  const records = rows.filter(hasRecord);
  const keys = records.flatMap(({ key }) => (key === null ? [] : [key]));
  const people = await findPeople(db, run.account, [...new Set(keys)], pipeline);
  const found = new Map<RowOutcome, Change[]>();
  for (const row of records) {
    const all = differences(row.payload, people.get(row.key ?? '') ?? null);
    found.set(row, unmask ? all : all.map(maskedChange));
  }
  for (const row of rows) {
    const { status, payload, other } = row;
    if (status !== 'rejected' || payload === null) continue;
    const pairs = Object.entries(payload).map(([field, now]) => {
      const was = (other?.payload as Readonly<Record<string, unknown>> | null)?.[field] ?? null;
      return unmask ? { field, was, now } : { field, was: refused(field, was), now: refused(field, now) };
    });
    found.set(row, pairs);
  }
  return found;
}

function refused(field: string, value: unknown): unknown {
  return typeof value === 'string' ? maskValue(field, value) : null;
}

function hasRecord(row: RowOutcome): row is RowOutcome & { payload: CrmRecord } {
  return row.payload !== null && typeof (row.payload as CrmRecord).contact === 'object';
}

const CONTACT_FIELDS = ['name', 'email', 'document', 'disableBot'] as const;

function differences({ contact, tags, card }: CrmRecord, person: KnownPerson | null): Change[] {
  const seen = person?.seen ?? null;
  const changes: Change[] = [];
  const add = (field: string, was: unknown, now: unknown) => {
    if (now !== undefined && JSON.stringify(was) !== JSON.stringify(now)) changes.push({ field, was, now });
  };
  for (const field of CONTACT_FIELDS) add(`contact.${field}`, seen?.[field] ?? null, contact[field]);
  if (tags.length > 0) add('tags', seen?.tags.map(({ name }) => name) ?? null, tags);
  if (card !== undefined) add('card.stage', person?.card?.stage ?? null, card.stage);
  return changes;
}

function maskedChange({ field, was, now }: Change): Change {
  const [part = '', place = ''] = field.split('.');
  const mask = (value: unknown) => {
    if (value === null) return null;
    if (place === '') return (maskRecord({ [part]: value }) as Record<string, unknown>)[part];
    return (maskRecord({ [part]: { [place]: value } }) as Record<string, Record<string, unknown>>)[part]?.[
      place
    ];
  };
  return { field, was: mask(was), now: mask(now) };
}

function writeCursor(cursor: RowCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function readCursor(text: string): RowCursor {
  try {
    const { newest, from } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<RowCursor>;
    const isPosition = (each: unknown) =>
      Array.isArray(each) && each.length === 3 && each.every((part) => Number.isSafeInteger(part));
    if (typeof newest === 'string' && Array.isArray(from) && from.every(isPosition)) return { newest, from };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new OperatorError('invalid', 'after: it is not a cursor of this list; begin again without it', {
    code: 'CURSOR',
  });
}
