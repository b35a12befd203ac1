// `sluice console`: serves the console in a process of its own, or says where the running one is.
import type { Command } from 'commander';
import { startNotices } from '../app/notices.ts';
import type { Operator } from '../app/operator.ts';
import { followConfig } from '../app/reloading.ts';
import type { Shutdown } from '../core/shutdown.ts';
import { localClient } from '../operator/client/local.ts';
import type { Output } from '../operator/contract/index.ts';
import { OperatorError } from '../operator/error.ts';
import { openAdmin } from './lib/connect/admin.ts';
import { connectOperator } from './lib/connect/connect.ts';
import { runCommand, say, stopRequested } from './lib/connect/lifetime.ts';
import { localCaller } from './lib/connect/serve.ts';
import { type SessionOptions, withSessionOptions } from './lib/connect/session.ts';
import { CliError, EXIT } from './lib/exit.ts';

export function registerConsole(program: Command, env: NodeJS.ProcessEnv): void {
  withSessionOptions(program.command('console'))
    .description(
      'serve the web console, or print the address of the running one; with a link for the first admin',
    )
    .option('--json', 'print the address as JSON', false)
    .action(async (options: SessionOptions & { readonly json: boolean }) => {
      process.exitCode = await runCommand(
        async (shutdown) => {
          const connecting = { command: 'sluice console', creates: true };
          const { client, operator, ledger, failed } = await connectOperator(
            options,
            env,
            shutdown,
            connecting,
          );
          if (operator !== null && ledger !== null) {
            const { log } = operator;
            const { admin: where } = ledger.config().config;
            const admin = await openAdmin({ process: 'console', admin: where, env, log, shutdown });
            admin.watchLedger(ledger.db, ledger.config);
            ledger.live?.onReport(admin.metrics.config.reloaded);
            await listenHere(operator, false, shutdown);
            admin.started();
            startNotices({
              db: ledger.db,
              config: ledger.config,
              live: ledger.live,
              runningTemporal: ledger.runningTemporal,
              log,
              env,
              shutdown,
              admin,
            });
            if (ledger.live !== null) followConfig({ live: ledger.live, shutdown, log, say });
          }
          const found = await client.call('POST /console', {});
          if (found.url === null)
            throw new CliError(
              EXIT.unavailable,
              'the running Sluice serves no console; its log says why, for example that the port is in use',
            );
          if (options.json) process.stdout.write(`${JSON.stringify(found)}\n`);
          else describeConsole(found);
          if (operator === null) return EXIT.ok;
          say('Ctrl-C ends the console');
          await Promise.race([stopRequested(shutdown), failed]);
          return EXIT.ok;
        },
        { staysUp: true },
      );
    });
}

type Found = Output<'POST /console'>;

/** For processes that also do other work: a used port is no reason not to start, as several may run on one machine. */
export async function serveConsole(
  operator: Operator,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<void> {
  await listenHere(operator, true, shutdown);
  // Whoever starts this process and opens the link of the first admin is one person.
  const starter = await localCaller(operator, env).catch((error: unknown) => {
    // A directory of users that does not answer is no reason not to start. The link then names no Unix user.
    if (!(error instanceof OperatorError) || error.kind !== 'unavailable') throw error;
    return { identity: 'sluice', name: 'Sluice', role: 'admin', via: 'local' } as const;
  });
  describeConsole(await localClient(operator.dispatch, starter).call('POST /console', {}));
}

/** @throws CliError when the address is in use and nothing else may be taken */
async function listenHere(operator: Operator, fallback: boolean, shutdown: Shutdown): Promise<void> {
  try {
    const listener = await operator.listen(fallback);
    shutdown.add('console', () => listener.close());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall !== 'listen') throw error;
    throw new CliError(
      EXIT.unavailable,
      `the console can't listen: ${(error as Error).message}; change operator.http.host or operator.http.port`,
      { cause: error },
    );
  }
}

function describeConsole({ url, link }: Pick<Found, 'url' | 'link'>): void {
  say(`console    ${url}`);
  if (link !== null) say(`  first admin: open ${link} within 15 minutes`);
}
