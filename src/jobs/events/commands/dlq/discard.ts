// `sluice dlq discard`: marks dead letters as handled; they stay in the topic.
import type { Command } from 'commander';
import { withOperator } from '../../../../cli/lib/connect/connect.ts';
import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { canAsk, confirm, requireAnswer } from '../../../../cli/lib/terminal/confirm.ts';
import { formatCount, formatMany } from '../../../../cli/lib/terminal/format.ts';
import type { OperatorClient } from '../../../../operator/client/client.ts';
import type { Input } from '../../../../operator/contract/index.ts';
import { type ChoiceOptions, choiceOf, withBoxOptions, withChoiceOptions } from './options.ts';

interface Options extends ChoiceOptions {
  readonly reason: string;
  readonly json: boolean;
}

/** Number of dead letters to show before a question. */
const SHOWN = 10;

type Choice = Omit<Input<'POST /dead-letters/discard'>, 'reason'>;

export function registerDlqDiscard(dlq: Command, env: NodeJS.ProcessEnv): void {
  withChoiceOptions(withBoxOptions(dlq.command('discard').argument('[ids...]', 'ids of dead letters')))
    .description('mark dead letters as handled; nothing is deleted')
    .option('--json', 'print the number of dead letters as JSON', false)
    .requiredOption('--reason <text>', 'reason, recorded with the dead letters')
    .action(async (ids: string[], options: Options) => {
      const choice = choiceOf(ids, options, canAsk());
      requireAnswer(options.yes);
      const reason = options.reason.trim();
      if (reason === '') throw new CliError(EXIT.usage, '--reason is empty: say why nobody needs them');
      const command = { command: 'sluice dlq discard' };
      await withOperator(options, env, command, async (client, _connected, { signal }) => {
        await confirm({ what: await whatHappens(client, choice), yes: options.yes, signal });
        const { count: discarded } = await client.call('POST /dead-letters/discard', { ...choice, reason });
        process.stdout.write(
          options.json ? `${JSON.stringify({ discarded })}\n` : `${formatCount(discarded)} discarded\n`,
        );
        return EXIT.ok;
      });
    });
}

/** What the choice comes to now. */
async function whatHappens(client: OperatorClient, choice: Choice): Promise<string[]> {
  const { ids, limit = Number.POSITIVE_INFINITY, ...filter } = choice;
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
