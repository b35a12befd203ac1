// How severe each kind of need is, and the order in which needs are listed.
import type { Need } from '../../contract/overview.ts';

/** The most urgent first: what stops all work, then that of an account, of a job, of a run, and of single things. */
const ORDER: readonly (readonly [Need['kind'], Need['severity']])[] = [
  ['temporal-away', 'critical'],
  ['no-worker', 'critical'],
  ['refused-token', 'critical'],
  ['failing-calls', 'critical'],
  ['service-away', 'critical'],
  ['broken-configuration', 'critical'],
  ['failing-batch', 'critical'],
  ['kafka-away', 'critical'],
  // Its events stand still: those that were given up wait for a person.
  ['dead-outbox', 'critical'],
  ['waiting-sink', 'critical'],
  ['blocked-sync', 'critical'],
  ['blocked-campaign', 'critical'],
  ['blocked-events', 'critical'],
  ['blocked-poller', 'critical'],
  ['failed-run', 'critical'],
  ['failed-campaign', 'critical'],
  ['failing-notices', 'critical'],
  ['dead-letters', 'warning'],
  ['refused-events', 'warning'],
  ['failed-events', 'warning'],
  ['unknown-events', 'warning'],
  ['unknown-members', 'warning'],
  ['unknown-records', 'warning'],
  ['failed-members', 'warning'],
  ['unread-conversations', 'warning'],
  ['failed-records', 'warning'],
  ['rejected-rows', 'warning'],
  ['approval', 'info'],
  ['paused-campaign', 'info'],
  ['paused-sync', 'info'],
  ['paused-poller', 'info'],
];
const SEVERITIES: readonly Need['severity'][] = ['critical', 'warning', 'info'];

export const SEVERITY = Object.fromEntries(ORDER) as Readonly<Record<Need['kind'], Need['severity']>>;

const PLACE = new Map(ORDER.map(([kind], place) => [kind, place]));

type Ranked = Pick<Need, 'kind' | 'severity' | 'since'>;

/** One without a time was seen just now. */
const timeOf = ({ since }: Ranked) => (since === null ? Number.MAX_SAFE_INTEGER : Date.parse(since));

/** By severity, which may be less than usual, then by this order; of one kind, those that wait longest. */
export function byUrgency(a: Ranked, b: Ranked): number {
  const place = ({ kind }: Ranked) => PLACE.get(kind) ?? ORDER.length;
  return (
    SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
    place(a) - place(b) ||
    timeOf(a) - timeOf(b)
  );
}
