// Changes the ledger and puts the events about the change into the outbox, in one transaction.
import type { Database, Queryable } from '../../../core/sql/database.ts';
import type { AnnounceRule } from '../contract/announce.ts';
import { type Announced, putOutbox } from './outbox.ts';

export interface Changed<T> {
  readonly result: T;
  /** About any accounts. */
  readonly news: readonly Announced[];
}

/** Runs `work` in a transaction with its events, and wakes the sinks that hear of them after it has committed. */
export type Announcer = <T>(work: (tx: Queryable) => Promise<Changed<T>>) => Promise<T>;

export interface AnnouncerOptions {
  readonly db: Pick<Database, 'transaction'>;
  /** Rules of an account; none for an account that the configuration does not have. */
  rulesOf(account: string): readonly AnnounceRule[];
  wake(sinks: readonly string[]): Promise<void>;
}

export function createAnnouncer({ db, rulesOf, wake }: AnnouncerOptions): Announcer {
  return async (work) => {
    const { result, sinks } = await db.transaction(async (tx) => {
      const { result, news } = await work(tx);
      const sinks = new Set<string>();
      // All transactions use the order of the names. Two that wait for each other's accounts would deadlock.
      for (const account of [...new Set(news.map(accountOf))].toSorted()) {
        const own = news.filter((each) => accountOf(each) === account);
        for (const sink of await putOutbox(tx, account, rulesOf(account), own)) sinks.add(sink);
      }
      return { result, sinks: [...sinks] };
    });
    await wake(sinks);
    return result;
  };
}

const accountOf = ({ event }: Announced): string => event.data.account;
