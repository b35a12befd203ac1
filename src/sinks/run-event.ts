// Says in a CloudEvent that a run has ended.
import { RunEndedEvent, type RunEndStatus } from '../contracts/events.ts';
import { type RunReport, RunSummary } from '../contracts/run.ts';

export interface EndedRun {
  readonly account: string;
  readonly sync: string;
  readonly status: RunEndStatus;
  readonly endedAt: Date;
  readonly report: RunReport;
}

/**
 * The event of an ended run: the same for the same run, however often it is built. The rows with problems stay
 * out of it, as their reasons may quote a value; counts and warnings are in.
 */
export function runEndedEvent({ account, sync, status, endedAt, report }: EndedRun): RunEndedEvent {
  return RunEndedEvent.parse({
    specversion: '1.0',
    id: `${report.run}/${status}`,
    source: `/sluice/accounts/${account}/syncs/${sync}`,
    type: `sluice.sync.${status}`,
    time: endedAt.toISOString(),
    datacontenttype: 'application/json',
    partitionkey: `${account}/${sync}`,
    // Unknown keys, `problems` among them, are dropped here.
    data: RunSummary.parse(report),
  });
}
