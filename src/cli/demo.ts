// `sluice demo`: the whole of Sluice on one machine, syncing an example CRM export into the sandbox.
import { readFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { parse } from 'yaml';
import { startIngress } from '../app/ingress.ts';
import { startPollers, stopPollers, wakeSenders } from '../app/pollers.ts';
import { startStack } from '../app/stack.ts';
import { createLiveConfig } from '../config/live-config.ts';
import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { acquireFolderLock } from '../core/lock/folder-lock.ts';
import { freePort } from '../core/net/ports.ts';
import type { Shutdown } from '../core/shutdown.ts';
import { describeReport, exitCodeOf } from '../jobs/sync/commands/describe-run.ts';
import { followSync } from '../jobs/sync/commands/follow-sync.ts';
import type { RunReport } from '../jobs/sync/contract/run.ts';
import { localClient } from '../operator/client/local.ts';
import { startSandbox } from '../sandbox/server.ts';
import { serveConsole } from './console.ts';
import { listening } from './ingress.ts';
import { integer } from './lib/arguments.ts';
import { openAdmin } from './lib/connect/admin.ts';
import { runCommand, say, stopRequested } from './lib/connect/lifetime.ts';
import { localCaller } from './lib/connect/serve.ts';
import { checkTemporalUi, sameSession, TEMPORAL_UI } from './lib/connect/session.ts';
import { openSocket } from './lib/connect/socket.ts';
import { startTracing } from './lib/connect/tracing.ts';
import { EXIT } from './lib/exit.ts';
import { openServiceLog } from './lib/log.ts';
import { createProgress, formatCount, formatTime } from './lib/terminal/progress.ts';
import { isAttended } from './lib/terminal/terminal.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples');
const ACCOUNT = 'demo';
const TOKEN = 'svc_test_demo';
const SYNC = 'rdstation';
const SANDBOX_PORT = 4010;
const INGRESS_PORT = 4020;
/** The service allows 120 calls a minute; at that pace the example takes minutes instead of seconds. */
const DEMO_RATE = 3000;

const EVENT = JSON.stringify({ event_id: 'form-1', name: 'Bia', phone: '(11) 98765-4321' });

const INBOUND = JSON.stringify({ number: '5511987654321', body: 'Is it still free?', connectionId: 1 });

interface DemoOptions {
  readonly once: boolean;
  readonly rate: number;
  readonly state: string;
  readonly sync: string;
  readonly temporalUi: boolean;
}

export function registerDemo(program: Command, env: NodeJS.ProcessEnv): void {
  program
    .command('demo')
    .description(
      'start Temporal, ledger, sandbox, worker and ingress, sync an example CRM export, and stay up',
    )
    .option('--once', 'stop after the sync; the last line of stdout is the report as JSON', false)
    .option(
      '--rate <n>',
      'calls per minute that the sandbox allows; the service allows 120',
      integer({ min: 0 }),
      DEMO_RATE,
    )
    .option('--state <dir>', 'folder for all state', join('.sluice', 'demo'))
    .option('--sync <name>', 'sync to run, from examples/sluice.yaml', SYNC)
    .option(...TEMPORAL_UI, false)
    .action(async (options: DemoOptions) => {
      process.exitCode = await runCommand((shutdown) => runDemo(options, env, shutdown), {
        staysUp: !options.once,
      });
    });
}

async function runDemo(options: DemoOptions, env: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<number> {
  const { log, readSdkMetrics } = await openServiceLog('demo', env, 'error', shutdown);
  const stateDir = resolve(options.state);
  const lock = await acquireFolderLock(stateDir, { command: 'sluice demo' }, say);
  shutdown.add('folder lock', () => lock.release());
  const sandbox = await startSandbox({
    port: await freePort(SANDBOX_PORT),
    dataDir: join(stateDir, 'sandbox'),
    fixture: parse(await readFile(join(EXAMPLES, 'sandbox.yaml'), 'utf8')),
    rate: options.rate,
  });
  shutdown.add('sandbox', () => sandbox.close());
  const pace = options.rate === 0 ? 'without a limit' : `at ${formatCount(options.rate)} calls a minute`;
  say(`sandbox    ${sandbox.baseUrl}  (${pace}; the service allows 120: try --rate 120)`);
  const config = placed(
    await loadConfig(join(EXAMPLES, 'sluice.yaml'), { env: { ...env, SLUICE_DEMO_TOKEN: TOKEN } }),
    { baseUrl: sandbox.baseUrl, stateDir },
  );
  checkTemporalUi(options.temporalUi, env, config);
  const { admin: where } = config.config;
  const live = createLiveConfig(config, { log });
  const admin = await openAdmin({ process: 'demo', admin: where, env, log, shutdown, readSdkMetrics });
  const tracing = await startTracing({
    process: 'demo',
    env,
    metrics: admin.metrics.traces,
    log,
    shutdown,
  });
  const stack = await startStack({
    config,
    live,
    stateDir,
    env,
    log,
    say,
    shutdown,
    admin,
    tracing,
    temporalUi: options.temporalUi,
  });
  say(`Temporal   ${stack.temporal.address}  (${stack.temporal.origin})`);
  const port = await freePort(INGRESS_PORT);
  const ingress = await listening(
    startIngress({ ...stack, config, log, metrics: admin.metrics, tracing, shutdown, http: { port } }),
  );
  admin.watchPart('ingress', ingress.readiness);
  admin.started();
  const { address, namespace } = stack.temporal;
  const note = (more: object) =>
    lock.update({ command: 'sluice demo', temporal: address, namespace, ...more });
  const operator = await openSocket({ ...stack, live, log, env, stateDir, note }, shutdown);
  if (!options.once) await serveConsole(operator, env, shutdown);
  // A poller of an earlier, killed demo would run beside the sync. No poller starts before the sync has ended.
  await stopPollers(stack.client, config.config);
  const client = localClient(operator.dispatch, await localCaller(operator, env));
  const { execution } = await client.call('POST /syncs/{sync}/runs', { sync: options.sync });
  const progress = createProgress(process.stderr, { label: `sync ${options.sync}`, unit: 'record' });
  const followed = followSync({
    client,
    execution,
    progress,
    signal: shutdown.signal,
    attended: isAttended(options.once),
    sync: options.sync,
  });
  const report = await Promise.race([followed, stack.failed]);
  if (report === null) return EXIT.ok;
  const here = { config: relative(process.cwd(), join(EXAMPLES, 'sluice.yaml')), state: options.state };
  for (const line of describeReport(report, sameSession(`sync rows ${options.sync}`, here))) say(line);
  if (options.once) {
    await shutdown.run('the sync has ended');
    process.stdout.write(`${JSON.stringify(figures(report))}\n`);
    return exitCodeOf(report);
  }
  const messages = join(stateDir, 'messages.jsonl');
  await wakeSenders(stack.client, config.config);
  await startPollers({ client: stack.client, config: config.config });
  say('');
  say('Addresses');
  const ui = stack.temporal.uiUrl ?? 'start with --temporal-ui to have one';
  say(`  Temporal UI        ${ui}`);
  say(`  sandbox requests   ${sandbox.panelUrl}/requests`);
  say(`  sandbox state      ${sandbox.panelUrl}/accounts/${ACCOUNT}`);
  say(`  example and config ${EXAMPLES}`);
  say(`  ingress            ${ingress.url}/openapi.json`);
  say(`  metrics            ${admin.url}/metrics  (also /readyz)`);
  say('Send an event, and search for the contact and its card in the sandbox state');
  say(`  curl ${ingress.url}/site-leads --json '${EVENT}'`);
  say('Write as a customer, and see what a poller publishes about it');
  say(`  curl ${sandbox.panelUrl}/accounts/${ACCOUNT}/inbound --json '${INBOUND}'`);
  say(`  tail -f ${messages}`);
  say('Win lost customers back: see the audience and the dates, then trigger flows in waves');
  say(`  export SLUICE_DEMO_TOKEN=${TOKEN}`);
  say(`  ${sameSession('campaign plan reativacao', here)}`);
  say(`  ${sameSession('campaign start reativacao --watch', here)}`);
  say('See every row that was rejected, once the demo has ended with Ctrl-C');
  say(`  ${sameSession(`sync rows ${options.sync}`, here)}`);
  say(`Up since ${formatTime(new Date())}. Ctrl-C ends it; the state stays in ${options.state}.`);
  await Promise.race([stopRequested(shutdown), stack.failed]);
  return EXIT.ok;
}

/** The last line of `--once`. Scripts rely on exactly these keys. */
function figures({ run, read, created, updated, unchanged, merged, ...rest }: RunReport) {
  const { rejected, failed, unknown, cards, calls, seconds } = rest;
  return { run, read, created, updated, unchanged, merged, rejected, failed, unknown, cards, calls, seconds };
}

/** The example's configuration, with the address of the sandbox, and its files in the state folder. */
function placed(
  config: LoadedConfig,
  { baseUrl, stateDir }: { baseUrl: string; stateDir: string },
): LoadedConfig {
  const { accounts, sinks } = config.config;
  const here = Object.fromEntries(
    Object.entries(accounts).map(([name, account]) => [name, { ...account, baseUrl }]),
  );
  const files = Object.fromEntries(
    Object.entries(sinks).map(([name, sink]) => [
      name,
      sink.type === 'jsonl' ? { ...sink, path: join(stateDir, basename(sink.path)) } : sink,
    ]),
  );
  return {
    ...config,
    config: { ...config.config, accounts: here, sinks: files },
    reload: async (options) => placed(await config.reload(options), { baseUrl, stateDir }),
  };
}
