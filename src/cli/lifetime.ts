// The life of a command that opens things: ordered end, whether it is done, fails, or is told to stop.
import { createShutdown, type Shutdown } from '../runtime/shutdown.ts';
import { EXIT } from './exit.ts';

/** Each part may take so long to close: calls under way have a deadline of 30 s. */
const GRACE_MS = 40_000;

/** One line for people. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Runs a command's work and closes what it opened. Told to stop, the work's errors are those of things
 * that were closed under it, and the command ends well.
 * @returns exit code
 */
export async function runCommand(work: (shutdown: Shutdown) => Promise<number>): Promise<number> {
  const shutdown = createShutdown({ graceMs: GRACE_MS, say });
  try {
    // What is being opened while everything is closed may wait for ever for a server that is gone.
    return await Promise.race([work(shutdown), shutdown.finished.then(() => EXIT.ok)]);
  } catch (error) {
    if (shutdown.signal.aborted) return EXIT.ok;
    throw error;
  } finally {
    await shutdown.run('the end of the command');
  }
}

/** Resolves as soon as the command is told to stop. */
export function toldToStop(shutdown: Shutdown): Promise<void> {
  return new Promise((done) => {
    if (shutdown.signal.aborted) done();
    else shutdown.signal.addEventListener('abort', () => done(), { once: true });
  });
}
