// Who could lately use the identity of a user: whoever made it, or changed how it logs in. The audit log knows.
import type { Database, Queryable } from '../../../core/sql/database.ts';
import { findUnixUser } from './users.ts';

/**
 * How long whoever made a user, set its password, made its login link, reset its second factor or linked its Unix user
 * counts as that user.
 * Long enough that others see it in the audit log before the user approves anything.
 */
export const INDEPENDENT_AFTER_DAYS = 7;

const MINUTE_MS = 60_000;
export const UNIX = 'unix:';
export const USER = 'user:';

/** Commands that let somebody use the identity of another user. */
const TAKES_OVER = `action in ('POST /users', 'POST /users/{name}/password', 'POST /users/{name}/link',
     'POST /users/{name}/second-factor/reset')
   or action = 'PATCH /users/{name}' and details ? 'unixUser'`;

/** Somebody could lately use the identity of a user. */
export interface Takeover {
  readonly user: string;
  /** Identity; {@link CLAIMED}: whoever opened the shared ledger. */
  readonly by: string;
  /** When it counts no longer. */
  readonly untilMs: number;
}

export const CLAIMED = '';

const isUnknown = (identity: string) => identity === CLAIMED || identity.startsWith(UNIX);

/** @param kind of the ledger: whoever opens a shared one can claim any identity */
export async function readTakeovers(tx: Queryable, kind: Database['kind']): Promise<Takeover[]> {
  const rows = await tx.query<{ name: string; by: string | null; via: string | null; until: number }>(
    `select case when action = 'POST /users' then details ->> 'name' else split_part(target, '/', 3) end as name,
            identity as by, via,
            (extract(epoch from at + make_interval(days => $1::int)) * 1000)::float8 as until
       from operator_audit
      where at > now() - make_interval(days => $1::int) and outcome in ('started', 'ok') and (${TAKES_OVER})
      order by id desc`,
    [INDEPENDENT_AFTER_DAYS],
  );
  const takeovers: Takeover[] = [];
  for (const { name, by, via, until } of rows) {
    const isClaimed = by === null || (via === 'local' && kind !== 'pglite');
    takeovers.push({
      user: USER + name,
      by: isClaimed ? CLAIMED : await personOf(tx, by),
      untilMs: until,
    });
  }
  return takeovers;
}

/** The identity of the user that a Unix user is linked to now; otherwise the identity itself. */
export async function personOf(tx: Queryable, identity: string): Promise<string> {
  if (!identity.startsWith(UNIX)) return identity;
  const user = await findUnixUser(tx, identity.slice(UNIX.length));
  return user === null ? identity : USER + user.name;
}

export interface Overlap {
  /** One takeover that makes one person of them. */
  readonly takeover: Takeover;
  /** The full minute from which nothing does. ISO 8601. */
  readonly until: string;
}

/** Whether one person may be behind the approver and the authors; null: two people are. */
export function overlapOf(
  approver: string,
  authors: readonly string[],
  takeovers: readonly Takeover[],
): Overlap | null {
  const takeover = sharedBehind(approver, authors, takeovers);
  if (takeover === null) return null;
  const ends = [...new Set(takeovers.map(({ untilMs }) => untilMs))].sort((a, b) => a - b);
  const end = ends.find((ms) => {
    const left = takeovers.filter(({ untilMs }) => untilMs > ms);
    return sharedBehind(approver, authors, left) === null;
  });
  // Without a takeover nobody is behind anybody, so the last end is one.
  const fullMinute = Math.ceil((end ?? takeover.untilMs) / MINUTE_MS) * MINUTE_MS;
  return { takeover, until: new Date(fullMinute).toISOString() };
}

function sharedBehind(
  approver: string,
  authors: readonly string[],
  takeovers: readonly Takeover[],
): Takeover | null {
  const own = behind([approver], takeovers);
  const others = behind(authors, takeovers);
  for (const [one, found] of [...own, ...others]) {
    const isShared = own.has(one) && others.has(one);
    if (found !== null && (isUnknown(one) || isShared)) return found;
  }
  return null;
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
