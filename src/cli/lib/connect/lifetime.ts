// The life of a command that opens resources: it closes them in order when it succeeds, fails, or gets a signal.
import { type ClosedPart, createShutdown, type Shutdown } from '../../../core/shutdown.ts';
import { EXIT } from '../exit.ts';
import { writeLines } from '../terminal/progress.ts';

/** Time for each part to close, in milliseconds: active calls have a deadline of 30 s. */
const GRACE_MS = 40_000;
/** Milliseconds from a signal to the end of a command that does not stay up. Measured with Temporal and workers: 1.5 s. */
const LIMIT_MS = 1_900;

/** For work in this process that cannot fail by itself. */
export const NEVER = new Promise<never>(() => undefined);

/** One line for people. */
export function say(line: string): void {
  writeLines(process.stderr, `${line}\n`);
}

export interface CommandOptions {
  /** The command serves until a signal stops it, as `sluice dev` does. A signal is its normal end, with exit code 0. */
  readonly staysUp?: boolean;
  /** Milliseconds for each part to close. @default 40_000 */
  readonly graceMs?: number;
}

/**
 * Runs a command's work and closes what it opened. After SIGINT or SIGTERM, a command that does not stay up ends within
 * 2 s. The exit code is then 130, because the work is incomplete; errors of the work are ignored, because they come from
 * parts that were closed.
 * @returns exit code
 */
export async function runCommand(
  work: (shutdown: Shutdown) => Promise<number>,
  { staysUp = false, graceMs = GRACE_MS }: CommandOptions = {},
): Promise<number> {
  const shutdown = createShutdown({ graceMs, limitMs: staysUp ? undefined : LIMIT_MS, say });
  const stopped = () => (shutdown.interrupted && !staysUp ? EXIT.interrupted : EXIT.ok);
  try {
    // A part that is still opening may wait forever for a server that is gone.
    const code = await Promise.race([work(shutdown), shutdown.finished.then(stopped)]);
    return code === EXIT.ok ? stopped() : code;
  } catch (error) {
    if (shutdown.signal.aborted) return stopped();
    throw error;
  } finally {
    await shutdown.run('the end of the command');
    if (staysUp && shutdown.interrupted) say(describeEnd((await shutdown.finished).closed));
  }
}

/** Who waits for a pod or a service to end finds out here which part took the time. */
function describeEnd(closed: readonly ClosedPart[]): string {
  return `Closed: ${closed.map(({ name, ms }) => `${name} ${(ms / 1000).toFixed(1)} s`).join(', ')}`;
}

/** Resolves when a signal asks the command to stop. */
export function stopRequested(shutdown: Shutdown): Promise<void> {
  return new Promise((done) => {
    if (shutdown.signal.aborted) done();
    else shutdown.signal.addEventListener('abort', () => done(), { once: true });
  });
}
