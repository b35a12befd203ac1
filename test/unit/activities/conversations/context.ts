// What each test of a polled service starts with: an empty ledger, a service to bend, and hands that poll it.
import { afterEach, beforeEach } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { at, chat, type Item, message, openService, type Service } from './service.ts';
import { type Hand, type HandOptions, openHand } from './support.ts';

export const list = (count: number, from = 1) =>
  Array.from({ length: count }, (_, n) => message(`m${from + n}`, from + n));

/** Created for each test of the file. */
export function pollingContext() {
  let hands: Hand[] = [];
  const context = {
    db: null as unknown as Database,
    service: null as unknown as Service,

    async hire(over: Partial<HandOptions> = {}): Promise<Hand> {
      const hand = await openHand({ db: context.db, client: { baseUrl: context.service.baseUrl }, ...over });
      hands.push(hand);
      return hand;
    },

    /** Conversation 1 with these messages; its listing is as new as the last of them. */
    write(...items: Item[]): void {
      const { service } = context;
      service.messages.set(1, items);
      const last = items.at(-1);
      const seconds = (Date.parse(String(last?.['createdAt'] ?? at(0))) - Date.parse(at(0))) / 1000;
      service.chats = [
        chat(1, seconds, { createdAt: at(0), lastMessage: String(last?.['body'] ?? '') }),
        ...service.chats.filter(({ id }) => id !== 1),
      ];
    },
  };
  // The first one of a process starts its database: seconds, where the machine is busy.
  beforeEach(async () => {
    context.db = await testLedger();
    context.service = await openService();
    hands = [];
  });
  afterEach(async () => {
    for (const hand of hands) await hand.close();
    await context.service.close();
  });
  return context;
}
