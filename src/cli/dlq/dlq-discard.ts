// `sluice dlq discard`: marks dead letters as handled; they stay in the topic.
import type { Command } from 'commander';
import { markerMessage, produce } from '../../ingress/kafka/index.ts';
import { canAsk, confirm, requireAnswer } from '../lib/confirm.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatCount, formatMany } from '../lib/format.ts';
import { runCommand } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { type BoxOptions, kafkaFailure, openBox, withBoxOptions } from './dlq-box.ts';
import { type ChoiceOptions, checkChoice, chooseDeadLetters, withChoiceOptions } from './dlq-choose.ts';

interface Options extends BoxOptions, ChoiceOptions {
  readonly reason: string;
  readonly json: boolean;
}

/** Number of dead letters to show before a question. */
const SHOWN = 10;

export function registerDlqDiscard(dlq: Command, env: NodeJS.ProcessEnv): void {
  withChoiceOptions(withBoxOptions(dlq.command('discard').argument('[ids...]', 'ids of dead letters')))
    .description('mark dead letters as handled; nothing is deleted')
    .option('--json', 'print the number of dead letters as JSON', false)
    .requiredOption('--reason <text>', 'reason, recorded with the dead letters')
    .action(async (ids: string[], options: Options) => {
      process.exitCode = await runCommand(async ({ signal }) => {
        checkChoice(ids, options, canAsk());
        requireAnswer(options.yes);
        const reason = options.reason.trim();
        if (reason === '') throw new CliError(EXIT.usage, '--reason is empty: say why nobody needs them');
        const box = await openBox(options, env);
        const foundLetters = await chooseDeadLetters(box, ids, { ...options, withValues: false }, signal);
        const shown = foundLetters
          .slice(0, SHOWN)
          .map(({ id, route, code, failedAt }) => `  ${id}  ${failedAt}  ${route ?? ''}  ${code}`);
        const count = formatMany(foundLetters.length, 'dead letter');
        await confirm({
          what: [
            `${count} will be marked as handled:`,
            ...shown,
            ...(foundLetters.length > SHOWN ? ['  …'] : []),
          ],
          yes: options.yes,
          signal,
        });
        const mark = { how: 'discarded', by: operatorName(), at: new Date().toISOString(), reason } as const;
        const { deadLetters } = box.config;
        await produce(
          box.access,
          deadLetters,
          foundLetters.map(({ id }) => markerMessage({ ...mark, deadLetter: id })),
        ).catch((error: unknown) => {
          throw kafkaFailure(error, `topic "${deadLetters}"`);
        });
        const discarded = foundLetters.length;
        process.stdout.write(
          options.json ? `${JSON.stringify({ discarded })}\n` : `${formatCount(discarded)} discarded\n`,
        );
        return EXIT.ok;
      });
    });
}
