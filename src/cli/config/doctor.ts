// `sluice doctor`: is everything that the configuration counts on really there? Reads only.
import type { Command } from 'commander';
import { UnknownNameError } from '../../config/errors.ts';
import { suggestion } from '../../contracts/suggest.ts';
import { describeGroups, examine, summarize, verdict } from '../../doctor/index.ts';
import { EXIT } from '../lib/exit.ts';
import { openConfig, type SessionOptions, withSessionOptions } from '../lib/session.ts';

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
      const config = await openConfig(options.config, env);
      const known = Object.keys(config.config.accounts);
      const { account } = options;
      if (account !== undefined && !known.includes(account)) {
        throw new UnknownNameError('account', account, suggestion(account, known, 'accounts'));
      }
      const groups = await examine({
        config,
        accounts: account === undefined ? known : [account],
        env,
        state: options.state,
      });
      const found = verdict(groups);
      const text = options.json
        ? JSON.stringify({ verdict: found, summary: summarize(groups), groups })
        : describeGroups(groups).join('\n');
      command.configureOutput().writeOut?.(`${text}\n`);
      process.exitCode = EXIT_OF[found];
    });
}
