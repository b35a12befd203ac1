// Sinks and the outbox as operators see and steer them.
import type { Queryable } from '../../../core/sql/database.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import { wakeSinks } from '../../../operator/service/wake.ts';
import type { OUTBOX, OutboxFilter } from '../contract/operator.ts';
import { describeSinks, discardOutbox, listOutbox, reopenOutbox } from '../store/queries.ts';

export function outboxHandlers(deps: OperatorDeps): Handlers<keyof typeof OUTBOX> {
  const { db } = deps;

  /** Changes events, then wakes the workflows of their sinks. */
  async function change(
    work: (tx: Queryable) => Promise<{ count: number; sinks: readonly string[] }>,
  ): Promise<{ count: number }> {
    const { count, sinks } = await db.transaction(work);
    await wakeSinks(deps, sinks);
    return { count };
  }

  return {
    'GET /sinks': async () => ({
      sinks: await describeSinks(db, Object.keys(deps.config().config.sinks)),
    }),
    'GET /outbox': async ({ limit, after, ...filter }) => {
      const events = await listOutbox(db, filter, { limit, after: after ?? null });
      const last = events.at(-1);
      return { events, next: events.length < limit || last === undefined ? null : last.id };
    },
    'POST /outbox/retry': async ({ limit, ...filter }) => {
      await requireAll(db, filter);
      return await change((tx) => reopenOutbox(tx, filter, limit));
    },
    'POST /outbox/discard': async ({ ids }) => {
      const filter = { ids, states: [] };
      await requireAll(db, filter);
      return await change((tx) => discardOutbox(tx, filter, ids.length));
    },
  };
}

/** @throws OperatorError when one of the ids does not exist */
async function requireAll(db: Queryable, filter: OutboxFilter): Promise<void> {
  const { ids } = filter;
  if (ids === undefined) return;
  const found = await listOutbox(db, filter, { limit: ids.length, after: null });
  const missing = ids.filter((id) => found.every((entry) => entry.id !== id));
  if (missing.length === 0) return;
  throw new OperatorError(
    'notFound',
    `The outbox has no event ${missing.join(', ')}. It was sent or discarded, or the id is wrong; the list of the outbox shows the ids.`,
    { code: 'NO_SUCH_EVENT' },
  );
}
