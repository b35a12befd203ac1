// The logger of a command that may not need the Temporal SDK.
import { createLogger, type Logger, type LoggerOptions } from '../../observe/logger.ts';
import { CliError, EXIT } from './exit.ts';
import { writeLines } from './terminal/progress.ts';
import { hasColors, writeRaw } from './terminal/terminal.ts';

/**
 * @param named name of the process, and what is in progress in it
 * @throws CliError (usage) for an unknown level
 */
export function makeLogger(level: string, named: Pick<LoggerOptions, 'process' | 'context'> = {}): Logger {
  try {
    const { stderr } = process;
    const destination = { isTTY: stderr.isTTY, write: (line: string) => writeLog(stderr, line) };
    return createLogger({ level, destination, color: hasColors(stderr), ...named });
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
