// `sluice dlq discard`: marks dead letters as handled; they stay in the topic.
import type { Command } from 'commander';
import { callCommand } from '../../../../cli/lib/route/call-command.ts';
import { canAsk } from '../../../../cli/lib/terminal/confirm.ts';
import { formatCount, formatMany } from '../../../../cli/lib/terminal/format.ts';
import type { OperatorClient } from '../../../../operator/client/client.ts';
import type { Input } from '../../../../operator/contract/index.ts';
import { REFUSALS } from '../../contract/refusals.ts';
import { checkReason } from '../check-reason.ts';
import { CHOICE, choiceOf, IDS, YES } from './options.ts';

/** Number of dead letters to show before a question. */
const SHOWN = 10;

export function registerDlqDiscard(dlq: Command, env: NodeJS.ProcessEnv): void {
  callCommand(dlq, env, {
    name: 'discard',
    about: 'mark dead letters as handled; nothing is deleted',
    contract: REFUSALS,
    route: 'POST /dead-letters/discard',
    arguments: [IDS],
    fields: { ...CHOICE, reason: ['--reason <text>', 'reason, recorded with the dead letters'] },
    json: 'print the number of dead letters as JSON',
    input: (given, { yes }: { readonly yes: boolean }) => ({
      ...choiceOf(given, yes, canAsk()),
      reason: checkReason(given.reason),
    }),
    confirms: whatHappens,
    yes: YES,
    asJson: ({ count }) => ({ discarded: count }),
    text: ({ count }) => `${formatCount(count)} discarded`,
  });
}

/** What the choice comes to now. */
async function whatHappens(
  client: OperatorClient,
  choice: Input<'POST /dead-letters/discard'>,
): Promise<string[]> {
  const { ids, limit = Number.POSITIVE_INFINITY, reason: _, ...filter } = choice;
  const { deadLetters, total } = await client.call('GET /dead-letters', { ...filter, limit: 1000 });
  const chosen = ids === undefined ? deadLetters : deadLetters.filter(({ id }) => ids.includes(id));
  const count = ids === undefined ? Math.min(total, limit) : ids.length;
  const shown = chosen
    .slice(0, Math.min(SHOWN, count))
    .map(({ id, route, code, failedAt }) => `  ${id}  ${failedAt}  ${route}  ${code}`);
  return [
    `${formatMany(count, 'dead letter')} will be marked as handled:`,
    ...shown,
    ...(count > shown.length ? ['  …'] : []),
  ];
}
