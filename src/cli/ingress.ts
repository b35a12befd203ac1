// `sluice ingress`: a process that accepts events, and its OpenAPI document.
import { Client, Connection } from '@temporalio/client';
import type { Command } from 'commander';
import { describeRoutes } from '../ingress/http/index.ts';
import { type Ingress, openRoutes, startIngress } from '../runtime/ingress.ts';
import { openLedger } from '../runtime/ledger-database.ts';
import { temporalAddressOf } from '../runtime/temporal/temporal-address.ts';
import { runCommand, say, stopRequested } from './lib/connect/lifetime.ts';
import { openConfig, withConfig } from './lib/connect/session.ts';
import { CliError, EXIT } from './lib/exit.ts';
import { openLog } from './lib/log.ts';

/** Deadline of a statement, in milliseconds: senders do not wait longer. */
const ANSWER_MS = 10_000;

interface Options {
  readonly config?: string;
}

export function registerIngress(program: Command, env: NodeJS.ProcessEnv): void {
  const ingress = withConfig(program.command('ingress'))
    .description(
      'run a process that accepts events over HTTP and Kafka; needs TEMPORAL_ADDRESS and DATABASE_URL',
    )
    .action(async (options: Options) => {
      const missing = ['TEMPORAL_ADDRESS', 'DATABASE_URL'].filter((name) => !env[name]);
      if (missing.length > 0) {
        throw new CliError(
          EXIT.usage,
          `set ${missing.join(' and ')}: the ingress shares Temporal and PostgreSQL with the workers; for all in one process use \`sluice dev\``,
        );
      }
      const address = temporalAddressOf(env) ?? '';
      process.exitCode = await runCommand(
        async (shutdown) => {
          const log = openLog(env, 'info', shutdown);
          const config = await openConfig(options.config, env);
          if (Object.keys(config.config.routes).length === 0)
            throw new CliError(EXIT.usage, `${config.file} has no routes; add one under routes`);
          const db = await openLedger({
            url: env.DATABASE_URL,
            stateDir: '',
            answerMs: ANSWER_MS,
            onError: (error) => log.warn({ err: error }, 'the database dropped a connection'),
          });
          shutdown.add('ledger', () => db.close());
          // Connects lazily: without Temporal the ingress still starts, and /readyz reports it.
          const connection = Connection.lazy({ address });
          shutdown.add('client connection', () => connection.close());
          const client = new Client({ connection, namespace: env.TEMPORAL_NAMESPACE ?? 'default' });
          describeIngress(await listening(startIngress({ config, db, client, log, shutdown })));
          await stopRequested(shutdown);
          return EXIT.ok;
        },
        { staysUp: true },
      );
    });

  ingress
    .command('openapi')
    .description('print the OpenAPI document of the configured routes')
    .action(async (_options: object, command: Command) => {
      const config = await openConfig(command.optsWithGlobals<Options>().config, env);
      const routes = openRoutes(config).filter((route) => route.config.http !== undefined);
      const document = describeRoutes(routes, config.config.ingress.http);
      command.configureOutput().writeOut?.(`${JSON.stringify(document, null, 2)}\n`);
    });
}

/** @throws CliError for a used port, or for an address that this machine does not have */
export async function listening(starting: Promise<Ingress>): Promise<Ingress> {
  return await starting.catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'listen') throw error;
    throw new CliError(
      EXIT.unavailable,
      `the ingress can't listen: ${error.message}; change ingress.http.host or ingress.http.port`,
      { cause: error },
    );
  });
}

/** Lists the routes for people. */
export function describeIngress({ url, routes, kafka }: Ingress): void {
  say(`ingress    ${url}  (/healthz /readyz /metrics /openapi.json)`);
  for (const { name, config } of routes) {
    const ways = [
      ...(config.http === undefined ? [] : [`POST ${url}${config.http.path}`]),
      ...(config.kafka === undefined ? [] : [`Kafka ${config.kafka.topics.join(', ')}`]),
    ];
    say(`  ${name}: ${ways.join(' and ')} → ${config.action.type} in ${config.account}`);
  }
  if (kafka.length > 0) say(`  ${kafka.length} Kafka cluster${kafka.length === 1 ? '' : 's'}`);
}
