// `sluice dev` and `sluice worker`: processes that stay up and do the work.
import type { Command } from 'commander';
import type { LoadedConfig } from '../config/load.ts';
import { planSchedules, wantedSchedules } from '../runtime/schedules.ts';
import type { Stack } from '../runtime/stack.ts';
import { CliError, EXIT } from './exit.ts';
import { runCommand, say, toldToStop } from './lifetime.ts';
import { openStack, type SessionOptions, withSessionOptions } from './session.ts';
import { applyOf, describeChanges } from './sync-schedule.ts';

export function registerDev(program: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(program.command('dev'))
    .description('Temporal server, ledger and worker in one process, for the configuration; stays up')
    .action((options: SessionOptions) => stayUp('sluice dev', options, env, applySchedules));

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
      const state = `${options.state}/worker-${process.pid}`;
      await stayUp('sluice worker', { ...options, state }, env, tellOfSchedules);
    });
}

type OpenStack = Stack & { readonly config: LoadedConfig };

/** @param schedules what is done about the schedules of the configuration once the worker runs */
async function stayUp(
  command: string,
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  schedules: (stack: OpenStack) => Promise<void>,
): Promise<void> {
  process.exitCode = await runCommand(async (shutdown) => {
    const stack = await openStack(command, options, env, shutdown);
    say(`Temporal   ${stack.temporal.address}  (${stack.temporal.origin})`);
    if (stack.temporal.uiUrl !== null) say(`UI         ${stack.temporal.uiUrl}`);
    await schedules(stack);
    const syncs = Object.keys(stack.config.config.syncs);
    say(`ready for the syncs ${syncs.join(', ') || '(none configured)'}; Ctrl-C ends`);
    await Promise.race([toldToStop(shutdown), stack.failed]);
    return EXIT.ok;
  });
}

/** One process, one configuration: what it says is what the server gets. */
async function applySchedules(stack: OpenStack): Promise<void> {
  const changes = await applyOf(stack);
  for (const line of describeChanges(changes.filter(({ change }) => change !== 'none'))) say(line);
}

/** Workers of several versions may run at once: none of them may undo what another configuration says. */
async function tellOfSchedules({ client, config }: OpenStack): Promise<void> {
  if (wantedSchedules(config.config).length === 0) return;
  const changes = await planSchedules({ client, config: config.config });
  if (changes.some(({ change }) => change !== 'none'))
    say('the schedules on the server are not those of this configuration: run `sluice sync schedule apply`');
}
