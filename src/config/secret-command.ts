// Runs the program that a `command:` reference names. No shell reads the reference, and no message has its output.
import { type ChildProcess, spawn } from 'node:child_process';
import { SecretError } from '../core/config/errors.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;
/** For output that is still on its way when the program has ended. */
const HELD_OPEN_MS = 500;

export interface CommandPlace {
  /** Environment of the program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working folder of the program. */
  readonly baseDir: string;
  /** @default 10_000 */
  readonly timeoutMs?: number;
}

/**
 * Returns what the program of `command:…` prints on stdout. Messages name the program only: arguments and stderr can
 * contain a secret.
 * @throws SecretError when it can't start, fails, prints more than 64 KiB, or runs longer than 10 s
 */
export async function runSecretCommand(ref: string, place: CommandPlace): Promise<string> {
  const [program = '', ...args] = commandArguments(ref) ?? [];
  if (program === '')
    throw new SecretError(
      ref,
      'a secret command needs a program: write command:program argument, or command:["program", "argument"]',
    );
  const { timeoutMs = TIMEOUT_MS } = place;
  const output = await outputOf(program, args, place, timeoutMs);
  if (typeof output === 'string') return output;
  throw new SecretError(ref, `the secret command ${program} ${output.why}`);
}

/** @returns what it printed, or why there is nothing to use */
async function outputOf(
  program: string,
  args: readonly string[],
  { baseDir, env }: CommandPlace,
  timeoutMs: number,
): Promise<string | { readonly why: string }> {
  const child = spawn(program, args, {
    cwd: baseDir,
    env: { ...env },
    // A program that asks for a password must fail at once.
    stdio: ['ignore', 'pipe', 'ignore'],
    // A group of its own: what a script has started must end with it. Windows has no groups, and opens a window.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  return await new Promise((resolve) => {
    const giveUp = (why: string) => {
      resolve({ why });
      endGroup(child);
    };
    const limit = setTimeout(giveUp, timeoutMs, `did not end within ${timeoutMs / 1000} s`);
    // Ctrl-C reaches the group of the terminal only.
    const atExit = () => endGroup(child);
    process.once('exit', atExit);
    const ended = () => {
      clearTimeout(limit);
      process.off('exit', atExit);
    };
    const parts: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > MAX_BYTES) giveUp(`printed more than ${MAX_BYTES} bytes; it must print the secret alone`);
      else parts.push(part);
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      ended();
      resolve({ why: whyNotStarted(error) });
    });
    // An agent that the program leaves behind may keep the output open, and must not delay the secret.
    child.once('exit', () => setTimeout(() => child.stdout.destroy(), HELD_OPEN_MS).unref());
    child.once('close', (code, signal) => {
      ended();
      resolve(code === 0 ? Buffer.concat(parts).toString('utf8') : { why: whyFailed(code, signal) });
    });
  });
}

/** The program that a `command:` reference names, without its arguments; '' when it names none. */
export const commandProgram = (ref: string): string => commandArguments(ref)?.[0] ?? '';

/** The program and its arguments; null when the text after `command:` is no list of texts. */
function commandArguments(ref: string): string[] | null {
  const text = ref.slice('command:'.length).trim();
  if (!text.startsWith('[')) return text === '' ? null : text.split(/\s+/);
  try {
    const list: unknown = JSON.parse(text);
    const isList = Array.isArray(list) && list.length > 0 && list.every((part) => typeof part === 'string');
    return isList ? (list as string[]) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function whyNotStarted({ code }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'does not exist; write its path, or add its folder to PATH';
  return `can't be run (${code})`;
}

function whyFailed(code: number | null, signal: NodeJS.Signals | null): string {
  const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
  return `${how}; run it by hand to see why`;
}

/** Also ends what the program has started: such a process may hold the output open for hours. */
function endGroup(child: ChildProcess): void {
  child.stdout?.destroy();
  try {
    if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch (error) {
    // All of the group ended just now.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
