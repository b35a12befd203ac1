// Tells the sink of a sync that a run has ended.
import { CancellationScope, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';
import type { RunWarning } from '../src/contracts/run.ts';
import { ANNOUNCE_OPTIONS, LEDGER_OPTIONS } from './policies.ts';
import { reasonOf } from './refusals.ts';

const ledger = proxyActivities<Activities>(LEDGER_OPTIONS);
const sinks = proxyActivities<Activities>(ANNOUNCE_OPTIONS);

/** Never fails: a sink that can't be told is a warning of the run. A cancellation gives the sink up, too. */
export async function announceEnd(run: string): Promise<RunWarning[]> {
  try {
    await sinks.announceRun({ run });
    return [];
  } catch (error) {
    const warning = { step: 'announce', code: 'ANNOUNCE_FAILED', reason: reasonOf(error) };
    await CancellationScope.nonCancellable(() => ledger.warn({ run, ...warning }));
    return [warning];
  }
}
