// The logger of a command, which also receives the log of the Temporal SDK. Once per process, before the first worker.
import { Runtime } from '@temporalio/worker';
import type { Logger } from '../../observability/logger.ts';
import { temporalLogger } from '../../observability/temporal-logger.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { makeLogger } from './logger.ts';

/**
 * Call it before adding anything else to `shutdown`: the SDK's native part must end last. It ends by itself only with
 * the last worker, so a command that fails before its first worker has to end it.
 * @param fallback level without SLUICE_LOG_LEVEL
 * @throws CliError (usage) for an unknown level
 */
export function openLog(env: NodeJS.ProcessEnv, fallback: string, shutdown: Shutdown): Logger {
  const log = makeLogger(env.SLUICE_LOG_LEVEL || fallback);
  const runtime = Runtime.install({
    logger: temporalLogger(log),
    // The shutdown handles Ctrl-C: it stops workers in order.
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} } },
  });
  shutdown.add('Temporal SDK', () => runtime.shutdown());
  return log;
}
