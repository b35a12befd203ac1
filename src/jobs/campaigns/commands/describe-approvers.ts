// Who may approve a plan, in one line.
import { formatTime } from '../../../cli/lib/terminal/format.ts';
import type { Approval } from '../contract/approval.ts';

export function describeApprovers({ approvers, from }: Pick<Approval, 'approvers' | 'from'>): string {
  if (approvers.length > 0) return `these users may approve it: ${approvers.join(', ')}`;
  return from === null
    ? 'no user may approve it: an admin adds one with `sluice user add NAME --role approver`'
    : `no user may approve it before ${formatTime(from)}`;
}
