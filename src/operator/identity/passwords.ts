// Passwords: their rules, and argon2id with the parameters that OWASP recommends.
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { OperatorError } from '../error.ts';

/** 19 MiB, two passes, one thread. Measured: 9 ms of CPU. `algorithm` 2 is argon2id. */
const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };
const MIN_LENGTH = 12;
/** Characters. Longer texts cost time and add nothing. */
const MAX_LENGTH = 256;
/** Fewer different characters are a pattern such as `abababababab`. */
const MIN_DIFFERENT = 5;
/** Of a name that may not be part of a password. A shorter one is part of many words. */
const MIN_NAME = 3;

/** A flood of logins must not take memory and threads from the work: 2 at once take 38 MiB. */
const CONCURRENT = 2;
const MAX_WAITING = 30;
const RETRY_MS = 2000;

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * @param stored null when the user does not exist or has no password: the answer is false after the same work
   * @throws OperatorError (tooMany)
   */
  verify(stored: string | null, password: string): Promise<boolean>;
}

export function createPasswords(): Passwords {
  const limit = pLimit(CONCURRENT);
  let standIn: Promise<string> | undefined;
  const bounded = <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.pendingCount >= MAX_WAITING)
      throw new OperatorError('tooMany', 'too many logins at once; try again in a few seconds', {
        code: 'LOGIN_BUSY',
        retryAfterMs: RETRY_MS,
      });
    return limit(work);
  };
  return {
    hash: async (password) => await bounded(() => hash(normal(password), ARGON2)),
    async verify(stored, password) {
      return await bounded(async () => {
        standIn ??= hash('the password of nobody', ARGON2);
        const matches = await verify(stored ?? (await standIn), normal(password));
        return matches && stored !== null;
      });
    },
  };
}

/**
 * @param names of the user, which may not be part of the password
 * @throws OperatorError (invalid) that names the rule
 */
export function checkPassword(password: string, names: readonly string[]): void {
  const refuse = (rule: string): never => {
    throw new OperatorError('invalid', `the password ${rule}`, { code: 'PASSWORD_WEAK' });
  };
  const text = normal(password);
  const characters = [...text];
  if (characters.length < MIN_LENGTH)
    refuse(`has ${characters.length} characters; use ${MIN_LENGTH} or more`);
  if (characters.length > MAX_LENGTH)
    refuse(`has ${characters.length} characters; use at most ${MAX_LENGTH}`);
  if (new Set(characters).size < MIN_DIFFERENT) refuse('repeats a few characters; use more different ones');
  const lower = text.toLowerCase();
  const parts = names.flatMap((name) => normal(name).toLowerCase().split(/\s+/));
  if (parts.some((part) => part.length >= MIN_NAME && lower.includes(part)))
    refuse("contains the user's name; choose one without it");
}

/** Keyboards write the same letter in several ways. */
function normal(text: string): string {
  return text.normalize('NFKC');
}
