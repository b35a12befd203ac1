// The second factor of users who log in with a password: a code of an authenticator app, or a recovery code.
import { Secret } from 'otpauth';
import type { Database, Queryable } from '../../core/sql/database.ts';
import { OperatorError } from '../error.ts';
import { beginLogin } from '../store/identity/login-attempts.ts';
import {
  proposeSecret,
  secretOf,
  takeRecoveryCode,
  takeStep,
  turnOn,
} from '../store/identity/second-factors.ts';
import { endOtherSessions } from '../store/identity/sessions.ts';
import { revokeTokensOf, type UserRow } from '../store/identity/users.ts';
import { limitedLogin } from './logins.ts';
import { hashToken } from './tokens.ts';
import { describeOffset, type FoundCode, findCode, newSecret, totpUri } from './totp.ts';

const RECOVERY_CODES = 10;
/** 80 bits: too many to guess, even for whoever has the hashes. */
const RECOVERY_BYTES = 10;

export interface ProposedSecret {
  /** Base32, to type into an app. */
  readonly secret: string;
  /** For a QR code. */
  readonly uri: string;
}

/** Makes a secret. It counts only after {@link enrol}. @throws OperatorError (conflict) */
export async function propose(db: Database, { id, name }: UserRow): Promise<ProposedSecret> {
  const secret = newSecret();
  if (!(await proposeSecret(db, id, secret))) throw isOnAlready();
  return { secret, uri: totpUri(secret, name) };
}

export interface CodeCheck {
  readonly code: string;
  /** Of the peer, without a port. */
  readonly address: string;
}

export interface Enrolment extends CodeCheck {
  /** Hash of the session that goes on. The others began with the password alone, so they end. */
  readonly session: string | null;
  readonly keepsTokens: boolean;
}

/**
 * Turns the second factor on, if the code is of the proposed secret.
 * @returns recovery codes, which only the user has from now on
 * @throws OperatorError
 */
export async function enrol(
  db: Database,
  user: UserRow,
  { code, address, session, keepsTokens }: Enrolment,
): Promise<readonly string[]> {
  if (user.hasSecondFactor) throw isOnAlready();
  const secret = await secretOf(db, user.id, false);
  if (secret === null)
    throw new OperatorError('conflict', 'there is no secret yet; make one with POST /second-factor/secret', {
      code: 'SECOND_FACTOR_SECRET',
    });
  const step = await counted(db, user, address, async () => {
    const found = findCode(secret, digitsOf(code), Date.now());
    if (found !== null && found.offset !== 0) throw otherTime(found);
    return found?.step ?? null;
  });
  const recovery = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  const hashes = recovery.map((each) => hashToken(plain(each)));
  await db.transaction(async (tx) => {
    if (!(await turnOn(tx, user.id, { secret, step }, hashes)))
      throw new OperatorError('conflict', 'there is a newer secret; scan it, and enter its code', {
        code: 'SECOND_FACTOR_SECRET',
      });
    await endOtherSessions(tx, user.id, session);
    if (!keepsTokens) await revokeTokensOf(tx, user.id);
  });
  return recovery;
}

/** Which kind of code it was. */
export type UsedCode = 'code' | 'recovery code';

/**
 * Checks a code and uses it up.
 * @throws OperatorError unauthenticated, or tooMany with the time of the next attempt
 */
export async function checkCode(
  db: Database,
  user: UserRow,
  { code, address }: CodeCheck,
): Promise<UsedCode> {
  return await counted(db, user, address, () => useCode(db, user.id, code));
}

async function useCode(db: Queryable, user: number, code: string): Promise<UsedCode | null> {
  const secret = await secretOf(db, user, true);
  const found = secret === null ? null : findCode(secret, digitsOf(code), Date.now());
  if (found !== null) {
    // An early code is used up too: what the message reveals about it opens nothing when its time comes.
    const isNew = found.offset >= 0 && (await takeStep(db, user, found.step));
    if (found.offset !== 0) throw otherTime(found);
    return isNew ? 'code' : null;
  }
  return (await takeRecoveryCode(db, user, hashToken(plain(code)))) ? 'recovery code' : null;
}

/** Counts a wrong code as wrong passwords are counted, by itself. */
async function counted<T>(
  db: Database,
  { name }: UserRow,
  address: string,
  check: () => Promise<T | null>,
): Promise<T> {
  const attempt = await beginLogin(db, name, address, 'code');
  if ('retryAfterMs' in attempt) throw limitedLogin(attempt.retryAfterMs);
  const found = await check();
  if (found === null)
    throw new OperatorError(
      'unauthenticated',
      'the code is wrong or used already; enter the next one that the app shows',
      { code: 'CODE_WRONG' },
    );
  await attempt.succeeded();
  return found;
}

function otherTime(found: FoundCode): OperatorError {
  return new OperatorError('unauthenticated', `${describeOffset(found)}; set it, or that of the server`, {
    code: 'CODE_TIME',
  });
}

/** `ABCD-EFGH-IJKL-MNOP` */
function newRecoveryCode(): string {
  return (new Secret({ size: RECOVERY_BYTES }).base32.match(/.{4}/g) ?? []).join('-');
}

/** Apps show codes in groups. */
const digitsOf = (code: string) => code.replaceAll(/\s/g, '');

const plain = (code: string) => code.replaceAll(/[\s-]/g, '').toUpperCase();

function isOnAlready(): OperatorError {
  return new OperatorError('conflict', 'the second factor is on already; turn it off first', {
    code: 'SECOND_FACTOR_ON',
  });
}

export function isOff(name: string): OperatorError {
  return new OperatorError('conflict', `the second factor of "${name}" is off`, {
    code: 'SECOND_FACTOR_OFF',
  });
}
