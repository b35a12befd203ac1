// `sluice refused discard`: marks refused requests as handled; retention deletes them later.
import type { Command } from 'commander';
import { withOperator } from '../../../../cli/lib/connect/connect.ts';
import { EXIT } from '../../../../cli/lib/exit.ts';
import { canAsk, confirm, requireAnswer } from '../../../../cli/lib/terminal/confirm.ts';
import { formatCount, formatMany } from '../../../../cli/lib/terminal/format.ts';
import { checkReason } from '../check-reason.ts';
import { type ChoiceOptions, choiceOf, chooseRequests, MOST_IDS, withChoice } from './refused-options.ts';

interface Options extends ChoiceOptions {
  readonly reason: string;
  readonly json: boolean;
}

/** Number of requests to show before a question. */
const SHOWN = 10;

export function registerRefusedDiscard(refused: Command, env: NodeJS.ProcessEnv): void {
  withChoice(refused.command('discard'))
    .description('mark refused requests as handled; retention deletes them later')
    .option('--json', 'print the number of requests as JSON', false)
    .requiredOption('--reason <text>', 'reason, recorded with the requests')
    .action(async (ids: string[], options: Options) => {
      const choice = choiceOf(ids, options, canAsk());
      requireAnswer(options.yes);
      const reason = checkReason(options.reason);
      const command = { command: 'sluice refused discard' };
      await withOperator(options, env, command, async (client, _connected, { signal }) => {
        const { ids: chosen } = await chooseRequests(client, choice);
        const shown = chosen.slice(0, SHOWN).map((id) => `  ${id}`);
        await confirm({
          what: [
            `${formatMany(chosen.length, 'refused request')} will be marked as handled:`,
            ...shown,
            ...(chosen.length > shown.length ? ['  …'] : []),
          ],
          yes: options.yes,
          signal,
        });
        let discarded = 0;
        for (let at = 0; at < chosen.length && !signal.aborted; at += MOST_IDS) {
          const part = chosen.slice(at, at + MOST_IDS);
          discarded += (await client.call('POST /refused-requests/discard', { ids: part, reason })).count;
        }
        process.stdout.write(
          options.json ? `${JSON.stringify({ discarded })}\n` : `${formatCount(discarded)} discarded\n`,
        );
        return EXIT.ok;
      });
    });
}
