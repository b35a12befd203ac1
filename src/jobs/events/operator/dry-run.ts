// What would happen if a dead letter were replayed now. It sends nothing.
import type { DryRunNow, DryRunResult } from '../contract/refusals.ts';
import type { Route } from '../ingress/intake.ts';
import {
  deliveryOf,
  type FoundDeadLetter,
  MAX_MESSAGE_BYTES,
  replayMessage,
} from '../ingress/kafka/index.ts';
import { readNow, shownOf } from './read-now.ts';

/** @param routes of the dead letter's cluster */
export async function dryRun(
  routes: readonly Route[],
  deadLetter: FoundDeadLetter,
  unmask: boolean,
): Promise<DryRunResult> {
  const { id, route, code, reason } = deadLetter;
  return {
    id,
    route,
    then: { outcome: 'refused', code, reason },
    now: await whatNow(routes, deadLetter, unmask),
  };
}

/** The route that reads the topic today, whichever read it then. */
export function routeOf(routes: readonly Route[], topic: string): Route | undefined {
  return routes.find(({ config }) => config.kafka?.topics.includes(topic));
}

/** Reads the record as the ingress would. */
async function whatNow(
  routes: readonly Route[],
  deadLetter: FoundDeadLetter,
  unmask: boolean,
): Promise<DryRunNow> {
  const { topic, partition, offset, timestamp } = deadLetter.origin;
  if (deadLetter.omitted !== null)
    return { outcome: 'skipped', reason: 'its value is not here: the dead-letter topic did not take it' };
  const route = routeOf(routes, topic);
  if (route === undefined) return { outcome: 'no route', reason: `no route reads "${topic}"` };
  const bytes = deadLetter.value?.byteLength ?? 0;
  if (bytes > MAX_MESSAGE_BYTES)
    return { outcome: 'refused', code: 'TOO_LARGE', reason: `the value has ${bytes} bytes` };
  const { headers, key, value } = replayMessage(deadLetter);
  const message = { offset, timestamp, headers, key: key as Buffer | null, value: value as Buffer | null };
  const delivery = deliveryOf(topic, partition, message);
  return shownOf(await readNow(route, delivery, (error) => error.message), unmask);
}
