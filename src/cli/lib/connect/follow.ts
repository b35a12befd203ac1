// Follows a workflow to its end and checks its progress at intervals.
import { type Client, isGrpcCancelledError } from '@temporalio/client';
import { deadlineSignal } from '../../../core/deadline.ts';

const CHECK_MS = 500;
/** Milliseconds. The SDK leaves an abort listener behind for every request, and Node warns from the eleventh on. */
const WAIT_MS = 60_000;

export interface Followed<R> {
  readonly client: Client;
  /** The workflow to follow. */
  readonly handle: { result(): Promise<R> };
  /** Shows the progress; it handles its own errors. */
  readonly check: () => Promise<void>;
  /** Stops following; the workflow continues. */
  readonly signal: AbortSignal;
  /** Milliseconds that one abort signal is used for; see {@link WAIT_MS}. */
  readonly waitMs?: number;
}

/**
 * All calls are over when it returns, so that the caller can close the connection.
 * @returns null when `signal` stopped it
 * @throws the failure of the workflow
 */
export async function follow<R>(followed: Followed<R>): Promise<R | null> {
  const { client, check, signal } = followed;
  // The SDK listens for the event only: a signal that is already aborted would never end the call.
  if (signal.aborted) return null;
  const ended = new AbortController();
  const shown = watch(client, check, AbortSignal.any([signal, ended.signal]));
  try {
    return await resultOf(followed);
  } finally {
    ended.abort();
    await shown;
  }
}

/** Waits with a new signal for each period, so that listeners do not pile up on one signal. */
async function resultOf<R>({ client, handle, signal, waitMs = WAIT_MS }: Followed<R>): Promise<R | null> {
  for (;;) {
    const over = deadlineSignal(waitMs);
    try {
      return await withOwnSignal(client, [signal, over], () => handle.result());
    } catch (error) {
      if (signal.aborted) return null;
      if (!(over.aborted && isGrpcCancelledError(error))) throw error;
    }
  }
}

async function watch(client: Client, check: () => Promise<void>, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await withOwnSignal(client, [stop], check);
    await pause(CHECK_MS, stop);
  }
}

/**
 * Works with a signal of its own that aborts with `others`. The SDK leaves its listeners on a signal, and Node 20 never
 * frees a signal of AbortSignal.any that has one.
 */
export async function withOwnSignal<T>(
  client: Client,
  others: readonly AbortSignal[],
  work: () => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const abort = () => own.abort();
  for (const other of others) other.addEventListener('abort', abort);
  try {
    return await client.connection.withAbortSignal(own.signal, work);
  } finally {
    for (const other of others) other.removeEventListener('abort', abort);
  }
}

/** Resolves after this time, or when `stop` is aborted. */
export function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(finish, ms);
    function finish() {
      clearTimeout(timer);
      stop.removeEventListener('abort', finish);
      done();
    }
    stop.addEventListener('abort', finish);
  });
}
