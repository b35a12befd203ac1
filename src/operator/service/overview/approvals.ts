// Plans that wait for approval, with the answer that the page of the plan gives to the same reader.
import type { Database } from '../../../core/sql/database.ts';
import type { Approval } from '../../../jobs/campaigns/contract/approval.ts';
import { type NeedRow, readAuthors } from '../../store/overview/needs.ts';
import { approvalOf } from '../approval.ts';
import type { Caller } from '../caller.ts';
import { jobOf } from './jobs.ts';

/** By run. Plans of one author have one answer, unless a schedule made them: then it depends on the campaign. */
export async function readApprovals(
  db: Database,
  caller: Caller,
  rows: readonly NeedRow[],
): Promise<ReadonlyMap<string, Approval>> {
  const waiting = rows.flatMap(({ kind, run, name }) =>
    kind === 'approval' && run !== null ? [{ run, campaign: jobOf(name).name }] : [],
  );
  if (waiting.length === 0) return new Map();
  const authors = await readAuthors(
    db,
    waiting.map(({ run }) => run),
  );
  const answers = new Map<string, Approval>();
  const found = new Map<string, Approval>();
  for (const { run, campaign } of waiting) {
    const author = authors.get(run);
    // The plan was replaced since the needs were read.
    if (author === undefined) continue;
    const key = JSON.stringify(author === 'schedule' ? [author, campaign] : [author]);
    const answer = answers.get(key) ?? (await approvalOf(db, caller, { author, campaign }));
    answers.set(key, answer);
    found.set(run, answer);
  }
  return found;
}
