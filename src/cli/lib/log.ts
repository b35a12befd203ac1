// The logger of a command, which also receives the log of the Temporal SDK. Once per process, before the first worker.
import { Runtime } from '@temporalio/worker';
import { createLogger, type Logger } from '../../observability/logger.ts';
import { temporalLogger } from '../../observability/temporal-logger.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { CliError, EXIT } from './exit.ts';
import { writeLines } from './progress.ts';
import { writeRaw } from './terminal.ts';

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

function makeLogger(level: string): Logger {
  try {
    const { stderr } = process;
    const destination = { isTTY: stderr.isTTY, write: (line: string) => writeLog(stderr, line) };
    return createLogger({ level, destination });
  } catch (error) {
    if (error instanceof RangeError)
      throw new CliError(EXIT.usage, `SLUICE_LOG_LEVEL: ${error.message}`, { cause: error });
    throw error;
  }
}

/** On a terminal the line has colors; the rest of it is harmless already. */
function writeLog(stream: NodeJS.WriteStream, line: string): void {
  if (stream.isTTY) writeLines(stream, line, writeRaw);
  else writeLines(stream, line);
}
