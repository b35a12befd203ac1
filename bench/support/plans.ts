// The plans of statements as prepared statements have them: without the values of their parameters.
import type { Database, Queryable } from '../../src/core/sql/database.ts';
import type { HotCall } from './hot-path.ts';

/** A statement that a call ran. */
export interface Statement {
  readonly call: string;
  readonly sql: string;
}

class RolledBack extends Error {}

/** Runs `work` in a transaction that leaves nothing behind. */
export async function rolledBack(db: Database, work: (tx: Queryable) => Promise<void>): Promise<void> {
  await db
    .transaction(async (tx) => {
      await work(tx);
      throw new RolledBack();
    })
    .catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
}

/** The statements that these calls run. */
export async function statementsOf(db: Database, calls: readonly HotCall[]): Promise<Statement[]> {
  const found = new Map<string, Statement>();
  for (const { name, run } of calls)
    await rolledBack(db, async (tx) => {
      const noted: Queryable = {
        async query<Row>(sql: string, params?: readonly unknown[]) {
          if (!found.has(sql)) found.set(sql, { call: name, sql });
          return await tx.query<Row>(sql, params);
        },
      };
      await run(noted, 0);
    });
  return [...found.values()];
}

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Node[];
}

/** Tables that the generic plan of a statement reads completely. */
export async function tablesScanned(db: Database, { sql }: Statement): Promise<string[]> {
  const scanned: string[] = [];
  const count = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
  const values = count === 0 ? '' : `(${Array.from({ length: count }, () => 'null').join(', ')})`;
  await rolledBack(db, async (tx) => {
    await tx.query("set local plan_cache_mode = 'force_generic_plan'");
    await tx.query(`prepare hot as ${sql}`);
    try {
      const [row] = await tx.query<{ 'QUERY PLAN': string | readonly { readonly Plan: Node }[] }>(
        `explain (format json) execute hot${values}`,
      );
      const text = row?.['QUERY PLAN'] ?? [];
      const plans = (typeof text === 'string' ? JSON.parse(text) : text) as readonly { Plan: Node }[];
      for (const { Plan } of plans) collect(Plan, scanned);
    } finally {
      await tx.query('deallocate hot');
    }
  });
  return scanned;
}

function collect(node: Node, scanned: string[]): void {
  if (node['Node Type'] === 'Seq Scan') scanned.push(node['Relation Name'] ?? '?');
  for (const child of node.Plans ?? []) collect(child, scanned);
}
