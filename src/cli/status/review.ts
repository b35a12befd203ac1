// `sluice review`: takes failures that somebody has looked at out of `sluice status` and the overview.
import type { Command } from 'commander';
import type { Input, Output } from '../../operator/contract/index.ts';
import { withOperator } from '../lib/connect/connect.ts';
import { type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { EXIT } from '../lib/exit.ts';
import { describeNeed } from './needs.ts';

interface Options extends SessionOptions {
  readonly all: boolean;
  readonly json: boolean;
}

type Need = Output<'GET /overview'>['needs'][number];
type Review = Input<'POST /needs/review'>;

export function registerReview(program: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(program.command('review'))
    .argument('[names...]', 'syncs, campaigns or routes whose failures you have looked at')
    .description('take failures that you have looked at out of `sluice status`; newer ones show again')
    .option('--all', 'all failures that are shown', false)
    .option('--json', 'print what was reviewed as JSON', false)
    .action((names: readonly string[], options: Options) =>
      withOperator(options, env, { command: 'sluice review' }, async (client) => {
        const { needs, health } = await client.call('GET /overview', {});
        const chosen = needs.filter(
          (need) => reviewOf(need) !== null && (options.all || names.includes(need.name)),
        );
        for (const need of chosen) {
          await client.call('POST /needs/review', reviewOf(need) as Review);
          if (!options.json)
            process.stdout.write(
              `reviewed: ${describeNeed(need, health.ledger.kind)[0]?.trim() ?? need.kind}\n`,
            );
        }
        if (options.json) process.stdout.write(`${JSON.stringify({ reviewed: chosen })}\n`);
        const missing = names.filter((name) => chosen.every((need) => need.name !== name));
        for (const name of missing)
          process.stderr.write(`nothing of "${name}" can be reviewed; \`sluice status\` shows what failed\n`);
        if (chosen.length === 0 && names.length === 0 && !options.all)
          process.stderr.write(
            'name a sync, campaign or route, or pass --all; `sluice status` shows what failed\n',
          );
        return chosen.length > 0 && missing.length === 0 ? EXIT.ok : EXIT.usage;
      }),
    );
}

function reviewOf({ commands }: Need): Review | null {
  const command = commands.find(({ route }) => route === 'POST /needs/review');
  return command === undefined ? null : (command.input as Review);
}
