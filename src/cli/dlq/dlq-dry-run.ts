// What would happen if dead letters were replayed now, compared with what happened then. It sends nothing.

import { RefusedError, type Route } from '../../ingress/intake.ts';
import {
  deliveryOf,
  type FoundDeadLetter,
  MAX_MESSAGE_BYTES,
  replayMessage,
} from '../../ingress/kafka/index.ts';
import { neutralLine } from '../../observability/neutral.ts';
import { maskRequest } from '../../operator/service/masking.ts';
import { EXIT } from '../lib/exit.ts';
import { formatMany } from '../lib/format.ts';
import { say } from '../lib/lifetime.ts';
import { openOutput } from '../lib/output.ts';

/** What a dead letter comes to now. */
export type Now =
  | { readonly outcome: 'accepted'; readonly events: readonly { action: string; request: unknown }[] }
  | { readonly outcome: 'refused'; readonly code: string; readonly reason: string }
  | { readonly outcome: 'skipped' | 'no route'; readonly reason: string };

export async function printDryRun(
  routes: readonly Route[],
  deadLetters: readonly FoundDeadLetter[],
  json: boolean,
): Promise<number> {
  const output = openOutput(null);
  const counts = new Map<Now['outcome'], number>();
  for (const deadLetter of deadLetters) {
    const now = await whatNow(routes, deadLetter);
    counts.set(now.outcome, (counts.get(now.outcome) ?? 0) + 1);
    if (!(await output.write(json ? asJson(deadLetter, now) : asText(deadLetter, now)))) break;
  }
  await output.close();
  const parts = [...counts].map(([outcome, count]) => `${count} ${outcome}`);
  say(
    `Nothing was sent. ${formatMany(deadLetters.length, 'dead letter')} would now be: ${parts.join(', ') || 'none'}`,
  );
  return EXIT.ok;
}

/** Reads the record as the ingress would. @param routes of the dead letter's cluster */
async function whatNow(routes: readonly Route[], deadLetter: FoundDeadLetter): Promise<Now> {
  const { topic, partition, offset, timestamp } = deadLetter.origin;
  if (deadLetter.omitted !== null)
    return { outcome: 'skipped', reason: 'its value is not here: it was too long for this topic' };
  // The route that reads the topic today, whichever read it then.
  const route = routes.find(({ config }) => config.kafka?.topics.includes(topic));
  if (route === undefined) return { outcome: 'no route', reason: `no route reads "${topic}"` };
  const bytes = deadLetter.value?.byteLength ?? 0;
  if (bytes > MAX_MESSAGE_BYTES)
    return { outcome: 'refused', code: 'TOO_LARGE', reason: `the value has ${bytes} bytes` };
  const { headers, key, value } = replayMessage(deadLetter);
  const message = { offset, timestamp, headers, key: key as Buffer | null, value: value as Buffer | null };
  try {
    const { drafts, skipped } = await route.read(deliveryOf(topic, partition, message));
    if (drafts.length === 0) return { outcome: 'skipped', reason: skipped ?? 'there is nothing to do' };
    const events = drafts.map(({ request }) => ({ action: request.type, request: maskRequest(request) }));
    return { outcome: 'accepted', events };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { outcome: 'refused', code: error.code, reason: error.message };
  }
}

function asJson({ id, route, code, reason }: FoundDeadLetter, now: Now): string {
  return `${JSON.stringify({ id, route, then: { outcome: 'refused', code, reason }, now })}\n`;
}

/** As a diff: what it was, what it would be. */
function asText({ id, route, code, reason }: FoundDeadLetter, now: Now): string {
  const same = now.outcome === 'refused' && now.code === code && now.reason === reason;
  const then = `refused ${code}: ${reason}`;
  const lines = same ? [`  ${then} (as before)`] : [`- ${then}`, ...nowLines(now).map((line) => `+ ${line}`)];
  return `${[`${id} ${route}`, ...lines].map(neutralLine).join('\n')}\n`;
}

function nowLines(now: Now): string[] {
  switch (now.outcome) {
    case 'accepted':
      return now.events.flatMap(({ action, request }) => [
        `accepted as ${action}`,
        ...JSON.stringify(request, null, 2).split('\n'),
      ]);
    case 'refused':
      return [`refused ${now.code}: ${now.reason}`];
    default:
      return [`${now.outcome}: ${now.reason}`];
  }
}
