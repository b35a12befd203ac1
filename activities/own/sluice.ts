// What Sluice offers to a team's own activities: clients whose calls share the budget, writes that happen once, opt-outs.
import { openOwnRun } from '../../src/jobs/events/store/intake-runs.ts';
import type { Deps } from '../shared/deps.ts';
import {
  type AccountOptions,
  type AccountResources,
  accountResources,
  type OwnAccount,
  pacedSender,
} from './account-client.ts';
import { findMessage, type SentTo } from './find-message.ts';
import { type FindEffect, type OnceOutcome, type OnceWrite, once, type Shown } from './once.ts';
import { hasRecipientOptedOut, keyOfNumber } from './recipient.ts';

/**
 * An account, with the resources of `MessagingClient`. Each call waits for a slot of the account's budget, tries the
 * account's tokens, and ends when the activity is canceled while it waits.
 */
export interface AccountClient extends AccountResources {
  /**
   * Makes a write that must not happen twice, however often the activity is retried or its process killed.
   * @param kind what is written, for example `due-reminder`; letters a-z, digits and -
   * @param subject what happens once, for example a row and a day. The ledger keeps a hash of it.
   * @param write exactly one call, with the client that it is given
   * @param find looks for the effect if the answer is lost. Without it, such a write ends as `unknown`.
   * @throws the client's errors and `OPTED_OUT`: nothing was written, and a later attempt may write
   */
  once<T>(kind: string, subject: string, write: OnceWrite<T>, find?: FindEffect): Promise<OnceOutcome<T>>;
  /** Looks for a message in the person's conversations, for `once`. Needs conversations:read and messages:read. */
  findMessage(message: SentTo, sentAt: Date): Promise<Shown>;
}

/** Passed to the factory of a team's activities. */
export interface Sluice {
  /** @throws Error naming the account when the configuration does not have it */
  account(name: string, options?: AccountOptions): AccountClient;
  /**
   * Did this person opt out of messages of the account?
   * @param number international, such as 5511987654321
   * @throws InvalidArgumentError that does not show the number
   */
  optedOut(account: string, number: string): Promise<boolean>;
}

/** @param worker name of the worker: the call log and the overview count its calls under it */
export function createSluice(deps: Deps, worker: string): Sluice {
  const runs = new Map<string, Promise<string>>();
  const runOf = (account: string) => {
    const known = runs.get(account);
    if (known !== undefined) return known;
    const opening = openOwnRun(deps.db, account, worker);
    runs.set(account, opening);
    // The ledger may be away: the next call opens it again.
    opening.catch(() => runs.delete(account));
    return opening;
  };
  return {
    account(name, options = {}) {
      const account: OwnAccount = { deps, name, options, run: () => runOf(name) };
      const client = accountResources(account, pacedSender(account));
      return {
        ...client,
        once: (kind, subject, write, find) => once(account, kind, subject, write, find),
        findMessage: (message, sentAt) => findMessage(client, message, sentAt),
      };
    },
    async optedOut(account, number) {
      deps.account(account);
      return await hasRecipientOptedOut(deps.db, account, keyOfNumber(number));
    },
  };
}
