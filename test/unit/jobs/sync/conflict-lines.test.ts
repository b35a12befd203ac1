// Reasons that name two rows name the lines of the file where all of them are known, and only then.
import { expect, it } from 'vitest';
import {
  conflictCase,
  reasonWithLines,
  rowsInReason,
} from '../../../../src/jobs/sync/operator/conflict-lines.ts';

const REJECTED =
  'rows 109 and 177 have this number and different names, so every row of the number was rejected; correct the source';
const LEFT =
  'rows 1 and 9 have this number and different e-mail addresses; Sluice left out row 9 (onConflict: first)';
const MERGED =
  '2 rows: contact.name (column Nome): rows 109 and 177 have this number and different documents; Sluice merged them, and the value of row 177 replaced this one';

it.each([
  ['conflict', REJECTED, { 109: 110, 177: 178 }, 'lines 110 and 178 have', ['lines_names', 'rejected']],
  ['conflict', LEFT, { 1: 2, 9: 12 }, 'Sluice left out line 12 (', ['lines_emails', 'left']],
  [
    'conflict',
    MERGED,
    { 109: 110, 177: 178 },
    'the value of line 178 replaced',
    ['lines_documents', 'merged'],
  ],
  // One line alone would be confused with a row.
  ['conflict', REJECTED, { 109: 110 }, 'rows 109 and 177 have', ['rows_names', 'rejected']],
  ['conflict', REJECTED, {}, 'rows 109 and 177 have', ['rows_names', 'rejected']],
  ['CONFLICT', REJECTED, { 109: 110, 177: 178 }, 'rows 109 and 177 have', undefined],
  ['conflict', 'a sentence of a newer program', {}, 'a sentence', undefined],
  ['conflict', null, {}, null, undefined],
] as const)('%s: %s with %j', (code, reason, lines, text, which) => {
  const lined = reasonWithLines({ code, reason: reason as string | null }, lines);
  if (text === null) expect(lined.reason).toBeNull();
  else expect(lined.reason).toContain(text);
  expect(conflictCase(lined)?.which).toEqual(which);
});

it('the figures of the sentence are those of the text', () => {
  expect(rowsInReason({ code: 'conflict', reason: MERGED })).toEqual([109, 177, 177]);
  expect(conflictCase({ code: 'conflict', reason: MERGED })).toMatchObject({ first: 109, second: 177 });
});
