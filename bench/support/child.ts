// Runs `sluice …` as child processes that a bench starts, measures and ends by process id.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.js');
/** Maximum number of stderr lines kept for an error message. */
const TAIL = 20;

export interface Child {
  readonly pid: number;
  /** First line of its stdout. */
  readonly first: Promise<string>;
  /** Resolves with the first line on stderr that holds `text`. */
  said(text: string): Promise<string>;
  /** Sends a signal and waits for the end. Does nothing if the process has ended. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

/**
 * Starts the built command line. The caller ends the child. It also ends on its own when this process is gone.
 * @param program another built script
 */
export function sluice(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program = MAIN,
): Child {
  const child = spawn(process.execPath, [program, ...args], {
    // With npm_command set, a command watches its parent, so a killed bench leaves no process.
    env: { ...process.env, npm_command: 'run-script', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const tail: string[] = [];
  const waiting = new Set<(line: string) => void>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    tail.push(line);
    if (tail.length > TAIL) tail.shift();
    for (const hear of waiting) hear(line);
  });
  const died = once(child, 'exit').then(() => {
    throw new Error(`sluice ${args[0]} ended by itself\n${tail.join('\n')}`);
  });
  died.catch(() => undefined);
  const out = createInterface({ input: child.stdout });
  const first = Promise.race([once(out, 'line').then(([line]) => String(line)), died]);
  first.catch(() => undefined);
  return {
    pid: child.pid as number,
    first,
    said(text) {
      const heard = new Promise<string>((report) => {
        const hear = (line: string) => {
          if (!line.includes(text)) return;
          waiting.delete(hear);
          report(line);
        };
        waiting.add(hear);
        const before = tail.find((line) => line.includes(text));
        if (before !== undefined) hear(before);
      });
      return Promise.race([heard, died]);
    },
    kill: (signal) => end(child, signal),
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
