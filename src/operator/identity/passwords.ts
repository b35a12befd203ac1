// Passwords: their rules, and argon2id with the parameters that OWASP recommends.
import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { OperatorError } from '../error.ts';
import { guess } from './guess.ts';

/** 19 MiB, two passes, one thread. Measured: 9 ms of CPU. `algorithm` 2 is argon2id. */
const ARGON2 = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 };
const MIN_LENGTH = 12;
const WAY_OUT = 'use four words that do not belong together, or let a password manager make one';
/** Characters. Longer texts cost time and add nothing. */
const MAX_LENGTH = 256;
/** Of 4. Below it, fewer than 10^8 guesses find the password. */
const MIN_SCORE = 3;
/** Of a name that may not be part of a password. A shorter one is part of many words. */
const MIN_NAME = 3;
/** Words that an attacker of this program tries. */
const CONTEXT = ['sluice'];

/** A flood of logins must not take memory and threads from the work: 2 at once take 38 MiB. */
const CONCURRENT = 2;
const MAX_WAITING = 30;
const RETRY_MS = 2000;

export interface Passwords {
  /**
   * @param names of the user, which may not be part of the password
   * @throws OperatorError (invalid) that names the rule; tooMany
   */
  check(password: string, names: readonly string[]): Promise<void>;
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
    async check(password, names) {
      if (!password.isWellFormed()) refuse('has half of a character; use whole ones');
      const text = normal(password);
      const parts = names.flatMap((name) => normal(name).toLowerCase().split(/\s+/));
      checkShape(text, parts);
      const words = [...parts, ...CONTEXT].filter((word) => word !== '');
      const { score, warning, isCommon } = await bounded(() => guess({ password: text, words }));
      if (isCommon) refuse(`is in a list of leaked passwords; ${WAY_OUT}`);
      if (score < MIN_SCORE) refuse(`is easy to guess${warning ? ` (${warning})` : ''}; ${WAY_OUT}`);
    },
    hash: async (password) => await bounded(() => hash(password, ARGON2)),
    async verify(stored, password) {
      return await bounded(async () => {
        standIn ??= hash('the password of nobody', ARGON2);
        const matches = await verify(stored ?? (await standIn), password);
        // All halves of characters become the same bytes.
        return matches && stored !== null && password.isWellFormed();
      });
    },
  };
}

function checkShape(text: string, parts: readonly string[]): void {
  const { length } = [...text];
  if (length < MIN_LENGTH) refuse(`has ${length} characters; use ${MIN_LENGTH} or more`);
  if (length > MAX_LENGTH) refuse(`has ${length} characters; use at most ${MAX_LENGTH}`);
  const lower = text.toLowerCase();
  if (parts.some((part) => part.length >= MIN_NAME && lower.includes(part)))
    refuse("contains the user's name; choose one without it");
}

function refuse(rule: string): never {
  throw new OperatorError('invalid', `the password ${rule}`, { code: 'PASSWORD_WEAK' });
}

/** For the rules alone: another way to write a leaked password makes it no better. What is verified is what was typed. */
function normal(text: string): string {
  return text.normalize('NFKC');
}
