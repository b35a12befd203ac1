// Whether work stands still until somebody acts: because something is broken, or because a person has paused it or has to
// approve it.
import type { Need } from '../../../operator/contract/overview.ts';

const BY_PEOPLE: ReadonlySet<Need['kind']> = new Set([
  'approval',
  'paused-campaign',
  'paused-sync',
  'paused-poller',
]);

export function standsStill({ kind, severity }: Pick<Need, 'kind' | 'severity'>): boolean {
  return severity === 'critical' || BY_PEOPLE.has(kind);
}
