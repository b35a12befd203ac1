// How easily a password can be guessed, as zxcvbn estimates with its lists of leaked passwords, words and names. It runs
// in a thread that ends soon afterwards: the lists take 80 MB, and passwords are set rarely.
import { createThread } from '../../core/thread.ts';

export interface GuessInput {
  readonly password: string;
  /** Words that an attacker tries first, such as the names of the user. */
  readonly words: readonly string[];
}

export interface Guess {
  /** 0 to 4: below 10^3, 10^6, 10^8, 10^10 guesses, or more. */
  readonly score: number;
  /** An English sentence that says what makes the password weak. */
  readonly warning: string | null;
  /** It is in the list of common passwords, in any case. */
  readonly isCommon: boolean;
}

// Node runs the source of the thread as it is, so tests use the same thread.
const THREAD = new URL(
  import.meta.url.endsWith('.js') ? './guess-thread.js' : './guess-thread.ts',
  import.meta.url,
);
const IDLE_MS = 10_000;
const thread = createThread<GuessInput, Guess>(THREAD, IDLE_MS);

export async function guess(input: GuessInput): Promise<Guess> {
  return await thread.run(input, { memoryMb: 256 });
}
