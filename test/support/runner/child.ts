// Small JavaScript programs against the built code, as real child processes that a test can kill.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  /** The next line of its stdout; rejects with its stderr when it ends first. */
  line(): Promise<string>;
  /** Everything on stderr so far. */
  stderr(): string;
  /** Writes one line to its stdin. */
  send(line: string): void;
  /** Sends a signal and waits for the end. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Waits for its end. */
  ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/**
 * Runs `code` as an ES module with Node. Import the built files by absolute path (see `buildOnce`).
 * The caller ends the child; `kill` on an ended child does nothing.
 */
export function runModule(code: string, env: Record<string, string> = {}): Child {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid as number,
    process: child,
    line: async () => {
      const next = await lines.next();
      if (next.done) throw new Error(`the child ended before it printed a line; stderr:\n${stderr}`);
      return next.value;
    },
    stderr: () => stderr,
    send: (line) => child.stdin.write(`${line}\n`),
    kill: async (signal = 'SIGKILL') => {
      child.kill(signal);
      await ended;
    },
    ended: () => ended,
  };
}

/** Runs a built script to its end. */
export async function runScript(path: string, args: readonly string[] = []) {
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, output: `${output}\n${errors}` };
}
