// What tests of operators' commands share: a run that has begun, with members of given outcomes.
import { beforeAll } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { type ContextOptions, type DecisionContext, decisionContext } from './waves/decision-context.ts';

export const people = (count: number) => Array.from({ length: count }, () => 'Etc/UTC');
export const NOW = { waves: { settle: '0s' } };

/** Call it once, at the top of a test file. `db` answers once the tests run. */
export function commandsContext() {
  let db: Database;
  beforeAll(async () => {
    db = await testLedger();
  });

  async function running(options: ContextOptions): Promise<DecisionContext> {
    const context = await decisionContext(db, { config: NOW, ...options });
    await context.open();
    return context;
  }

  /** One member of each of these outcomes, in this order, and the run as it stands then. */
  async function ended(outcomes: readonly string[], config: object = NOW): Promise<DecisionContext> {
    const context = await running({ members: people(outcomes.length), config });
    const { members } = await context.batch();
    for (const [n, id] of members.entries()) {
      const [state, code] = (outcomes[n] as string).split(' ');
      if (state !== 'waiting')
        await context.outcome(id, { state: state as 'failed', ...(code && { code }), sentAgo: 120 });
    }
    return context;
  }

  async function touches(context: DecisionContext): Promise<number[]> {
    return context.numbers(
      (
        await db.query<{ id: number }>(
          'select member_id as id from campaign_touches where run_id = $1 order by 1',
          [context.run],
        )
      ).map(({ id }) => id),
    );
  }

  return { db: () => db, running, ended, touches };
}
