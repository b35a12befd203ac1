// One-time links: for the first admin, and for users who choose their password.
import type { Queryable } from '../../../core/sql/database.ts';
import { isoText } from '../../../core/sql/iso-text.ts';

export interface NewLoginLink {
  readonly hash: string;
  /** Null: for the first admin. */
  readonly user: number | null;
  /** The Unix user of the process that made the first admin's link. */
  readonly unixUser: string | null;
  readonly minutes: number;
}

/**
 * Replaces an earlier link of the same user. Links for the first admin stay valid together: one that was printed must
 * not end because another command asked where the console is.
 * @returns when it expires, ISO 8601
 */
export async function createLoginLink(
  tx: Queryable,
  { hash, user, unixUser, minutes }: NewLoginLink,
): Promise<string> {
  await tx.query("delete from login_links where user_id = $1 or expires_at < now() - interval '1 day'", [
    user,
  ]);
  const [row] = await tx.query<{ expiresAt: string }>(
    `insert into login_links (hash, user_id, unix_user, expires_at)
     values ($1, $2, $3, now() + $4 * interval '1 minute') returning ${isoText('expires_at')} as "expiresAt"`,
    [hash, user, unixUser, minutes],
  );
  return (row as { expiresAt: string }).expiresAt;
}

/** The name of the link's user, or null for the first admin. Undefined: the link is unknown, used or expired. */
export async function readLoginLink(db: Queryable, hash: string): Promise<string | null | undefined> {
  const [row] = await db.query<{ name: string | null }>(
    `select users.name from login_links left join users on users.id = user_id
      where hash = $1 and used_at is null and expires_at > now() and disabled_at is null`,
    [hash],
  );
  return row === undefined ? undefined : row.name;
}

/** Uses a link up. @returns null when it is unknown, used or expired: of two at once, one gets the link */
export async function takeLoginLink(
  tx: Queryable,
  hash: string,
): Promise<Pick<NewLoginLink, 'unixUser'> | null> {
  const [row] = await tx.query<Pick<NewLoginLink, 'unixUser'>>(
    `update login_links set used_at = clock_timestamp()
      where hash = $1 and used_at is null and expires_at > clock_timestamp() returning unix_user as "unixUser"`,
    [hash],
  );
  return row ?? null;
}
