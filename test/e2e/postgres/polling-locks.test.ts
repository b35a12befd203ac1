// Several batches at one PostgreSQL: a page of the list and a reading lock the same rows, in one order.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openPostgres } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres/postgres.ts';
import { until } from '../../support/until.ts';
import { at, chat, message, openService, type Service } from '../../unit/activities/conversations/service.ts';
import { type Hand, openHand, textsOf } from '../../unit/activities/conversations/support.ts';

let server: TestPostgres;
let db: Database;
let service: Service;
beforeAll(async () => {
  server = await startPostgres();
  db = await openPostgres(server.url, () => undefined);
  await migrate(db);
  service = await openService();
});
afterAll(async () => {
  await service.close();
  await db.close();
  await server.stop();
});

const someoneWaits = async () =>
  (
    await db.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).length > 0;

/** A ledger of which a transaction, having locked its first row, goes on once somebody waits for it. */
function pausing(meanwhile: () => void): Database {
  let begun = false;
  return {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          async query<Row>(sql: string, params?: readonly unknown[]) {
            const rows = await tx.query<Row>(sql, params);
            if (begun || !/for update/.test(sql)) return rows;
            begun = true;
            meanwhile();
            await until('somebody waits for the row', someoneWaits);
            return rows;
          },
        }),
      ),
  };
}

it.each([
  ['is read', 'readable', () => null],
  [
    'cannot be read',
    'unreadable',
    () => ({ status: 404, body: { error: 'x', code: 'ERR_NO_TICKET_FOUND' } }),
  ],
])(
  'a conversation that %s while the list shows it changed: neither deadlocks',
  async (_case, account, answer) => {
    service.date = new Date(at(100_000));
    service.bend = ({ of }) => (of === 1 ? answer() : null);
    service.chats = [chat(1, 10)];
    service.messages.set(1, [message('a', 10)]);
    const client = { baseUrl: service.baseUrl };
    const lists = await openHand({ account, db, client });
    await lists.page();
    service.chats = [chat(1, 20)];
    let list: ReturnType<Hand['page']> | undefined;
    const reads = await openHand({ account, client, db: pausing(() => void (list = lists.page())) });
    const done = await reads.read(1);
    expect(done).toMatchObject({ done: true });
    expect(await list).toMatchObject({ done: true, changed: 1 });
    expect(textsOf(await lists.published())).toEqual(answer() === null ? ['a'] : []);
    await Promise.all([lists.close(), reads.close()]);
  },
);
