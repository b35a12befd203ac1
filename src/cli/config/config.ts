// `sluice config …`: is the configuration right, and what may stand in it.
import type { Command } from 'commander';
import { describeSummary } from '../../config/describe-summary.ts';
import { ConfigError } from '../../config/errors.ts';
import { configJsonSchema } from '../../config/json-schema.ts';
import type { Environment } from '../../config/secrets.ts';
import { summarize } from '../../config/summary.ts';
import { openConfig, withConfig } from '../lib/connect/session.ts';

interface CheckOptions {
  readonly config?: string;
  readonly json: boolean;
}

/** Adds `config check` and `config schema`. `env` is where `env:NAME` secrets and SLUICE_CONFIG are looked up. */
export function registerConfig(program: Command, env: Environment): void {
  const config = program.command('config').description('check the configuration, or print its JSON Schema');

  withConfig(config.command('check'))
    .description('report all errors of the configuration, or summarize it')
    .option('--json', 'print the result as JSON', false)
    .action(async (options: CheckOptions, command: Command) => {
      const print = (text: string) => command.configureOutput().writeOut?.(`${text}\n`);
      const loaded = await openConfig(options.config, { ...env }).catch((error: unknown) => {
        // The message of the error goes to stderr in any case; --json promises an answer on stdout too.
        if (options.json && error instanceof ConfigError) {
          print(JSON.stringify({ ok: false, problems: error.problems }));
        }
        throw error;
      });
      const summary = await summarize(loaded);
      print(options.json ? JSON.stringify({ ok: true, ...summary }) : describeSummary(summary).join('\n'));
    });

  config
    .command('schema')
    .description('print the JSON Schema of the configuration, for editors')
    .action((_options: unknown, command: Command) => {
      command.configureOutput().writeOut?.(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    });
}
