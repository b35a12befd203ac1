// Waits for the outcome of events, when the command itself works on them.
import { setTimeout as delay } from 'node:timers/promises';
import { say } from '../../../../cli/lib/connect/lifetime.ts';
import type { OperatorClient } from '../../../../operator/client/client.ts';
import type { EventSummary } from '../../contract/events.ts';

/** Maximum number of ids in one request. */
const MAX_IDS = 100;
/** Interval of the checks whether the events have ended. */
const CHECK_MS = 500;

/** No service runs: this command has the workers, so it stays until its events have ended or are blocked again. */
export async function untilEnded(client: OperatorClient, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  say('no service runs, so this command works on them until they have ended');
  const outcomes = new Map<string, number>();
  for (let from = 0; from < ids.length; ) {
    const { events } = await client.call('GET /events', { ids: ids.slice(from, from + MAX_IDS) });
    if (events.some(({ state, blocked }) => state !== 'ended' && blocked === null)) {
      await delay(CHECK_MS);
      continue;
    }
    for (const event of events) outcomes.set(stateOf(event), (outcomes.get(stateOf(event)) ?? 0) + 1);
    from += MAX_IDS;
  }
  say([...outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(', '));
}

export function stateOf({ state, outcome, blocked }: EventSummary): string {
  return outcome ?? (blocked === null ? state : 'blocked');
}
