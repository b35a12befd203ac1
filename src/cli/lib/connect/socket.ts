// Opens the operator socket of a process that owns a state folder, and publishes it in the lock of the folder.

import { createOperator, type Operator } from '../../../app/operator.ts';
import type { Shutdown } from '../../../core/shutdown.ts';
import { say } from './lifetime.ts';
import type { OpenStack } from './session.ts';

/** Without its socket, a process still does everything else. */
export async function openSocket(
  stack: Pick<OpenStack, 'live' | 'db' | 'client' | 'log' | 'env' | 'stateDir' | 'note'>,
  shutdown: Shutdown,
): Promise<Operator> {
  const operator = createOperator({
    db: stack.db,
    config: stack.live.current,
    live: stack.live,
    temporal: async () => stack.client,
    runningTemporal: async () => stack.client,
    log: stack.log,
    env: stack.env,
    stateDir: stack.stateDir,
  });
  shutdown.add('dry runs', () => operator.close());
  try {
    const api = await operator.openSocket();
    shutdown.add('operator API', () => api.close());
    await stack.note({ operator: api.path });
  } catch (error) {
    say(
      `the operator socket did not open, so other commands can't use this process (${(error as Error).message})`,
    );
  }
  return operator;
}
