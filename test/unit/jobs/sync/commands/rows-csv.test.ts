// The CSV file of rows: each row has as many cells as there are columns, and hints only where the outcome is unknown.
import { parse } from 'csv-parse/sync';
import { expect, it } from 'vitest';
import { ROWS_CSV } from '../../../../../src/jobs/sync/commands/rows-csv.ts';
import type { SyncRow } from '../../../../../src/jobs/sync/contract/runs.ts';

const AT = '2026-11-20T06:00:00.000Z';
const ROW: SyncRow = {
  row: 3,
  key: '551•••01',
  status: 'unknown',
  step: 'createCard',
  code: 'TIMEOUT',
  reason: 'no answer',
  column: null,
  attempts: 3,
  created: false,
  cardCreated: false,
  endedAt: AT,
  payload: null,
  other: null,
  place: null,
  changes: null,
  hints: null,
  missingTags: [],
};
const HINTS: NonNullable<SyncRow['hints']> = {
  effect: 'stage',
  target: '=Won; "x"',
  sentAt: AT,
  sends: 2,
  contact: 7,
  contactSeenAt: null,
  card: { id: 9, since: false, inTarget: true },
};

const read = (row: SyncRow) =>
  (parse(ROWS_CSV.titles + ROWS_CSV.line(row), { columns: true, bom: true }) as Record<string, string>[])[0];

it('has what is known about an unknown row, and nothing of it in other rows', () => {
  expect(read({ ...ROW, hints: HINTS })).toMatchObject({
    row: '3',
    sentEffect: 'stage',
    // A spreadsheet must not run it.
    sentTarget: `'=Won; "x"`,
    sentAt: AT,
    sends: '2',
    contact: '7',
    contactSeenAt: '',
    card: '9',
    cardSince: 'false',
    cardInTarget: 'true',
  });
  expect(read({ ...ROW, missingTags: ['vip', 'lead'] })).toMatchObject({ missingTags: 'vip|lead' });
  expect(read({ ...ROW, status: 'failed' })).toMatchObject({
    sentEffect: '',
    sends: '',
    card: '',
    cardSince: '',
  });
  expect(read({ ...ROW, hints: { ...HINTS, card: null } })).toMatchObject({ card: '', cardInTarget: '' });
});
