// The audit of a run of a campaign as people read it. Nothing personal, but for who acted.
import type { CampaignAuditEntry } from '../../contracts/wire/campaign.ts';
import { formatTime } from '../lib/format.ts';
import { type Column, tableOf } from '../lib/table.ts';

/** Who did what, when and why; counts of nothing are left out. */
export function describeAudit(entries: readonly CampaignAuditEntry[], timeZone: string): string[] {
  if (entries.length === 0) return [];
  const columns: readonly Column<CampaignAuditEntry>[] = [
    ['AT', 'left', ({ at }) => formatTime(new Date(at), timeZone)],
    ['BY', 'left', ({ by }) => by],
    ['ACTION', 'left', ({ action }) => action],
    ['WHAT', 'left', ({ details }) => describeDetails(details)],
    ['REASON', 'left', ({ reason }) => reason],
  ];
  return tableOf(columns, entries);
}

function describeDetails(details: CampaignAuditEntry['details']): string {
  return Object.entries(details)
    .flatMap(([name, value]) => {
      if (value === 0 || value === false || (Array.isArray(value) && value.length === 0)) return [];
      if (value === null) return [`${name} –`];
      return [`${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`];
    })
    .join(', ');
}
