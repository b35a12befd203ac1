// What became of what an operator replayed: a line each, and their number by outcome.
import type { RefusedRequestResult } from '../../../jobs/events/contract/refused-requests.ts';
import { neutralLine } from '../../../observe/neutral.ts';
import { say } from '../connect/lifetime.ts';
import { EXIT } from '../exit.ts';
import { openOutput } from './output.ts';

interface ReplayOutput {
  readonly json: boolean;
  /** What to say if there is no result. */
  readonly none: string;
}

/** @returns the exit code, and the ids of the events */
export async function printReplays(
  results: AsyncIterable<RefusedRequestResult> | Iterable<RefusedRequestResult>,
  { json, none }: ReplayOutput,
): Promise<{ readonly code: number; readonly events: string[] }> {
  const output = openOutput(null);
  const events: string[] = [];
  const counts = new Map<RefusedRequestResult['outcome'], number>();
  for await (const result of results) {
    if (result.outcome === 'accepted') events.push(...result.events.map(({ id }) => id));
    counts.set(result.outcome, (counts.get(result.outcome) ?? 0) + 1);
    await output.write(`${json ? JSON.stringify(result) : neutralLine(lineOf(result))}\n`);
  }
  await output.close();
  say([...counts].map(([outcome, count]) => `${count} ${outcome}`).join(', ') || none);
  const code = counts.has('refused') || counts.has('no route') ? EXIT.failedRecords : EXIT.ok;
  return { code, events };
}

function lineOf(result: RefusedRequestResult): string {
  const { id, outcome } = result;
  if (outcome === 'accepted')
    return `${id}  accepted  ${result.events.map((event) => `${event.id}${event.duplicate ? ' (duplicate)' : ''}`).join(', ')}`;
  return `${id}  ${outcome}  ${result.reason}${outcome === 'refused' ? ` [${result.code}]` : ''}`;
}
