// Sittings of the outbox: order within a stream, nothing lost, and a sink in trouble left alone.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/ledger/database.ts';
import { testLedger } from '../../support/ledger.ts';
import { memorySink, outboxRoom, put, told } from './outbox-room.ts';

let db: Database;
beforeEach(async () => {
  db = await testLedger();
});

describe('a sitting', () => {
  it('sends what waits in its order, and leaves nothing behind', async () => {
    const bus = memorySink();
    const room = outboxRoom(db, { bus });
    const events = Array.from({ length: 1000 }, (_, n) => told(n % 7, n));
    await put(db, ['bus'], events);
    const a = performance.now();
    expect(await room.sit('bus')).toEqual({ sent: 1000, nextMs: null });
    console.error('took', performance.now() - a);
    expect(bus.ids).toEqual(events.map(({ id }) => id));
    expect(await db.query('select count(*)::int as n from outbox')).toEqual([{ n: 0 }]);
    expect(await db.query('select sent, claimed_by from sink_states')).toEqual([
      { sent: 1000, claimed_by: null },
    ]);
  });
});
