// The life of a command that opens things: ordered end, whether it is done, fails, or is asked to stop.
import { createShutdown, type Shutdown } from '../../runtime/shutdown.ts';
import { EXIT } from './exit.ts';
import { writeLines } from './progress.ts';

/** Each part may take so long to close: calls under way have a deadline of 30 s. */
const GRACE_MS = 40_000;

/** One line for people. */
export function say(line: string): void {
  writeLines(process.stderr, `${line}\n`);
}

export interface CommandOptions {
  /** The command serves until it is stopped, as `sluice dev` does: a signal is its normal end, with exit code 0. */
  readonly staysUp?: boolean;
  /** Milliseconds for each part to close. @default 40_000 */
  readonly graceMs?: number;
}

/**
 * Runs a command's work and closes what it opened. After SIGINT or SIGTERM, errors of the work are those of parts that
 * were closed under it, and the exit code is 130: an interrupted command has not done its work.
 * @returns exit code
 */
export async function runCommand(
  work: (shutdown: Shutdown) => Promise<number>,
  { staysUp = false, graceMs = GRACE_MS }: CommandOptions = {},
): Promise<number> {
  const shutdown = createShutdown({ graceMs, say });
  const stopped = () => (shutdown.interrupted && !staysUp ? EXIT.interrupted : EXIT.ok);
  try {
    // What is being opened while everything is closed may wait forever for a server that is gone.
    const code = await Promise.race([work(shutdown), shutdown.finished.then(stopped)]);
    return code === EXIT.ok ? stopped() : code;
  } catch (error) {
    if (shutdown.signal.aborted) return stopped();
    throw error;
  } finally {
    await shutdown.run('the end of the command');
  }
}

/** Resolves as soon as the command is asked to stop. */
export function stopRequested(shutdown: Shutdown): Promise<void> {
  return new Promise((done) => {
    if (shutdown.signal.aborted) done();
    else shutdown.signal.addEventListener('abort', () => done(), { once: true });
  });
}
