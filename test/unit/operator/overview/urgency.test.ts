// "The most severe first": what stops more work stands above what stops less, whatever is older.
import { expect, it } from 'vitest';
import { Need } from '../../../../src/operator/contract/overview.ts';
import { byUrgency, SEVERITY } from '../../../../src/operator/service/overview/urgency.ts';

type Kind = keyof typeof SEVERITY;
const need = (kind: Kind, since: string | null = null, severity = SEVERITY[kind]) => ({
  kind,
  severity,
  since,
});

it.each<[Kind, Kind]>([
  ['no-worker', 'failed-run'],
  ['no-worker', 'dead-outbox'],
  ['temporal-away', 'no-worker'],
  ['refused-token', 'dead-outbox'],
  ['refused-token', 'blocked-sync'],
  ['dead-outbox', 'failed-run'],
  ['waiting-sink', 'failed-run'],
  ['failed-run', 'rejected-rows'],
  ['dead-outbox', 'rejected-rows'],
  ['failed-run', 'paused-campaign'],
  ['rejected-rows', 'approval'],
])('%s stands above an older %s', (first, second) => {
  const needs = [need(second, '2026-11-01T00:00:00.000Z'), need(first, '2026-11-28T00:00:00.000Z')];
  expect(needs.toSorted(byUrgency).map(({ kind }) => kind)).toEqual([first, second]);
});

it('of one kind, the oldest comes first and one without a time last', () => {
  const needs = [need('failed-run'), need('failed-run', '2026-11-28'), need('failed-run', '2026-11-01')];
  expect(needs.toSorted(byUrgency).map(({ since }) => since)).toEqual(['2026-11-01', '2026-11-28', null]);
});

it('work that goes on stands below work that stands still', () => {
  const needs = [need('failing-batch', null, 'warning'), need('failed-run')];
  expect(needs.toSorted(byUrgency).map(({ kind }) => kind)).toEqual(['failed-run', 'failing-batch']);
});

it('the order has every kind once', () => {
  expect(Object.keys(SEVERITY).toSorted()).toEqual(Need.shape.kind.options.toSorted());
});
