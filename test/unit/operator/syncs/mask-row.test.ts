// What `sluice sync rows` shows of a row that was refused.
import { expect, it } from 'vitest';
import { maskOutcome } from '../../../../src/jobs/sync/operator/mask-row.ts';
import type { RowOutcome } from '../../../../src/jobs/sync/store/outcomes.ts';

it.each([
  ['contact.number', '+55 11 98765-4321', '+55 1• •••••-••21'],
  // A row whose cells slid.
  ['card.stage', '+55 11 98765-4321', '•••'],
  ['tags.0', 'ana@mail.example', '•••'],
  ['card.stage', 'Fechado', 'Fechado'],
])('a refused %s of %j, and the one that it conflicts with, is shown as %j', (place, value, shown) => {
  const outcome = { row: 1, key: null, status: 'rejected', payload: { [place]: value } };
  const other = { row: 2, payload: { [place]: value } };
  expect(maskOutcome({ ...outcome, other } as unknown as RowOutcome)).toMatchObject({
    payload: { [place]: shown },
    other: { row: 2, payload: { [place]: shown } },
  });
});
