// A batch reports to its workflow why the run must pause.
import { Context } from '@temporalio/activity';
import { HALT_SIGNAL } from '../../src/core/ids.ts';
import type { Halt } from '../../src/jobs/sync/contract/run.ts';
import type { Deps } from './deps.ts';

/**
 * Signals the workflow at once. Calls under way in this batch may take half a minute, and a batch that runs beside it
 * would continue.
 * @returns whether the workflow received the signal; if not, the batch reports the halt in its result
 */
export async function reportHalt({ log }: Pick<Deps, 'log'>, run: string, halt: Halt): Promise<boolean> {
  try {
    const { client, info } = Context.current();
    const { workflowId = '', runId } = info.workflowExecution ?? {};
    await client.workflow.getHandle(workflowId, runId).signal<[Halt]>(HALT_SIGNAL, halt);
    return true;
  } catch (error) {
    log.warn({ run, err: error }, 'could not signal the halt; the batch result reports it');
    return false;
  }
}
