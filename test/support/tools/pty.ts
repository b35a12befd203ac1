// Runs a program in a pseudo-terminal, as a person sees it. Python has one in its standard library.
import { spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { until } from '../until.ts';

/** Copies between the standard streams and a terminal; the size is set before the program begins. */
const BRIDGE = `
import fcntl, os, pty, select, struct, sys, termios
columns, command = int(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 50, columns, 0, 0))
    os.execvp(command[0], command)
sources = [0, terminal]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed: os.write(terminal, typed)
        else: sources = [terminal]
    if terminal in ready:
        try: shown = os.read(terminal, 65536)
        except OSError: shown = b''
        if not shown: break
        os.write(1, shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
`;

export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';

export interface InTerminal {
  readonly columns: number;
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export interface Terminal {
  /** Types text; `\r` is Enter. */
  type(text: string): void;
  /** All that was shown so far, with control sequences. */
  shown(): string;
  /** Resolves when this was shown. */
  shows(text: string | RegExp): Promise<void>;
  /** Resolves at the end of the program, with its exit code. */
  readonly ended: Promise<number | null>;
}

export const hasPty = spawnSync('python3', ['-c', 'import pty, os; os.waitstatus_to_exitcode']).status === 0;

export function openTerminal(command: readonly string[], { columns, cwd, env }: InTerminal): Terminal {
  const child = spawn('python3', ['-c', BRIDGE, String(columns), ...command], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  // What is typed after the end goes nowhere.
  child.stdin.on('error', () => undefined);
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const ended = new Promise<number | null>((done, failed) => {
    child.once('error', failed).once('close', (code) => done(code));
  });
  return {
    type: (text) => void child.stdin.write(text),
    shown: () => shown,
    shows: (text) =>
      until(`the terminal shows ${String(text)}`, () =>
        typeof text === 'string' ? shown.includes(text) : text.test(shown),
      ).then(() => undefined),
    ended,
  };
}

/** Runs a program to its end. */
export async function runInTerminal(
  command: readonly string[],
  options: InTerminal,
): Promise<{ readonly code: number | null; readonly lines: readonly string[]; readonly raw: string }> {
  const terminal = openTerminal(command, options);
  const code = await terminal.ended;
  const raw = terminal.shown();
  return { code, raw, lines: linesOf(raw) };
}

/** What the lines show in the end: a redrawn line counts once, and colors do not count. */
function linesOf(shown: string): string[] {
  const lines = shown.replaceAll('\r\n', '\n').split('\n');
  return lines
    .map((line) => stripVTControlCharacters(line.split('\u001b[2K').at(-1) ?? ''))
    .filter((line) => line !== '');
}
