// `sluice dev` and `sluice worker`: processes that stay up and do the work.
import type { Command } from 'commander';
import { carryOverPollers, carryOverWork } from '../app/carry-over.ts';
import { startIngress } from '../app/ingress.ts';
import { idlePollers, startPollers, wakePollers, wakeSenders } from '../app/pollers.ts';
import { followConfig } from '../app/reloading.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Shutdown } from '../core/shutdown.ts';
import { applyConfigured } from '../operator/service/schedules/index.ts';
import { wantedSchedules } from '../operator/service/schedules/schedules.ts';
import { serveConsole } from './console.ts';
import { describeIngress, listening } from './ingress.ts';
import { runCommand, say, stopRequested } from './lib/connect/lifetime.ts';
import {
  type OpenStack,
  openStack,
  type SessionOptions,
  TEMPORAL_UI,
  withConfig,
  withState,
} from './lib/connect/session.ts';
import { openSocket } from './lib/connect/socket.ts';
import { deploymentVersionOf } from './lib/deployment-version.ts';
import { EXIT } from './lib/exit.ts';
import { describeChanges, toApply } from './lib/schedule/apply-schedules.ts';

export function registerDev(program: Command, env: NodeJS.ProcessEnv): void {
  withState(withConfig(program.command('dev')))
    .description('run Temporal server, ledger, worker, pollers and ingress in one process, until Ctrl-C')
    .option(...TEMPORAL_UI, false)
    .action((options: SessionOptions) => {
      return stayUp('dev', options, env, applySchedules, (stack, shutdown) =>
        openSockets(stack, env, shutdown),
      );
    });
}

export function registerWorker(program: Command, env: NodeJS.ProcessEnv): void {
  withState(withConfig(program.command('worker')))
    .description('run a worker process; needs a Temporal server and DATABASE_URL; start as many as you need')
    .action(async (options: SessionOptions) => {
      const version = deploymentVersionOf(env);
      const state = `${options.state}/worker-${process.pid}`;
      await stayUp('worker', { ...options, state, version }, env, reportSchedules, reportPollers);
    });
}

/**
 * @param schedules what to do with the schedules of the configuration once the worker runs
 * @param events opens the ingress, if this process has one
 */
async function stayUp(
  name: 'dev' | 'worker',
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  schedules: (stack: OpenStack) => Promise<void>,
  events: (stack: OpenStack, shutdown: Shutdown) => Promise<void> = async () => undefined,
): Promise<void> {
  process.exitCode = await runCommand(
    async (shutdown) => {
      const stack = await openStack(name, options, env, shutdown);
      say(`Temporal   ${stack.temporal.address}  (${stack.temporal.origin})`);
      const { version } = options;
      if (version)
        say(
          `version    ${version.buildId} of ${version.deploymentName}; it gets work once it is Temporal's current version`,
        );
      await schedules(stack);
      await events(stack, shutdown);
      stack.admin.started();
      followConfig({ ...stack, shutdown, say });
      const syncs = Object.keys(stack.config.config.syncs);
      const campaigns = Object.keys(stack.config.config.campaigns);
      const more = campaigns.length === 0 ? '' : ` and the campaigns ${campaigns.join(', ')}`;
      say(`ready for the syncs ${syncs.join(', ') || '(none configured)'}${more}; Ctrl-C ends`);
      await Promise.race([stopRequested(shutdown), stack.failed]);
      return EXIT.ok;
    },
    { staysUp: true },
  );
}

/** One process has one configuration: the server gets its schedules. */
async function applySchedules(stack: OpenStack): Promise<void> {
  stack.live.onChange(inBackground(stack, () => bringSchedules(stack)));
  await bringSchedules(stack);
}

async function bringSchedules(stack: OpenStack): Promise<void> {
  const changes = await applyConfigured(stack);
  for (const line of describeChanges(changes.filter(({ change }) => change !== 'none'))) say(line);
}

async function openSockets(stack: OpenStack, env: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<void> {
  const operator = await openSocket(stack, shutdown);
  await serveConsole(operator, env, shutdown);
  await wakeSenders(stack.client, stack.config.config);
  for (const { poller, account } of await startPollers({ client: stack.client, config: stack.config.config }))
    say(`poller     ${poller}: conversations of ${account}`);
  stack.live.onChange(
    inBackground(stack, async (before) => {
      const change = { client: stack.client, before: before.config, after: stack.config.config };
      await carryOverWork(change);
      for (const poller of await carryOverPollers(change)) say(`poller     ${poller}: started`);
    }),
  );
  await openIngress(stack, shutdown);
}

/** Without a route there is no ingress. A reload that adds the first route opens it. */
async function openIngress(stack: OpenStack, shutdown: Shutdown): Promise<void> {
  let isOpen = false;
  const open = async () => {
    if (isOpen || Object.keys(stack.config.config.routes).length === 0) return;
    isOpen = true;
    const { metrics } = stack.admin;
    const { config } = stack;
    const ingress = await listening(startIngress({ ...stack, config, metrics, shutdown }));
    stack.live.follow({ name: 'ingress', prepare: ingress.prepare });
    // A reload that ended while the ingress opened did not reach it.
    if (stack.config !== config) void stack.live.reload('the ingress opened');
    stack.admin.watchPart('ingress', ingress.readiness);
    describeIngress(ingress);
  };
  await open();
  stack.live.onChange(inBackground(stack, open));
}

/** Temporal may be away when the configuration is loaded again. What was not done is reported, and done at a restart. */
function inBackground(
  { log }: Pick<OpenStack, 'log'>,
  work: (before: LoadedConfig) => Promise<void>,
): (before: LoadedConfig) => void {
  return (before) => {
    work(before).catch((error: unknown) =>
      log.error({ err: error }, 'a part of the new configuration was not taken into use; load it again'),
    );
  };
}

async function reportPollers(stack: OpenStack): Promise<void> {
  const { client, config } = stack;
  stack.live.onChange(
    inBackground(stack, async (before) => {
      await carryOverWork({ client, before: before.config, after: stack.config.config });
      await reportSchedules(stack);
    }),
  );
  await wakeSenders(client, config.config);
  await wakePollers(client, config.config);
  const idle = await idlePollers(client, config.config);
  if (idle.length > 0)
    say(`pollers that don't run: ${idle.join(', ')}; start them with \`sluice poll start\``);
}

/** Workers of several versions may run at once, so none of them may change the schedules of another configuration. */
async function reportSchedules(stack: OpenStack): Promise<void> {
  if (wantedSchedules(stack.config.config).length === 0) return;
  for (const command of await toApply(stack))
    say(`the schedules on the server are not those of this configuration: run \`${command}\``);
}
