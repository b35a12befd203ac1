// Opens the operator socket of a process that owns a state folder, and publishes it in the lock of the folder.
import { peopleOf } from '../../ledger/campaigns/campaign-roll.ts';
import { campaignEndpoints } from '../../runtime/operator/campaign-socket.ts';
import { openOperatorSocket } from '../../runtime/operator/operator-socket.ts';
import { createOperator, type Operator } from '../../runtime/operator.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { say } from './lifetime.ts';
import type { OpenStack } from './session.ts';

/** Without its socket, a process still does everything else. */
export async function openSocket(
  stack: Pick<OpenStack, 'config' | 'db' | 'client' | 'log' | 'env' | 'stateDir' | 'note'>,
  shutdown: Shutdown,
): Promise<Operator> {
  const operator = createOperator({
    db: stack.db,
    config: () => stack.config,
    temporal: async () => stack.client,
    runningTemporal: async () => stack.client,
    log: stack.log,
    env: stack.env,
    stateDir: stack.stateDir,
  });
  try {
    const endpoints = campaignEndpoints(peopleOf(stack.db));
    const socket = await openOperatorSocket({ folder: stack.stateDir, endpoints, log: stack.log });
    shutdown.add("operators' socket", () => socket.close());
    const api = await operator.openSocket(stack.stateDir);
    shutdown.add('operator API', () => api.close());
    await stack.note({ socket: socket.path, operator: api.path });
  } catch (error) {
    say(
      `the operator socket did not open, so \`sluice message\` and \`sluice campaign export\` can't be used with this process (${(error as Error).message})`,
    );
    await stack.note({ socket: null });
  }
  return operator;
}
