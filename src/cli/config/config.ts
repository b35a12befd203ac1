// `sluice config …`: is the configuration right, and what may stand in it.
import type { Command } from 'commander';
import { describeSummary } from '../../config/describe-summary.ts';
import { configJsonSchema } from '../../config/json-schema.ts';
import { summarize } from '../../config/summary.ts';
import { ConfigError } from '../../core/config/errors.ts';
import type { Output } from '../../operator/contract/index.ts';
import { namesTemporal } from '../../temporal/temporal-address.ts';
import { connectRunning } from '../lib/connect/connect.ts';
import { runCommand } from '../lib/connect/lifetime.ts';
import { openConfig, type SessionOptions, withConfig, withSessionOptions } from '../lib/connect/session.ts';
import { CliError, EXIT } from '../lib/exit.ts';

interface CheckOptions {
  readonly config?: string;
  readonly json: boolean;
}

/** Adds `config check` and `config schema`. `env` is where `env:NAME` secrets and SLUICE_CONFIG are looked up. */
export function registerConfig(program: Command, env: NodeJS.ProcessEnv): void {
  const config = program
    .command('config')
    .description('check the configuration, load it again, or print its JSON Schema');

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
      const summary = await summarize(loaded, undefined, undefined, namesTemporal(env));
      print(options.json ? JSON.stringify({ ok: true, ...summary }) : describeSummary(summary).join('\n'));
    });

  withSessionOptions(config.command('reload'))
    .description('load configuration and secrets again in the running Sluice; a broken one changes nothing')
    .option('--json', 'print the result as JSON', false)
    .action(async (options: SessionOptions & { readonly json: boolean }, command: Command) => {
      process.exitCode = await runCommand(async (shutdown) => {
        const running = await connectRunning(options, env, shutdown);
        if (running === null)
          throw new CliError(
            EXIT.unavailable,
            'no running Sluice found here; name one with --server, or send SIGHUP to a worker or an ingress',
          );
        const report = await running.call('POST /configuration/reload', {});
        const lines = options.json ? [JSON.stringify(report)] : describeReload(report);
        command.configureOutput().writeOut?.(`${lines.join('\n')}\n`);
        return report.result === 'loaded' ? EXIT.ok : EXIT.error;
      });
    });

  config
    .command('schema')
    .description('print the JSON Schema of the configuration, for editors')
    .action((_options: unknown, command: Command) => {
      command.configureOutput().writeOut?.(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
    });
}

function describeReload(report: Output<'POST /configuration/reload'>): string[] {
  const { result, changes, needsRestart, error } = report;
  if (result === 'broken')
    return ['not loaded: the configuration before it stays in use', ...(error ?? '').split('\n')];
  return [
    changes.length === 0 ? 'loaded; nothing changed' : `loaded; changed: ${changes.join(', ')}`,
    ...(needsRestart.length === 0 ? [] : [`needs a restart: ${needsRestart.join(', ')}`]),
  ];
}
