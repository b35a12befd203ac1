// `sluice doctor`: is everything that the configuration counts on really there? Reads only.
import type { Command } from 'commander';
import { describeGroups, examine, summarize, verdict } from '../../app/doctor/index.ts';
import { UnknownNameError } from '../../core/config/errors.ts';
import { suggestion } from '../../core/suggest.ts';
import { connectRunning } from '../lib/connect/connect.ts';
import { runCommand } from '../lib/connect/lifetime.ts';
import { openConfig, type SessionOptions, withSessionOptions } from '../lib/connect/session.ts';
import { EXIT } from '../lib/exit.ts';

type Options = SessionOptions & { readonly account?: string; readonly json: boolean };

const EXIT_OF = {
  ok: EXIT.ok,
  problems: EXIT.error,
  auth: EXIT.auth,
  usage: EXIT.usage,
  unreachable: EXIT.unavailable,
} as const;

export function registerDoctor(program: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(program.command('doctor'))
    .description('check accounts, tokens, names, sources, Temporal and ledger; writes nothing')
    .option('--account <name>', 'check only this account')
    .option('--json', 'print the findings as JSON', false)
    .action(async (options: Options, command: Command) => {
      process.exitCode = await runCommand(async (shutdown) => {
        const running = await connectRunning(options, env, shutdown, { configured: true });
        const report = await (running === null
          ? examineHere(options, env)
          : running.call('POST /doctor', { account: options.account }));
        const { verdict: found, summary, groups } = report;
        const text = options.json
          ? JSON.stringify({ verdict: found, summary, groups })
          : describeGroups(groups).join('\n');
        command.configureOutput().writeOut?.(`${text}\n`);
        return EXIT_OF[found];
      });
    });
}

/** The doctor must work before anything has run: it needs no ledger. */
async function examineHere({ account, config: file, state }: Options, env: NodeJS.ProcessEnv) {
  const config = await openConfig(file, env);
  const known = Object.keys(config.config.accounts);
  if (account !== undefined && !known.includes(account))
    throw new UnknownNameError('account', account, suggestion(account, known, 'accounts'));
  const groups = await examine({ config, accounts: account === undefined ? known : [account], env, state });
  return { verdict: verdict(groups), summary: summarize(groups), groups };
}
