// The rule of two: whether the author of a plan and who approves it are two people, as far as Sluice can know.
import type { Database, Queryable } from '../../core/sql/database.ts';
import { findUnixUser } from './users.ts';

/**
 * How long whoever made a user, set its password, made its login link, reset its second factor or linked its Unix user
 * counts as that user.
 * Long enough that others see it in the audit log before the user approves anything.
 */
export const INDEPENDENT_AFTER_DAYS = 7;

/** `by` of a plan that a schedule made. */
const SCHEDULE = 'schedule';
const UNIX = 'unix:';
const USER = 'user:';

/** Commands that let somebody use the identity of another user. */
const TAKES_OVER = `action in ('POST /users', 'POST /users/{name}/password', 'POST /users/{name}/link',
     'POST /users/{name}/second-factor/reset')
   or action = 'PATCH /users/{name}' and details ? 'unixUser'`;

export interface Approval {
  /** Identity of who made the plan. */
  readonly author: string;
  /** Identity of who wants to approve it. */
  readonly approver: string;
  readonly campaign: string;
}

export interface ApprovalDoubt {
  readonly code: 'SAME_PERSON' | 'UNIX_USER_UNLINKED' | 'NOT_INDEPENDENT';
  /** With the way out. */
  readonly reason: string;
}

/**
 * Why the approval may be of the author alone; null: two people took part.
 * @param kind of the ledger: whoever opens a shared one can claim any identity
 */
export async function doubtOfApproval(
  tx: Queryable,
  kind: Database['kind'],
  { author, approver, campaign }: Approval,
): Promise<ApprovalDoubt | null> {
  const person = await personOf(tx, approver);
  const authors = author === SCHEDULE ? await whoSteered(tx, campaign) : [await personOf(tx, author)];
  if (authors.includes(person) || isNamedAlike(person, author))
    return {
      code: 'SAME_PERSON',
      reason:
        author === SCHEDULE
          ? `${approver} edited the campaign or triggered its schedule in the last ${INDEPENDENT_AFTER_DAYS} days: another person has to approve its plan`
          : `${approver} made this plan: another person has to approve it`,
    };
  const unlinked = [person, ...authors].find((one) => one.startsWith(UNIX));
  if (unlinked !== undefined)
    return {
      code: 'UNIX_USER_UNLINKED',
      reason: `the Unix user "${unlinked.slice(UNIX.length)}" is linked to no user, so Sluice cannot know which person it is: an admin links it in Settings, Users${unlinked === person ? ', or you approve in the console' : ', or a user plans it again'}`,
    };
  const takeovers = await readTakeovers(tx, kind);
  const own = behind([person], takeovers);
  const others = behind(authors, takeovers);
  for (const [one, found] of [...own, ...others]) {
    const isShared = own.has(one) && others.has(one);
    if (found !== null && (isUnknown(one) || isShared)) return notIndependent(found);
  }
  return null;
}

function notIndependent({ user, by, until }: Takeover): ApprovalDoubt {
  const who = by === CLAIMED ? 'somebody with the address of the ledger' : by;
  return {
    code: 'NOT_INDEPENDENT',
    reason: `${who} made ${user}, set its password or link, reset its second factor, or linked its Unix user within the last ${INDEPENDENT_AFTER_DAYS} days, so author and approver may be one person: somebody else approves, or you wait until ${until}`,
  };
}

/** The identity of the user that a Unix user is linked to now; otherwise the identity itself. */
async function personOf(tx: Queryable, identity: string): Promise<string> {
  if (!identity.startsWith(UNIX)) return identity;
  const user = await findUnixUser(tx, identity.slice(UNIX.length));
  return user === null ? identity : USER + user.name;
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

/** Somebody could lately use the identity of a user. */
interface Takeover {
  readonly user: string;
  /** Identity; {@link CLAIMED}: whoever opened the shared ledger. */
  readonly by: string;
  readonly until: string;
}

const CLAIMED = '';

const isUnknown = (identity: string) => identity === CLAIMED || identity.startsWith(UNIX);

async function readTakeovers(tx: Queryable, kind: Database['kind']): Promise<Takeover[]> {
  const rows = await tx.query<{ name: string; by: string | null; via: string | null; until: string }>(
    `select case when action = 'POST /users' then details ->> 'name' else split_part(target, '/', 3) end as name,
            identity as by, via,
            to_char((at + make_interval(days => $1::int)) at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') as until
       from operator_audit
      where at > now() - make_interval(days => $1::int) and outcome in ('started', 'ok') and (${TAKES_OVER})
      order by id desc`,
    [INDEPENDENT_AFTER_DAYS],
  );
  const takeovers: Takeover[] = [];
  for (const { name, by, via, until } of rows) {
    const isClaimed = by === null || (via === 'local' && kind !== 'pglite');
    takeovers.push({ user: USER + name, by: isClaimed ? CLAIMED : await personOf(tx, by), until });
  }
  return takeovers;
}

/** Everybody who may have acted as one of these people, with how. Null: they are these people themselves. */
function behind(
  people: readonly string[],
  takeovers: readonly Takeover[],
): ReadonlyMap<string, Takeover | null> {
  const found = new Map<string, Takeover | null>(people.map((person) => [person, null]));
  // The map grows while it is read: whoever made the user who made the user counts, too.
  for (const [person] of found)
    for (const takeover of takeovers)
      if (takeover.user === person && !found.has(takeover.by)) found.set(takeover.by, takeover);
  return found;
}
