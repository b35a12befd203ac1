// Slows down guessing of passwords and of codes, for all processes together. Names and addresses are stored as hashes.
import type { Database, Queryable } from '../../../core/sql/database.ts';
import { shortHash } from '../../../core/sql/short-hash.ts';

/** After `free` failures, each further one waits twice as long, up to `maxSeconds`. */
interface Limit {
  readonly free: number;
  readonly maxSeconds: number;
}

const ADDRESS: Limit = { free: 20, maxSeconds: 900 };
const PAIR: Limit = { free: 5, maxSeconds: 900 };
/**
 * For one name from everywhere. The short maximum and the exemption of known addresses keep strangers from locking a
 * user out: 60 s still allow only 1,440 guesses a day.
 */
const NAME: Limit = { free: 10, maxSeconds: 60 };
/** Only who knows the password is asked for a code, so a long wait locks no user out for strangers. */
const NAME_OF_CODE: Limit = { free: 5, maxSeconds: 900 };
/** After this time without a failure, counting begins again. */
const FORGET = "interval '1 day'";
/** An address counts as known to a user this long after a login. */
const KNOWN = "interval '30 days'";

/** What is guessed. Each is counted by itself: a right password forgives no wrong code. */
export type Guessed = 'password' | 'code';

/** A login that may be tried. It counts as a failure until `succeeded`. */
export interface LoginAttempt {
  succeeded(): Promise<void>;
}

/** Milliseconds until the next attempt is allowed. */
export interface BlockedAttempt {
  readonly retryAfterMs: number;
}

/** Rolls the counting of a blocked attempt back. */
class BlockedError extends Error {
  override readonly name = 'BlockedError';
}

/**
 * Counts a login as failed before the password or the code is checked, so that many at once are not all let through.
 * @param address of the peer, without a port
 */
export async function beginLogin(
  db: Database,
  name: string,
  address: string,
  guessed: Guessed = 'password',
): Promise<LoginAttempt | BlockedAttempt> {
  const purpose = guessed === 'password' ? '' : `${guessed}-`;
  const keys = {
    address: `${purpose}address:${shortHash(address)}`,
    name: `${purpose}name:${shortHash(name)}`,
    pair: `${purpose}${pairOf(name, address)}`,
  };
  // Whoever logged in from here before is not slowed down by strangers, at this address or elsewhere, and is no reason to
  // slow them down. Guesses of their password from here count for the two together.
  const isKnown = await hasSucceeded(db, keys.pair);
  try {
    await db.transaction(async (tx) => {
      await forget(tx);
      // Everybody locks address, name and pair in this order.
      if (!isKnown) {
        await countFailure(tx, keys.address, ADDRESS);
        await countFailure(tx, keys.name, guessed === 'code' ? NAME_OF_CODE : NAME);
      }
      await countFailure(tx, keys.pair, PAIR);
    });
  } catch (error) {
    if (!(error instanceof BlockedError)) throw error;
    return {
      retryAfterMs: await longestWait(db, [keys.pair, ...(isKnown ? [] : [keys.address, keys.name])]),
    };
  }
  return { succeeded: () => forgive(db, keys, isKnown) };
}

async function countFailure(tx: Queryable, key: string, { free, maxSeconds }: Limit): Promise<void> {
  const failures = `case when a.failed_at < clock_timestamp() - ${FORGET} then 1 else a.failures + 1 end`;
  const [counted] = await tx.query(
    `insert into login_attempts as a (key, failures, failed_at) values ($1, 1, clock_timestamp())
     on conflict (key) do update set failures = ${failures}, failed_at = clock_timestamp(),
       blocked_until = case when ${failures} < $2::int then '-infinity'
         else clock_timestamp() + least($3::int, power(2, least(${failures} - $2::int, 20))) * interval '1 second' end
     where a.blocked_until <= clock_timestamp()
     returning key`,
    [key, free, maxSeconds],
  );
  if (counted === undefined) throw new BlockedError(key);
}

async function longestWait(db: Queryable, keys: readonly string[]): Promise<number> {
  const [row] = await db.query<{ ms: number | null }>(
    `select (extract(epoch from max(blocked_until)) - extract(epoch from clock_timestamp()))::float8 * 1000 as ms
       from login_attempts where key = any($1) and blocked_until > clock_timestamp()`,
    [keys],
  );
  return Math.max(1, Math.ceil(row?.ms ?? 1));
}

const pairOf = (name: string, address: string) => `pair:${shortHash(JSON.stringify([name, address]))}`;

/** Whether the user proved the password at this address in the last 30 days. */
export async function isKnownLogin(db: Queryable, name: string, address: string): Promise<boolean> {
  return await hasSucceeded(db, pairOf(name, address));
}

async function hasSucceeded(db: Queryable, pair: string): Promise<boolean> {
  const rows = await db.query(
    `select 1 from login_attempts where key = $1 and succeeded_at > clock_timestamp() - ${KNOWN}`,
    [pair],
  );
  return rows.length > 0;
}

/**
 * An address loses only the failure of this attempt and the wait that came of it: who owns one account must not guess
 * those of others.
 */
async function forgive(
  db: Database,
  keys: { readonly address: string; readonly name: string; readonly pair: string },
  isKnown: boolean,
): Promise<void> {
  await db.transaction(async (tx) => {
    // The wait is that of this attempt: while there was another one, this attempt was refused.
    if (!isKnown)
      await tx.query(
        `update login_attempts set failures = greatest(0, failures - 1), blocked_until = '-infinity' where key = $1`,
        [keys.address],
      );
    await tx.query(`update login_attempts set failures = 0, blocked_until = '-infinity' where key = $1`, [
      keys.name,
    ]);
    await tx.query(
      `update login_attempts set failures = 0, blocked_until = '-infinity', succeeded_at = clock_timestamp()
        where key = $1`,
      [keys.pair],
    );
  });
}

async function forget(tx: Queryable): Promise<void> {
  await tx.query(
    `delete from login_attempts where key in (
       select key from login_attempts
        where failed_at < now() - ${FORGET} and (succeeded_at is null or succeeded_at < now() - ${KNOWN})
        limit 100 for update skip locked)`,
  );
}
