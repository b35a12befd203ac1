// Sends what the Temporal SDK logs through Sluice's logger; once a process, before the first worker.
import { Runtime } from '@temporalio/worker';
import type { Logger, LogLevel } from '../observability/logger.ts';
import { temporalLogger } from '../observability/temporal-logger.ts';
import { CliError, EXIT } from './exit.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export function installTemporalLogger(log: Logger): void {
  Runtime.install({
    logger: temporalLogger(log),
    // Ctrl-C is ours: workers are stopped in order, by the shutdown.
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} } },
  });
}

/** The level in SLUICE_LOG_LEVEL. */
export function logLevel(env: NodeJS.ProcessEnv, otherwise: LogLevel): LogLevel {
  const level = env.SLUICE_LOG_LEVEL;
  if (level === undefined || level === '') return otherwise;
  if (!(LEVELS as readonly string[]).includes(level)) {
    throw new CliError(EXIT.usage, `SLUICE_LOG_LEVEL is "${level}"; use one of ${LEVELS.join(', ')}`);
  }
  return level as LogLevel;
}
