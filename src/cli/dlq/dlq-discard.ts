// `sluice dlq discard`: marks dead letters as handled; they stay in the topic.
import type { Command } from 'commander';
import { markerMessage, produce } from '../../ingress/kafka/index.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { formatCount } from '../lib/format.ts';
import { runCommand } from '../lib/lifetime.ts';
import { operatorName } from '../lib/operator.ts';
import { type BoxOptions, kafkaFailure, openBox, withBoxOptions } from './dlq-box.ts';
import { type ChoiceOptions, checkChoice, chooseDeadLetters, withChoiceOptions } from './dlq-choose.ts';

interface Options extends BoxOptions, ChoiceOptions {
  readonly reason: string;
}

export function registerDlqDiscard(dlq: Command, env: NodeJS.ProcessEnv): void {
  withChoiceOptions(withBoxOptions(dlq.command('discard').argument('[ids...]', 'ids of dead letters')))
    .description('mark dead letters as handled; nothing is deleted')
    .requiredOption('--reason <text>', 'reason, recorded with the dead letters')
    .action(async (ids: string[], options: Options) => {
      process.exitCode = await runCommand(async ({ signal }) => {
        checkChoice(ids, options, false);
        const reason = options.reason.trim();
        if (reason === '') throw new CliError(EXIT.usage, '--reason is empty: say why nobody needs them');
        const box = await openBox(options, env);
        const foundLetters = await chooseDeadLetters(box, ids, { ...options, withValues: false }, signal);
        const mark = { how: 'discarded', by: operatorName(), at: new Date().toISOString(), reason } as const;
        const { deadLetters } = box.config;
        await produce(
          box.access,
          deadLetters,
          foundLetters.map(({ id }) => markerMessage({ ...mark, deadLetter: id })),
        ).catch((error: unknown) => {
          throw kafkaFailure(error, `topic "${deadLetters}"`);
        });
        process.stdout.write(`${formatCount(foundLetters.length)} discarded\n`);
        return EXIT.ok;
      });
    });
}
