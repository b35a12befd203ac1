// A terminal of a document: one bash that keeps its folder and variables from command to command.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface Outcome {
  readonly exit: number;
  /** stdout and stderr, as a terminal shows them. */
  readonly output: string;
}

export interface Background {
  readonly pid: number;
  output(): string;
}

const STATUS_FD = 3;

export class Shell {
  readonly #process: ChildProcess;
  readonly #status: AsyncIterator<string>;
  readonly #lines: Interface;
  readonly #outputs: string;
  readonly #ended: Promise<unknown>;
  readonly #kill = () => killSession(this.#process.pid as number);
  #count = 0;

  /** @param scratch folder for what the commands print */
  constructor(folder: string, env: NodeJS.ProcessEnv, scratch: string) {
    this.#outputs = mkdtempSync(join(scratch, 'terminal-'));
    this.#process = spawn('bash', ['--noprofile', '--norc'], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    });
    this.#lines = createInterface({ input: this.#process.stdio[STATUS_FD] as Readable });
    this.#status = this.#lines[Symbol.asyncIterator]();
    this.#ended = once(this.#process, 'exit');
    // Each command has a process group of its own, as in a terminal: so it can be interrupted.
    this.#write('set -m');
    process.once('exit', this.#kill);
  }

  /** @throws Error when the command takes longer than `ms`; the shell is unusable then */
  async run(command: string, ms: number): Promise<Outcome> {
    const file = this.#nextFile();
    this.#write(`{\n${command}\n} </dev/null >'${file}' 2>&1 3>&-\nprintf '%s\\n' "$?" >&3`);
    const exit = Number(await this.#next(ms, () => readFileSync(file, 'utf8')));
    return { exit, output: readFileSync(file, 'utf8') };
  }

  /** Starts a command that stays up. */
  async start(command: string): Promise<Background> {
    const file = this.#nextFile();
    this.#write(`{\n${command}\n} </dev/null >'${file}' 2>&1 3>&- &\nprintf '%s\\n' "$!" >&3`);
    const pid = Number(await this.#next(10_000, () => ''));
    return { pid, output: () => readFileSync(file, 'utf8') };
  }

  /** The folder in which the next command runs. */
  async folder(): Promise<string> {
    return (await this.run('pwd', 10_000)).output.trim();
  }

  /** Ctrl-C, then the end of the command. */
  async interrupt({ pid }: Background, ms: number): Promise<number> {
    process.kill(-pid, 'SIGINT');
    this.#write(`wait ${pid}\nprintf '%s\\n' "$?" >&3`);
    return Number(await this.#next(ms, () => `process ${pid} did not end`));
  }

  /** Ends the shell and all that it started. */
  async close(): Promise<void> {
    this.#kill();
    process.removeListener('exit', this.#kill);
    await this.#ended;
    this.#lines.close();
  }

  #nextFile(): string {
    this.#count += 1;
    const file = join(this.#outputs, String(this.#count));
    writeFileSync(file, '');
    return file;
  }

  #write(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  async #next(ms: number, printed: () => string): Promise<string> {
    let timeout: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      timeout = setTimeout(() => {
        reject(new Error(`no end within ${ms / 1000} s; so far it printed:\n${printed()}`));
      }, ms);
    });
    try {
      const { done, value } = await Promise.race([this.#status.next(), late]);
      if (done) throw new Error(`the command ended its shell; it printed:\n${printed()}`);
      return value;
    } finally {
      clearTimeout(timeout);
    }
  }
}

/** All processes of a session, whatever group they are in. */
function killSession(session: number): void {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,sess='], { encoding: 'utf8' });
  for (const line of table.split('\n')) {
    const [pid, of] = line.trim().split(/\s+/).map(Number);
    if (pid !== undefined && of === session) kill(pid);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The commands of a block: bash itself says where one ends. */
export function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let pending: string[] = [];
  for (const line of block.split('\n')) {
    if (pending.length === 0 && /^\s*(#.*)?$/.test(line)) continue;
    pending.push(line);
    const text = pending.join('\n');
    if (line.endsWith('\\') || !isWhole(text)) continue;
    commands.push(text);
    pending = [];
  }
  if (pending.length > 0) commands.push(pending.join('\n'));
  return commands;
}

function isWhole(text: string): boolean {
  const { status, stderr } = spawnSync('bash', ['-n', '-c', text], { encoding: 'utf8' });
  // A here-document that is not closed is a warning only.
  return status === 0 && !stderr.includes('here-document');
}
