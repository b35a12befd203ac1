// What is left of old conversations, while polls find more.
import { expect, it } from 'vitest';
import { OldWork } from '../../../../activities/conversations/old-work.ts';
import type { Queryable } from '../../../../src/core/sql/database.ts';

it('a refresh while the ledger answers that nothing is left is not lost', async () => {
  let answer = (): void => undefined;
  let asked = 0;
  // The first answer of a ledger without old conversations waits until the poll has ended.
  const query = async (sql: string) => {
    if (++asked === 1) await new Promise<void>((done) => (answer = done));
    if (sql.includes('order by c.todo_since')) return [];
    return [{ ms: null, history: null }];
  };
  const db = { query } as unknown as Queryable;
  const old = new OldWork(db, { account: 'acme', poller: 'main' }, 4);
  const taking = old.take();
  old.refresh();
  answer();
  expect(await taking).toEqual([]);
  expect(old.takeInMs).toBe(0);
  expect(await old.take()).toEqual([]);
  expect(old.leftMs).toBeNull();
});
