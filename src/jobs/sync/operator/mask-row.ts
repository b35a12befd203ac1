// Masks what operators see of a row.

import { maskRecord, maskValue } from '../../../observe/masking.ts';
import type { RowOutcome } from '../store/outcomes.ts';

export function maskOutcome(outcome: RowOutcome): RowOutcome {
  const { status, payload, other } = outcome;
  const { key } = maskRecord({ key: outcome.key }) as Pick<RowOutcome, 'key'>;
  return {
    ...outcome,
    key,
    payload:
      status === 'rejected'
        ? maskedValues(payload as RefusedValues)
        : (maskRecord(payload) as RowOutcome['payload']),
    other: other === null ? null : { row: other.row, payload: maskedValues(other.payload) },
  };
}

type RefusedValues = Readonly<Record<string, string>> | null;

/** Values that were refused, by their place: a row whose cells slid puts a phone into any of them. */
function maskedValues(values: RefusedValues): RefusedValues {
  if (values === null) return null;
  return Object.fromEntries(Object.entries(values).map(([place, value]) => [place, maskValue(place, value)]));
}
