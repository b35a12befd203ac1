// Runs the program that a `command:` reference names. No shell reads the reference, and no message has its output.
import { execFile } from 'node:child_process';
import { SecretError } from '../core/config/errors.ts';

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

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
  const options = {
    cwd: place.baseDir,
    env: { ...place.env },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_BYTES,
    encoding: 'utf8',
    windowsHide: true,
  } as const;
  return await new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new SecretError(ref, `the secret command ${program} ${whyOf(error, timeoutMs)}`));
    });
    // A program that asks for a password must fail at once.
    child.stdin?.end();
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

function whyOf(
  error: Error & { code?: number | string | null; killed?: boolean },
  timeoutMs: number,
): string {
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return `printed more than ${MAX_BYTES} bytes; it must print the secret alone`;
  if (error.killed === true) return `did not end within ${timeoutMs / 1000} s`;
  if (error.code === 'ENOENT') return 'does not exist; write its path, or add its folder to PATH';
  if (typeof error.code === 'string') return `can't be run (${error.code})`;
  return `failed with exit code ${error.code ?? 'unknown'}; run it by hand to see why`;
}
