// `sluice dlq list`: the open dead letters, one per line, and their number by code.
import type { Command } from 'commander';
import type { Output } from '../../contracts/operator/index.ts';
import type { DeadLetterSummary } from '../../contracts/operator/refusals.ts';
import { neutralLine } from '../../observability/neutral.ts';
import { withOperator } from '../lib/connect.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatCount } from '../lib/format.ts';
import { say } from '../lib/lifetime.ts';
import { openOutput } from '../lib/output.ts';
import { tabbed } from '../lib/table.ts';
import {
  type BoxOptions,
  type FilterOptions,
  filterOf,
  withBoxOptions,
  withFilterOptions,
} from './dlq-options.ts';

interface Options extends BoxOptions, FilterOptions {
  readonly all: boolean;
  readonly json: boolean;
}

/** Maximum number of dead letters of one request. */
const PAGE = 1000;

export function registerDlqList(dlq: Command, env: NodeJS.ProcessEnv): void {
  withFilterOptions(withBoxOptions(dlq.command('list')))
    .description('list the open dead letters')
    .option('--all', 'include replayed and discarded dead letters', false)
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      withOperator(options, env, { command: 'sluice dlq list' }, async (client) => {
        const { limit = Number.POSITIVE_INFINITY } = options;
        const filter = { ...filterOf(options), resolved: options.all };
        const output = openOutput(null);
        let shown = 0;
        let first: Output<'GET /dead-letters'> | undefined;
        for (let after: string | undefined; ; ) {
          const size = Math.min(PAGE, limit - shown);
          const page = await client.call('GET /dead-letters', { ...filter, limit: size, after });
          if (page.clusters.length === 0)
            throw new CliError(EXIT.notFound, 'no Kafka cluster is configured: there are no dead letters');
          first ??= page;
          shown += page.deadLetters.length;
          if (!(await writeAll(output, page.deadLetters, options.json))) break;
          if (page.next === null || shown >= limit) break;
          after = page.next;
        }
        await output.close();
        for (const line of summaryOf(first, shown, options.all)) say(line);
        return EXIT.ok;
      }),
    );
}

async function writeAll(
  output: ReturnType<typeof openOutput>,
  deadLetters: readonly DeadLetterSummary[],
  json: boolean,
): Promise<boolean> {
  for (const deadLetter of deadLetters) {
    const text = json ? `${JSON.stringify(deadLetter)}\n` : asText(deadLetter);
    if (!(await output.write(text))) return false;
  }
  return true;
}

function asText({ id, failedAt, route, code, origin, reason, resolution }: DeadLetterSummary): string {
  const where = `${origin.topic}/${origin.partition}/${origin.offset}`;
  const cells = [id, failedAt, route, code, where, ...(resolution ? [resolution.how] : []), reason];
  return `${tabbed(cells)}\n`;
}

function summaryOf(
  { total, byCode }: Pick<Output<'GET /dead-letters'>, 'total' | 'byCode'>,
  shown: number,
  all: boolean,
): string[] {
  const which = all ? 'dead letters' : 'open dead letters';
  return [
    `${formatCount(total)} ${which}${shown < total ? `, of which ${formatCount(shown)} are listed` : ''}`,
    ...byCode.map(({ code, count }) => `  ${neutralLine(code)}: ${formatCount(count)}`),
  ];
}
