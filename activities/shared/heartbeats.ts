// Heartbeats of activities. They deliver cancellations and show that the worker is alive.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Context } from '@temporalio/activity';

/** Well below all heartbeat timeouts (workflows/policies.ts). */
export const HEARTBEAT_MS = 1000;

interface Pulse {
  timer: NodeJS.Timeout;
}

const pulses = new AsyncLocalStorage<Pulse>();

/** Runs an activity with heartbeats that repeat the details of the previous attempt. */
export async function withHeartbeats<T>(work: () => Promise<T>, everyMs = HEARTBEAT_MS): Promise<T> {
  const activity = Context.current();
  const pulse = { timer: setInterval(() => activity.heartbeat(activity.info.heartbeatDetails), everyMs) };
  return await pulses.run(pulse, work).finally(() => clearInterval(pulse.timer));
}

/** From here on, the activity sends its own heartbeats with its progress. */
export function sendOwnHeartbeats(): void {
  clearInterval(pulses.getStore()?.timer);
}
