// Requests that take seconds of a processor: counts of drafts, previews, and changes of the configuration. One of each user runs at a time,
// and few of all users, so that nobody keeps the process from answering others.
import pLimit, { type LimitFunction } from 'p-limit';
import { OperatorError } from '../error.ts';

/** Requests of one user: one that runs, and those that wait. */
const OF_ONE = 4;
/** Of all users: those that run, and together with those that wait. */
const RUNNING = 3;
const OF_ALL = 12;
const RETRY_MS = 3000;

export interface ExpensiveRequests {
  /** @throws OperatorError (tooMany) at once when too many wait */
  run<T>(identity: string, work: () => Promise<T>): Promise<T>;
}

export function createExpensiveRequests(): ExpensiveRequests {
  const all = pLimit(RUNNING);
  const users = new Map<string, { readonly limit: LimitFunction; requests: number }>();
  let total = 0;
  return {
    async run(identity, work) {
      const own = users.get(identity) ?? { limit: pLimit(1), requests: 0 };
      if (own.requests >= OF_ONE) throw tooMany('you have');
      if (total >= OF_ALL) throw tooMany('the users of Sluice have');
      users.set(identity, own);
      own.requests += 1;
      total += 1;
      try {
        return await own.limit(() => all(work));
      } finally {
        total -= 1;
        own.requests -= 1;
        if (own.requests === 0) users.delete(identity);
      }
    },
  };
}

function tooMany(who: string): OperatorError {
  return new OperatorError(
    'tooMany',
    `${who} too many previews, counts and changes of the configuration in progress; try again in 3 s`,
    {
      code: 'PREVIEWS_LIMITED',
      retryAfterMs: RETRY_MS,
    },
  );
}
