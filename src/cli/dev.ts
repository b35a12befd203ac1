// `sluice dev` and `sluice worker`: processes that stay up and do the work.
import type { Command } from 'commander';
import { CliError, EXIT } from './exit.ts';
import { runCommand, say, toldToStop } from './lifetime.ts';
import { openStack, type SessionOptions, withSessionOptions } from './session.ts';

export function registerDev(program: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(program.command('dev'))
    .description('Temporal server, ledger and worker in one process, for the configuration; stays up')
    .action((options: SessionOptions) => stayUp('sluice dev', options, env));

  withSessionOptions(program.command('worker'))
    .description('a worker process; needs TEMPORAL_ADDRESS and DATABASE_URL, run as many as you like')
    .action(async (options: SessionOptions) => {
      const missing = ['TEMPORAL_ADDRESS', 'DATABASE_URL'].filter((name) => !env[name]);
      if (missing.length > 0) {
        throw new CliError(
          EXIT.usage,
          `set ${missing.join(' and ')}: several workers share one Temporal server and one PostgreSQL; for all in one process use \`sluice dev\``,
        );
      }
      await stayUp('sluice worker', { ...options, state: `${options.state}/worker-${process.pid}` }, env);
    });
}

async function stayUp(command: string, options: SessionOptions, env: NodeJS.ProcessEnv): Promise<void> {
  process.exitCode = await runCommand(async (shutdown) => {
    const stack = await openStack(command, options, env, shutdown);
    say(`Temporal   ${stack.temporal.address}  (${stack.temporal.origin})`);
    if (stack.temporal.uiUrl !== null) say(`UI         ${stack.temporal.uiUrl}`);
    const syncs = Object.keys(stack.config.config.syncs);
    say(`ready for the syncs ${syncs.join(', ') || '(none configured)'}; Ctrl-C ends`);
    await Promise.race([toldToStop(shutdown), stack.failed]);
    return EXIT.ok;
  });
}
