// A batch reports to its workflow why the run must pause.
import { Context } from '@temporalio/activity';
import { HALT_SIGNAL } from '../../src/contracts/ids.ts';
import type { Halt } from '../../src/contracts/wire/run.ts';
import type { Deps } from './deps.ts';

/**
 * Signals the workflow at once: calls under way in the batch may take half a minute, and a batch beside it would go on.
 * @returns whether the workflow knows; otherwise the result of the batch reports it
 */
export async function reportHalt({ log }: Pick<Deps, 'log'>, run: string, halt: Halt): Promise<boolean> {
  try {
    const { client, info } = Context.current();
    const { workflowId = '', runId } = info.workflowExecution ?? {};
    await client.workflow.getHandle(workflowId, runId).signal<[Halt]>(HALT_SIGNAL, halt);
    return true;
  } catch (error) {
    log.warn({ run, err: error }, 'the halt could not be signaled; it comes with the result');
    return false;
  }
}
