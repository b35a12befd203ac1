// Tells the outside that a run has ended.
import { ApplicationFailure, Context, type Info } from '@temporalio/activity';
import { RUN_END_STATUSES, type RunEndStatus } from '../src/contracts/events.ts';
import { getRun, type RunStatus, reportRun } from '../src/ledger/runs.ts';
import { runEndedEvent } from '../src/sinks/run-event.ts';
import { type Sink, SinkError } from '../src/sinks/sink.ts';
import type { Deps } from './deps.ts';

/** One attempt: below the activity's timeout, and below the grace that a worker gives when it shuts down. */
const ATTEMPT_MS = 25_000;

export function createSinkActivities(deps: Deps) {
  const { db, log } = deps;

  return {
    /** Sends the event of an ended run to the sink that its sync announces to; without one there is nothing to do. */
    async announceRun(input: { run: string }): Promise<void> {
      const { id, account, sync, status, spec, finished_at: endedAt } = await getRun(db, input.run);
      const name = spec.options.announce;
      if (name === undefined) return;
      if (!hasEnded(status) || endedAt === null)
        throw ApplicationFailure.nonRetryable(`the run ${id} has not ended`, 'RUN_OPEN');
      const sink = sinkOf(name);
      const event = runEndedEvent({ account, sync, status, endedAt, report: await reportRun(db, id) });
      const { cancellationSignal, info } = Context.current();
      try {
        const signal = AbortSignal.any([cancellationSignal, AbortSignal.timeout(ATTEMPT_MS)]);
        const [sent] = await sink.send([event], { signal });
        if (sent?.state === 'sent') return;
        cancellationSignal.throwIfAborted();
        throw sent?.state === 'failed' ? sent.error : new Error(`the sink "${name}" left the event unsent`);
      } catch (error) {
        if (!(error instanceof SinkError)) throw error;
        log.warn({ run: id, sink: name, attempt: info.attempt, code: error.code }, error.message);
        throw ApplicationFailure.create({
          message: error.message,
          type: error.code,
          nonRetryable: !error.retryable || isLastAttempt(info),
        });
      }
    },
  };

  function sinkOf(name: string): Sink {
    try {
      return deps.sink(name);
    } catch (error) {
      throw ApplicationFailure.nonRetryable((error as Error).message, 'CONFIG');
    }
  }
}

function hasEnded(status: RunStatus): status is RunEndStatus {
  return (RUN_END_STATUSES as readonly string[]).includes(status);
}

/**
 * No further attempt fits into the activity's time. Said here, because an engine that finds so itself fails the activity with
 * a timeout whose cause, our reason, the SDK leaves out (seen with server 1.32, SDK 1.24).
 */
function isLastAttempt({ attempt, scheduledTimestampMs, scheduleToCloseTimeoutMs, retryPolicy = {} }: Info) {
  const { initialInterval = 1000, backoffCoefficient = 2, maximumInterval = Number.MAX_VALUE } = retryPolicy;
  const waitMs = Math.min(
    Number(maximumInterval),
    Number(initialInterval) * backoffCoefficient ** (attempt - 1),
  );
  return Date.now() + waitMs >= scheduledTimestampMs + scheduleToCloseTimeoutMs;
}
