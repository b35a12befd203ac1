// The logger of a command, which also receives what the Temporal SDK logs. Once a process, before the first worker.
import { Runtime } from '@temporalio/worker';
import { createLogger, type Logger } from '../observability/logger.ts';
import { temporalLogger } from '../observability/temporal-logger.ts';
import { CliError, EXIT } from './exit.ts';

/**
 * @param fallback level when SLUICE_LOG_LEVEL says nothing
 * @throws CliError (usage) for an unknown level
 */
export function openLog(env: NodeJS.ProcessEnv, fallback: string): Logger {
  const log = makeLogger(env.SLUICE_LOG_LEVEL || fallback);
  Runtime.install({
    logger: temporalLogger(log),
    // Ctrl-C is ours: workers are stopped in order, by the shutdown.
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} } },
  });
  return log;
}

function makeLogger(level: string): Logger {
  try {
    return createLogger({ level });
  } catch (error) {
    if (error instanceof RangeError)
      throw new CliError(EXIT.usage, `SLUICE_LOG_LEVEL: ${error.message}`, { cause: error });
    throw error;
  }
}
