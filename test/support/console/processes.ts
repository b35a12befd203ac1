// Sluice as a person starts it: `sluice sandbox` and `sluice dev`, built, as processes of their own in one folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { panelOf } from '../panel.ts';

/** The first admin's link, as `sluice dev` prints it while there is no admin. */
const LINK = /first admin: open (\S+) within/;
const CONSOLE = /^.*console {4}(http\S+)$/m;
const INGRESS = /^ingress {4}(http\S+)/m;
const READY = /^.*ready for the syncs .*$/m;

export interface SandboxProcess {
  readonly baseUrl: string;
  readonly panel: ReturnType<typeof panelOf>;
  stop(): Promise<void>;
}

export interface DevProcess {
  /** Of the console, without a path. */
  readonly url: string;
  /** Of the ingress, without a path; null without routes. */
  readonly ingress: string | null;
  /** Null once there is an admin. */
  readonly adminLink: string | null;
  readonly pid: number;
  /** Everything it wrote to stderr. */
  log(): string;
  stop(): Promise<void>;
  /** Ends it at once, as a crash does. */
  kill(): Promise<void>;
}

export interface SandboxProcessOptions {
  /** Folder of the build. */
  readonly dist: string;
  /** Gets the fixture and the state. */
  readonly dir: string;
  readonly fixture: object;
  /** Calls per minute and token. */
  readonly rate: number;
}

export async function startSandboxProcess(options: SandboxProcessOptions): Promise<SandboxProcess> {
  const { dist, dir, fixture, rate } = options;
  const file = join(dir, 'sandbox.yaml');
  await writeFile(file, stringify(fixture));
  const data = join(dir, 'sandbox');
  const started = startSluice(dist, dir, [
    'sandbox',
    '--port',
    '0',
    '--data',
    data,
    '--fixture',
    file,
    '--rate',
    `${rate}`,
  ]);
  const [, line] = await started.seen('stdout', /^(\{.*\})$/m);
  const { baseUrl, panelUrl } = JSON.parse(line as string) as { baseUrl: string; panelUrl: string };
  return { baseUrl, panel: panelOf(panelUrl), stop: started.stop };
}

/** Starts `sluice dev` on the sluice.yaml in `dir`, with embedded Temporal and an embedded ledger. */
export async function startDevProcess(
  dist: string,
  dir: string,
  env: Readonly<Record<string, string>>,
): Promise<DevProcess> {
  const started = startSluice(dist, dir, ['dev'], env);
  await started.seen('stderr', READY);
  const log = started.text('stderr');
  const url = CONSOLE.exec(log)?.[1];
  if (url === undefined) throw new Error(`sluice dev named no console:\n${log}`);
  return {
    url,
    ingress: INGRESS.exec(log)?.[1] ?? null,
    adminLink: LINK.exec(log)?.[1] ?? null,
    pid: started.pid,
    log: () => started.text('stderr'),
    stop: started.stop,
    kill: started.kill,
  };
}

type Stream = 'stdout' | 'stderr';

/** Runs one command until `stop`. The parent's Temporal and PostgreSQL are not for it. */
export function startSluice(
  dist: string,
  cwd: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
) {
  const own = Object.entries(process.env).filter(
    ([name]) => name !== 'TEMPORAL_ADDRESS' && name !== 'DATABASE_URL' && !name.startsWith('SLUICE_'),
  );
  const child: ChildProcess = spawn(process.execPath, [join(dist, 'src/cli/main.js'), ...args], {
    cwd,
    env: Object.assign(Object.fromEntries(own), more),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  const streams: readonly Stream[] = ['stdout', 'stderr'];
  for (const name of streams)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  const closed = once(child, 'close');
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal);
    await closed;
  };
  return {
    text: (name: Stream) => texts[name],
    seen: (name: Stream, pattern: RegExp) =>
      new Promise<RegExpExecArray>((done, failed) => {
        const check = () => {
          const match = pattern.exec(texts[name]);
          if (match !== null) done(match);
        };
        child[name]?.on('data', check);
        child.once('close', () =>
          failed(new Error(`sluice ${args[0]} ended without ${pattern}:\n${texts.stderr}`)),
        );
        check();
      }),
    pid: child.pid as number,
    /** Exit code; null after a signal. */
    ended: closed.then(() => child.exitCode),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** Runs one command to its end. */
export async function runSluice(
  dist: string,
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const started = startSluice(dist, cwd, args, env);
  const code = await started.ended;
  return { code, stdout: started.text('stdout'), stderr: started.text('stderr') };
}
