// The rule of two: whether the author of a plan and who approves it are two people, as far as Sluice can know.
import type { Database, Queryable } from '../../../core/sql/database.ts';
import {
  CLAIMED,
  INDEPENDENT_AFTER_DAYS,
  type Overlap,
  overlapOf,
  personOf,
  readTakeovers,
  UNIX,
} from './takeovers.ts';

/** `by` of a plan that a schedule made. */
const SCHEDULE = 'schedule';

export interface PlanToApprove {
  /** Identity of who made the plan. */
  readonly author: string;
  readonly campaign: string;
}

export interface Approval extends PlanToApprove {
  /** Identity of who wants to approve it. */
  readonly approver: string;
}

export interface ApprovalDoubt {
  readonly code: 'SAME_PERSON' | 'UNIX_USER_UNLINKED' | 'NOT_INDEPENDENT';
  /** With the way out. */
  readonly reason: string;
  /** From when the person may approve it. Null: waiting does not help. */
  readonly from: string | null;
}

/**
 * Why the approval may be of the author alone; null: two people took part.
 * @param kind of the ledger: whoever opens a shared one can claim any identity
 */
export async function doubtOfApproval(
  tx: Queryable,
  kind: Database['kind'],
  { approver, ...plan }: Approval,
): Promise<ApprovalDoubt | null> {
  const doubtOf = await ruleOfTwo(tx, kind, plan);
  return doubtOf(await personOf(tx, approver), approver);
}

/**
 * The same question about one plan and many people.
 * @returns takes the person, and the identity that messages name
 */
export async function ruleOfTwo(
  tx: Queryable,
  kind: Database['kind'],
  { author, campaign }: PlanToApprove,
): Promise<(person: string, approver?: string) => ApprovalDoubt | null> {
  const authors = author === SCHEDULE ? await whoSteered(tx, campaign) : [await personOf(tx, author)];
  const takeovers = await readTakeovers(tx, kind);
  return (person, approver = person) => {
    if (authors.includes(person) || isNamedAlike(person, author))
      return {
        code: 'SAME_PERSON',
        reason:
          author === SCHEDULE
            ? `${approver} edited the campaign or triggered its schedule in the last ${INDEPENDENT_AFTER_DAYS} days: another person has to approve its plan`
            : `${approver} made this plan: another person has to approve it`,
        from: null,
      };
    const unlinked = [person, ...authors].find((one) => one.startsWith(UNIX));
    if (unlinked !== undefined)
      return {
        code: 'UNIX_USER_UNLINKED',
        reason: `the Unix user "${unlinked.slice(UNIX.length)}" is linked to no user, so Sluice cannot know which person it is: an admin links it in Settings, Users${unlinked === person ? ', or you approve in the console' : ', or a user plans it again'}`,
        from: null,
      };
    const overlap = overlapOf(person, authors, takeovers);
    return overlap === null ? null : notIndependent(overlap);
  };
}

function notIndependent({ takeover: { user, by }, until }: Overlap): ApprovalDoubt {
  const who = by === CLAIMED ? 'somebody with the address of the ledger' : by;
  const utc = until.replace(/T(\d\d:\d\d).*/, ' $1 UTC');
  return {
    code: 'NOT_INDEPENDENT',
    reason: `${who} made ${user}, set its password or link, reset its second factor, or linked its Unix user within the last ${INDEPENDENT_AFTER_DAYS} days, so author and approver may be one person: somebody else approves, or you wait until ${utc}`,
    from: until,
  };
}

/** Plans of earlier versions have the author's name in the place of an identity. */
function isNamedAlike(person: string, author: string): boolean {
  return person.replace(/^(?:user|unix):/, '') === author;
}

/** A schedule is nobody. Its plan is of those who lately changed through the API what it plans, or made it plan. */
async function whoSteered(tx: Queryable, campaign: string): Promise<string[]> {
  const rows = await tx.query<{ identity: string }>(
    `select distinct identity from operator_audit
      where at > now() - make_interval(days => $1::int) and outcome in ('started', 'ok') and identity is not null
        and (action = 'PUT /campaigns/{campaign}/source' and target = $2
             or action in ('POST /schedules/{job}/{name}/trigger', 'POST /schedules/{job}/{name}/backfill')
                and split_part(target, '/', 3) = 'campaign' and split_part(target, '/', 4) = $3)`,
    [INDEPENDENT_AFTER_DAYS, `/campaigns/${campaign}/source`, campaign],
  );
  return await Promise.all(rows.map(({ identity }) => personOf(tx, identity)));
}
