// The outbox: events for sinks, written in the transaction that finds them.

import { OUTBOX_EVENT } from '../../../core/encryption/columns.ts';
import { encryptValue } from '../../../core/encryption/values.ts';
import { toJson } from '../../../core/json/stored-json.ts';
import type { Queryable } from '../../../core/sql/database.ts';
import type { AnnouncedEvent, SinkEvent } from '../../events/contract/envelope.ts';
import { type AnnouncedType, type AnnounceRule, typesOf } from '../contract/announce.ts';

/** Events of one statement. */
const CHUNK = 1000;

/** An event, and the connection of its conversation if it has one that is known. */
export interface Announced {
  readonly event: AnnouncedEvent;
  readonly connection: number | null;
}

/**
 * Puts events into the outbox of every sink that one of the rules names, in this order. It should be the last
 * statement of its transaction: until that ends, no other transaction adds events of the account, so the numbers
 * within a stream match the order in which the events become visible.
 * @returns the sinks that have something to send
 */
export async function putOutbox(
  tx: Queryable,
  account: string,
  rules: readonly AnnounceRule[],
  published: readonly Announced[],
): Promise<string[]> {
  const addressed = published.flatMap(({ event, connection }) => {
    const sinks = rules.filter((rule) => hears(rule, event.type, connection)).map(({ sink }) => sink);
    return [...new Set(sinks)].map((sink) => ({ sink, event }));
  });
  await putEvents(tx, account, addressed);
  return [...new Set(addressed.map(({ sink }) => sink))];
}

/**
 * Puts each event into the outbox of its sink, in this order. It should also be the last statement of its
 * transaction.
 */
export async function putEvents(
  tx: Queryable,
  account: string,
  addressed: readonly { readonly sink: string; readonly event: SinkEvent }[],
): Promise<void> {
  if (addressed.length === 0) return;
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 724313))', [account]);
  for (let from = 0; from < addressed.length; from += CHUNK) {
    const rows = addressed.slice(from, from + CHUNK).map(({ sink, event }) => ({
      sink,
      stream: event.partitionkey,
      event_id: event.id,
      type: event.type,
      event: encryptValue(tx, OUTBOX_EVENT, [sink, event.partitionkey, event.id], event),
    }));
    await tx.query(
      `insert into outbox (sink, stream, account, event_id, type, event)
       select r->>'sink', r->>'stream', $1, r->>'event_id', r->>'type', r->'event'
         from jsonb_array_elements($2::jsonb) with ordinality as rows(r, n)
        order by n`,
      [account, toJson(rows)],
    );
  }
}

function hears(rule: AnnounceRule, type: AnnouncedType, connection: number | null): boolean {
  const { connections } = rule;
  if (!typesOf(rule).includes(type)) return false;
  return connections === undefined || connection === null || connections.includes(connection);
}
