// Columns of the members of a run in a CSV file, without what shows who they are. The console has it too, so it imports
// types only.
import type { ListedMember } from './campaign-members.ts';

export const MEMBER_COLUMNS = [
  'member',
  'contact',
  'card',
  'part',
  'row',
  'wave',
  'state',
  'code',
  'reason',
  'ticket',
  'triggeredAt',
  'endedAt',
  'deliveredAt',
  'readAt',
  'repliedAt',
  'optedOutAt',
  'movedAt',
  'taggedAt',
] as const satisfies readonly (keyof ListedMember)[];
