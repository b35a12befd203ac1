// Sends what the Temporal SDK logs through Sluice's logger; once a process, before the first worker.
import { Runtime } from '@temporalio/worker';
import type { Logger } from '../observability/logger.ts';
import { temporalLogger } from '../observability/temporal-logger.ts';

export function installTemporalLogger(log: Logger): void {
  Runtime.install({
    logger: temporalLogger(log),
    // Ctrl-C is ours: workers are stopped in order, by the shutdown.
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: { core: 'WARN', other: 'WARN' }, forward: {} } },
  });
}
