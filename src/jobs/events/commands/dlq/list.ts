// `sluice dlq list`: the open dead letters, one per line, and their number by code.
import type { Command } from 'commander';
import type { FilterOptions } from '../../../../cli/lib/choice.ts';
import { withOperator } from '../../../../cli/lib/connect/connect.ts';
import { say } from '../../../../cli/lib/connect/lifetime.ts';
import { EXIT } from '../../../../cli/lib/exit.ts';
import { formatCount, formatMany, formatTime } from '../../../../cli/lib/terminal/format.ts';
import { printList } from '../../../../cli/lib/terminal/list.ts';
import type { Column } from '../../../../cli/lib/terminal/table.ts';
import { neutralLine } from '../../../../observe/neutral.ts';
import type { Output as Answer } from '../../../../operator/contract/index.ts';
import { OperatorError } from '../../../../operator/error.ts';
import type { DeadLetterSummary } from '../../contract/refusals.ts';
import { type BoxOptions, filterOf, withBoxOptions, withFilterOptions } from './options.ts';

interface Options extends BoxOptions, FilterOptions {
  readonly all: boolean;
  readonly json: boolean;
}

export function registerDlqList(dlq: Command, env: NodeJS.ProcessEnv): void {
  withFilterOptions(withBoxOptions(dlq.command('list')))
    .description('list the open dead letters')
    .option('--all', 'include replayed and discarded dead letters', false)
    .option('--json', 'print one JSON object per line', false)
    .action((options: Options) =>
      withOperator(options, env, { command: 'sluice dlq list' }, async (client) => {
        const filter = { ...filterOf(options), resolved: options.all };
        let first: Answer<'GET /dead-letters'> | undefined;
        const { count } = await printList({
          json: options.json,
          limit: options.limit,
          columns: options.all ? ALL_COLUMNS : COLUMNS,
          async read(limit, after: string | undefined) {
            const found = await client.call('GET /dead-letters', { ...filter, limit, after });
            if (found.clusters.length === 0)
              throw new OperatorError(
                'notFound',
                'no Kafka cluster is configured: there are no dead letters',
                { code: 'NO_KAFKA' },
              );
            first ??= found;
            return { items: found.deadLetters, next: found.next };
          },
        });
        for (const line of first === undefined ? [] : summaryOf(first, count, options.all)) say(line);
        return EXIT.ok;
      }),
    );
}

const REASON: Column<DeadLetterSummary> = ['reason', 'left', ({ reason }) => reason, 'cut'];
const COLUMNS: readonly Column<DeadLetterSummary>[] = [
  ['id', 'left', ({ id }) => id, 'keep'],
  ['time', 'left', ({ failedAt }) => formatTime(failedAt), 'keep'],
  ['route', 'left', ({ route }) => route],
  ['code', 'left', ({ code }) => code],
  ['record', 'left', ({ origin }) => `${origin.topic}/${origin.partition}/${origin.offset}`],
  REASON,
];
/** With those that somebody has handled. */
const ALL_COLUMNS: readonly Column<DeadLetterSummary>[] = [
  ...COLUMNS.slice(0, -1),
  ['handled', 'left', ({ resolution }) => resolution?.how ?? ''],
  REASON,
];

function summaryOf(
  { total, byCode }: Pick<Answer<'GET /dead-letters'>, 'total' | 'byCode'>,
  shown: number,
  all: boolean,
): string[] {
  return [
    `${formatMany(total, all ? 'dead letter' : 'open dead letter')}${shown < total ? `, of which ${formatCount(shown)} are listed` : ''}`,
    ...byCode.map(({ code, count }) => `  ${neutralLine(code)}: ${formatCount(count)}`),
  ];
}
