// What would happen if refused things were replayed now, compared with what happened then.
import type { DryRunNow, DryRunResult } from '../../../jobs/events/contract/refusals.ts';
import { neutralLine } from '../../../observe/neutral.ts';
import { say } from '../connect/lifetime.ts';
import { EXIT } from '../exit.ts';
import { formatCount, formatMany } from './format.ts';
import { openOutput } from './output.ts';

interface DryRunOutput {
  /** What was tried: `dead letter`. */
  readonly one: string;
  /** Number that the filters choose. */
  readonly total: number;
  readonly json: boolean;
}

export async function printDryRun(
  results: readonly DryRunResult[],
  { one, total, json }: DryRunOutput,
): Promise<number> {
  const output = openOutput(null);
  const counts = new Map<DryRunNow['outcome'], number>();
  for (const result of results) {
    const { outcome } = result.now;
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    if (!(await output.write(json ? `${JSON.stringify(result)}\n` : asText(result)))) break;
  }
  await output.close();
  const parts = [...counts].map(([outcome, count]) => `${count} ${outcome}`);
  say(`Nothing was sent. ${formatMany(results.length, one)} would now be: ${parts.join(', ') || 'none'}`);
  if (total > results.length) say(`${formatCount(total - results.length)} more were not tried: see --limit`);
  return EXIT.ok;
}

/** As a diff: what it was, what it would be. */
function asText({ id, route, then: { code, reason }, now }: DryRunResult): string {
  const same = now.outcome === 'refused' && now.code === code && now.reason === reason;
  const then = `refused ${code}: ${reason}`;
  const lines = same ? [`  ${then} (as before)`] : [`- ${then}`, ...nowLines(now).map((line) => `+ ${line}`)];
  return `${[`${id} ${route}`, ...lines].map(neutralLine).join('\n')}\n`;
}

/** What a replay would come to: the outcome, then what it would make. */
export function nowLines(now: DryRunNow): string[] {
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
