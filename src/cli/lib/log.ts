// The logger of a command, which also receives the log of the Temporal SDK. Once per process, before the first worker.
import { trace } from '@opentelemetry/api';
import { asyncLocalStorage } from '@temporalio/activity';
import { Runtime, type TelemetryOptions } from '@temporalio/worker';
import { fetch } from 'undici';
import { deadlineSignal } from '../../core/deadline.ts';
import { accountOfWorkflow } from '../../core/ids.ts';
import { freePort } from '../../core/net/ports.ts';
import type { Shutdown } from '../../core/shutdown.ts';
import type { LogContext, Logger } from '../../observe/logger.ts';
import { temporalLogger } from '../../observe/temporal-logger.ts';
import { makeLogger } from './logger.ts';

/**
 * Call it before adding anything else to `shutdown`: the SDK's native part must end last. It ends by itself only with
 * the last worker, so a command that fails before its first worker has to end it.
 * @param name of the process, for example `ingress`
 * @param fallback level without SLUICE_LOG_LEVEL
 * @throws CliError (usage) for an unknown level
 */
export function openLog(name: string, env: NodeJS.ProcessEnv, fallback: string, shutdown: Shutdown): Logger {
  const log = makeLogger(env.SLUICE_LOG_LEVEL || fallback, { process: name, context: currentWork });
  installSdk(log, shutdown);
  return log;
}

export interface ServiceLog {
  readonly log: Logger;
  /** Metrics of the Temporal SDK, in the text format of Prometheus. */
  readSdkMetrics(): Promise<string>;
}

/** Another program may take the free port just before the SDK listens. */
const ATTEMPTS = 5;
const SDK_MS = 3000;

/** As {@link openLog}, for processes with workers that stay up: the SDK also counts. */
export async function openServiceLog(
  name: string,
  env: NodeJS.ProcessEnv,
  fallback: string,
  shutdown: Shutdown,
): Promise<ServiceLog> {
  const log = makeLogger(env.SLUICE_LOG_LEVEL || fallback, { process: name, context: currentWork });
  for (let attempt = 1; ; attempt++) {
    const address = `127.0.0.1:${await freePort()}`;
    try {
      installSdk(log, shutdown, address);
    } catch (error) {
      if (attempt === ATTEMPTS || !String(error).includes('prometheus')) throw error;
      log.debug({ err: error }, 'another program took the port for the metrics of the Temporal SDK');
      continue;
    }
    return {
      log,
      async readSdkMetrics() {
        const answer = await fetch(`http://${address}/metrics`, { signal: deadlineSignal(SDK_MS) });
        if (!answer.ok) throw new Error(`the SDK answered with status ${answer.status}`);
        return await answer.text();
      },
    };
  }
}

/** The activity and the trace that a line belongs to. */
export function currentWork(): LogContext {
  const current: LogContext = {};
  const activity = asyncLocalStorage.getStore()?.info;
  if (activity !== undefined) {
    const { workflowExecution, activityType, attempt } = activity;
    current.activityType = activityType;
    current.attempt = attempt;
    if (workflowExecution !== undefined) {
      const { workflowId, runId } = workflowExecution;
      const account = accountOfWorkflow(workflowId);
      if (account !== null) current.account = account;
      current.workflowId = workflowId;
      current.runId = runId;
    }
  }
  const span = trace.getActiveSpan()?.spanContext();
  if (span !== undefined) {
    current.trace_id = span.traceId;
    current.span_id = span.spanId;
  }
  return current;
}

/** @param metricsAddress where the SDK serves its metrics; it serves none by default */
function installSdk(log: Logger, shutdown: Shutdown, metricsAddress?: string): void {
  const metrics: TelemetryOptions['metrics'] =
    metricsAddress === undefined
      ? undefined
      : {
          // The SDK counts in its native part, which costs the event loop nothing until a scrape.
          prometheus: {
            bindAddress: metricsAddress,
            countersTotalSuffix: true,
            unitSuffix: true,
            useSecondsForDurations: true,
          },
        };
  const runtime = Runtime.install({
    logger: temporalLogger(log),
    // The shutdown handles Ctrl-C: it stops workers in order.
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} },
      ...(metrics !== undefined && { metrics }),
    },
  });
  shutdown.add('Temporal SDK', () => runtime.shutdown());
}
