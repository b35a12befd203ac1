// Missing tags of a dry run as text.

import { formatMany, formatTime, formatCount as n } from '../../../cli/lib/terminal/format.ts';
import type { Lines } from '../contract/lines.ts';
import type { PlanTags } from '../contract/plan.ts';
import { describeRows } from './describe-warning.ts';

/** Tags that show one per line. The JSON of the plan has more. */
const SHOWN = 10;

/** No line when nobody has a tag to set. */
export function describeTags(
  { wanted, readAt, missing }: PlanTags,
  account: string,
  lines: Lines = {},
): string[] {
  if (wanted === 0) return [];
  if (missing === null || readAt === null)
    return [
      `  tags: not checked; Sluice has not read the tags of the account "${account}" yet, and the run reads them first`,
    ];
  const read = `as read at ${formatTime(readAt)}`;
  if (missing.tags === 0) return [`  tags: all exist in the account, ${read}`];
  const rest = missing.tags - Math.min(SHOWN, missing.list.length);
  return [
    `  tags: ${formatMany(missing.tags, 'tag does', 'tags do')} not exist in the account, ${read}; wanted for ${formatMany(missing.people, 'person', 'people')}`,
    '    Sluice creates no tags: it writes these people without them, and a later run adds a tag that exists by then',
    ...missing.list
      .slice(0, SHOWN)
      .map(
        (each) =>
          `    ${JSON.stringify(each.tag)}: ${formatMany(each.people, 'person', 'people')}${describeRows(each.people, each.rows, lines)}`,
      ),
    ...(rest === 0 ? [] : [`    and ${n(rest)} more; --json lists up to 100`]),
  ];
}
