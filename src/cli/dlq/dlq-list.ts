// `sluice dlq list`: the open dead letters, one per line, and their number by code.

import type { Command } from 'commander';
import type { FoundDeadLetter } from '../../ingress/kafka/index.ts';
import { neutralLine } from '../../observability/neutral.ts';
import { EXIT } from '../lib/exit.ts';
import { formatCount } from '../lib/format.ts';
import { runCommand, say } from '../lib/lifetime.ts';
import { openOutput } from '../lib/output.ts';
import { tabbed } from '../lib/table.ts';
import {
  type BoxOptions,
  type FilterOptions,
  matches,
  openBox,
  readBox,
  withBoxOptions,
  withFilterOptions,
} from './dlq-box.ts';

interface Options extends BoxOptions, FilterOptions {
  readonly all: boolean;
  readonly json: boolean;
}

export function registerDlqList(dlq: Command, env: NodeJS.ProcessEnv): void {
  withFilterOptions(withBoxOptions(dlq.command('list')))
    .description('list the open dead letters')
    .option('--all', 'include replayed and discarded dead letters', false)
    .option('--json', 'print one JSON object per line', false)
    .action(async (options: Options) => {
      process.exitCode = await runCommand(async ({ signal }) => {
        const box = await openBox(options, env);
        const deadLetters = await readBox(box, { keepValue: () => false, signal });
        const found = deadLetters.filter(
          (deadLetter) => (options.all || deadLetter.resolution === null) && matches(deadLetter, options),
        );
        const output = openOutput(null);
        for (const deadLetter of found.slice(0, options.limit)) {
          if (!(await output.write(options.json ? asJson(deadLetter) : asText(deadLetter)))) break;
        }
        await output.close();
        for (const line of summaryOf(found, options)) say(line);
        return EXIT.ok;
      });
    });
}

function asText({ id, failedAt, route, code, origin, reason, resolution }: FoundDeadLetter): string {
  const where = `${origin.topic}/${origin.partition}/${origin.offset}`;
  const cells = [id, failedAt, route, code, where, ...(resolution ? [resolution.how] : []), reason];
  return `${tabbed(cells)}\n`;
}

function asJson({ id, failedAt, route, code, reason, origin, resolution }: FoundDeadLetter): string {
  return `${JSON.stringify({ id, failedAt, route, code, reason, origin, resolution })}\n`;
}

function summaryOf(found: readonly FoundDeadLetter[], { all, limit }: Options): string[] {
  const counts = new Map<string, number>();
  for (const { code } of found) counts.set(code, (counts.get(code) ?? 0) + 1);
  const byCode = [...counts].toSorted(([, a], [, b]) => b - a);
  const shown = limit === undefined ? found.length : Math.min(limit, found.length);
  const which = all ? 'dead letters' : 'open dead letters';
  return [
    `${formatCount(found.length)} ${which}${shown < found.length ? `, of which ${formatCount(shown)} are listed` : ''}`,
    ...byCode.map(([code, count]) => `  ${neutralLine(code)}: ${formatCount(count)}`),
  ];
}
