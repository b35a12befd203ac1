// The connection of workers to Temporal, which opens again when its certificate or key is renewed.
import { NativeConnection } from '@temporalio/worker';
import type { Shutdown } from '../src/core/shutdown.ts';
import type { FollowedAccess } from '../src/temporal/followed-access.ts';
import type { TemporalAccess } from '../src/temporal/temporal-access.ts';

export interface WorkerConnection {
  readonly current: NativeConnection;
  /** Moves the workers to each new connection. What they began on the one before ends there. */
  onChange(move: (connection: NativeConnection) => void): void;
}

/** The SDK reads certificates when it connects, so a renewed one needs a connection of its own. */
export async function openWorkerConnection(
  address: string,
  access: FollowedAccess,
  shutdown: Shutdown,
): Promise<WorkerConnection> {
  const connect = (options: TemporalAccess) => NativeConnection.connect({ ...options, address });
  const moves: ((connection: NativeConnection) => void)[] = [];
  const opened = {
    current: await connect(access.current),
    onChange: (move: (typeof moves)[number]) => void moves.push(move),
  };
  shutdown.add('worker connection', () => opened.current.close());
  access.onChange(async (options) => {
    const before = opened.current;
    const renewed = await connect(options);
    for (const move of moves) move(renewed);
    opened.current = renewed;
    await before.close();
  });
  return opened;
}
