// Sends the Temporal SDK's log through Sluice's logger: Runtime.install({ logger: temporalLogger(log) }).
import type { LogLevel, LogMetadata, Logger as TemporalLogger } from '@temporalio/common';
import { accountOfWorkflow } from '../core/ids.ts';
import type { Logger } from './logger.ts';

const LEVELS = { TRACE: 'trace', DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const;

/**
 * SDK warnings about normal events. A worker for API calls has no workflows. A failed call or workflow is retried, or
 * it is an outcome that Sluice reports itself.
 */
const ORDINARY = ['No workflows registered', 'Activity failed', 'Workflow failed'];

/**
 * The SDK's logger interface on top of `logger`. An `error` among the metadata becomes `err`. The SDK's symbol-keyed
 * metadata (its own timestamps) is left out.
 */
export function temporalLogger(logger: Logger): TemporalLogger {
  const log = (level: LogLevel, message: string, meta: LogMetadata = {}) => {
    const { error, workflowRunId, ...fields } = meta;
    const ordinary = level === 'WARN' && ORDINARY.some((text) => message.startsWith(text));
    if (error !== undefined) fields.err = error;
    // Activities have another name for it than workflows.
    if (workflowRunId !== undefined) fields.runId = workflowRunId;
    const account = typeof fields.workflowId === 'string' ? accountOfWorkflow(fields.workflowId) : null;
    if (account !== null) fields.account ??= account;
    logger[ordinary ? 'debug' : LEVELS[level]](fields, message);
  };
  return {
    log,
    trace: (message, meta) => log('TRACE', message, meta),
    debug: (message, meta) => log('DEBUG', message, meta),
    info: (message, meta) => log('INFO', message, meta),
    warn: (message, meta) => log('WARN', message, meta),
    error: (message, meta) => log('ERROR', message, meta),
  };
}
