// Starts the export of traces for a command that stays up, if the OTEL_ variables ask for it.

import type { ProcessName } from '../../../app/admin.ts';
import { VERSION } from '../../../core/build.ts';
import type { Shutdown } from '../../../core/shutdown.ts';
import { NO_TRACING, type Tracing } from '../../../core/tracing.ts';
import type { TraceMetrics } from '../../../observe/metrics/traces.ts';
import { isTracingOn, TracingSettingsError } from '../../../observe/tracing/settings.ts';
import { CliError, EXIT } from '../exit.ts';

export interface StartTracingOptions {
  readonly process: ProcessName;
  readonly env: NodeJS.ProcessEnv;
  readonly metrics: TraceMetrics;
  readonly log: { warn(fields: object, message: string): void };
  readonly shutdown: Shutdown;
}

/**
 * Call it before what is traced opens: spans of work that ends during the shutdown are exported too.
 * @throws CliError (usage) for a variable that tracing cannot work with
 */
export async function startTracing(options: StartTracingOptions): Promise<Tracing> {
  const { process, env, metrics, log, shutdown } = options;
  if (!isOn(env)) return NO_TRACING;
  // Imported here: most processes do not trace.
  const { openTracing } = await import('../../../observe/tracing/index.ts');
  const { tracing, close } = openTracing({
    process,
    version: VERSION,
    counted: metrics.spans,
    log,
  });
  shutdown.add('traces', close);
  return tracing;
}

function isOn(env: NodeJS.ProcessEnv): boolean {
  try {
    return isTracingOn(env);
  } catch (error) {
    if (!(error instanceof TracingSettingsError)) throw error;
    throw new CliError(EXIT.usage, error.message, { cause: error });
  }
}
