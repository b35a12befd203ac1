// `sluice dlq list`: dead letters in the order of their topic, and their number by code.
import type { Command } from 'commander';
import { type Listed, listCommand } from '../../../../cli/lib/route/list-command.ts';
import { formatCount, formatMany, formatTime } from '../../../../cli/lib/terminal/format.ts';
import { type Column, listOf } from '../../../../cli/lib/terminal/table.ts';
import { neutralLine } from '../../../../observe/neutral.ts';
import type { Output } from '../../../../operator/contract/index.ts';
import { OperatorError } from '../../../../operator/error.ts';
import { type DeadLetterSummary, REFUSALS } from '../../contract/refusals.ts';
import { FILTER } from './options.ts';

export function registerDlqList(dlq: Command, env: NodeJS.ProcessEnv): void {
  listCommand(dlq, env, {
    name: 'list',
    about: 'list the open dead letters',
    contract: REFUSALS,
    route: 'GET /dead-letters',
    fields: { ...FILTER, resolved: ['--all', 'include replayed and discarded dead letters'] },
    items: 'deadLetters',
    shown: (deadLetters, page, { all }: { readonly all: boolean }) =>
      listOf(all ? ALL_COLUMNS : COLUMNS, deadLetters, { page }),
    limit: {},
    says: summaryOf,
  });
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

/** @throws OperatorError (not found) when no cluster can have dead letters */
function summaryOf(
  { count, answer: { clusters, total, byCode } }: Listed<Output<'GET /dead-letters'>>,
  { all }: { readonly all: boolean },
): string[] {
  if (clusters.length === 0)
    throw new OperatorError('notFound', 'no Kafka cluster is configured: there are no dead letters', {
      code: 'NO_KAFKA',
    });
  return [
    `${formatMany(total, all ? 'dead letter' : 'open dead letter')}${count < total ? `, of which ${formatCount(count)} are listed` : ''}`,
    ...byCode.map((each) => `  ${neutralLine(each.code)}: ${formatCount(each.count)}`),
  ];
}
