// The audit of a run as text. The only personal values are the names of operators.
import type { CampaignAuditEntry } from '../../contracts/wire/campaign.ts';
import { formatTime } from '../lib/format.ts';
import { type Column, tableOf } from '../lib/table.ts';

/** Who did what, when and why. Zero counts are left out. */
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
