// `sluice ingress`: a process that accepts events, and its OpenAPI document.
import type { Command } from 'commander';
import { type Ingress, openRoutes, startIngress } from '../app/ingress.ts';
import { openLedgerWhenUp } from '../app/ledger/ledger-database.ts';
import { openLedgerCipher } from '../app/ledger/ledger-encryption.ts';
import { followConfig } from '../app/reloading.ts';
import { createLiveConfig } from '../config/live-config.ts';
import { measuredDatabase } from '../core/sql/measured-database.ts';
import { describeRoutes } from '../jobs/events/ingress/http/index.ts';
import { configuredTarget } from '../temporal/configured-target.ts';
import { registerWhenUp } from '../temporal/search-attributes.ts';
import { openLazyClient } from '../temporal/temporal-client.ts';
import { openAdmin } from './lib/connect/admin.ts';
import { runCommand, say, stopRequested } from './lib/connect/lifetime.ts';
import { openConfig, requireServers, SECRETS_OF, withConfig } from './lib/connect/session.ts';
import { startTracing } from './lib/connect/tracing.ts';
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
      'run a process that accepts events over HTTP and Kafka; needs a Temporal server and DATABASE_URL',
    )
    .action(async (options: Options) => {
      process.exitCode = await runCommand(
        async (shutdown) => {
          const log = openLog('ingress', env, 'info', shutdown);
          const config = await openConfig(options.config, env, SECRETS_OF.ingress);
          requireServers(
            env,
            config,
            'the ingress shares Temporal and PostgreSQL with the workers; for all in one process use `sluice dev`',
          );
          // Wrong settings end the command before it opens anything.
          const target = await configuredTarget(env, config);
          if (Object.keys(config.config.routes).length === 0)
            throw new CliError(EXIT.usage, `${config.file} has no routes; add one under routes`);
          const { admin: where } = config.config;
          const admin = await openAdmin({ process: 'ingress', admin: where, env, log, shutdown });
          const tracing = await startTracing({
            process: 'ingress',
            env,
            metrics: admin.metrics.traces,
            log,
            shutdown,
          });
          const ledger = await openLedgerWhenUp({
            signal: shutdown.signal,
            waiting(error) {
              log.warn({ err: error }, 'the database is down');
              say(`${error.message}: the ingress waits until the database answers`);
            },
            url: env.DATABASE_URL,
            stateDir: '',
            answerMs: ANSWER_MS,
            cipher: await openLedgerCipher(config),
            onError: (error) => log.warn({ err: error }, 'the database dropped a connection'),
          });
          shutdown.add('ledger', () => ledger.close());
          const { metrics } = admin;
          const db = measuredDatabase(ledger, metrics.ledger.statement);
          const live = createLiveConfig(config, { log });
          live.onReport(metrics.config.reloaded);
          admin.watchLedger(db, live.current);
          // Without Temporal the ingress still starts, and /readyz reports it.
          const client = await openLazyClient(env, config, { shutdown, log });
          // No worker may have run in this namespace yet.
          if (target !== null) void registerWhenUp({ target, shutdown, say });
          const ingress = await listening(
            startIngress({ config, db, client, log, metrics, tracing, shutdown }),
          );
          // It checks Temporal and the ledger with every event, so these checks are its own.
          admin.watchPart('ingress', ingress.readiness);
          admin.started();
          describeIngress(ingress);
          live.follow({ name: 'ingress', prepare: ingress.prepare });
          followConfig({ live, shutdown, log, say });
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
  say(`ingress    ${url}  (/openapi.json)`);
  for (const { name, config } of routes) {
    const ways = [
      ...(config.http === undefined ? [] : [`POST ${url}${config.http.path}`]),
      ...(config.kafka === undefined ? [] : [`Kafka ${config.kafka.topics.join(', ')}`]),
    ];
    say(`  ${name}: ${ways.join(' and ')} → ${config.action.type} in ${config.account}`);
  }
  if (kafka.length > 0) say(`  ${kafka.length} Kafka cluster${kafka.length === 1 ? '' : 's'}`);
}
