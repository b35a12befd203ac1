// Sluice as a company runs it: workers, an ingress and a console as processes of their own beside each other, on one
// Temporal server and one PostgreSQL.
import { startSluice } from './console/processes.ts';

export interface FleetOptions {
  /** Folder of the build. */
  readonly dist: string;
  /** Has sluice.yaml with a route, and with ports for ingress and console. */
  readonly dir: string;
  /** TEMPORAL_ADDRESS, DATABASE_URL, and what the configuration names. */
  readonly env: Readonly<Record<string, string>>;
  readonly workers: number;
}

export interface FleetProcess {
  /** worker-1, worker-2, ingress or console */
  readonly name: string;
  /** Of its admin listener: `http://127.0.0.1:43211`. */
  readonly adminUrl: string;
  /** Everything it wrote to stderr. */
  log(): string;
}

export interface Fleet {
  readonly processes: readonly FleetProcess[];
  /** Of the console, without a path. */
  readonly consoleUrl: string;
  /** For the first admin of a new ledger. */
  readonly adminLink: string;
  /** Ends the processes. */
  stop(): Promise<void>;
}

/** What each command prints once it does its work. */
const READY = {
  worker: /^.*ready for the syncs .*$/m,
  ingress: /^ {2}\S+: POST .*$/m,
  console: /Ctrl-C ends/,
};

export async function startFleet({ dist, dir, env, workers }: FleetOptions): Promise<Fleet> {
  const started: { readonly name: string; readonly process: ReturnType<typeof startSluice> }[] = [];
  const stop = async () => {
    await Promise.all(started.map(({ process }) => process.stop()));
  };
  const start = async (name: string, command: keyof typeof READY): Promise<FleetProcess> => {
    const process = startSluice(dist, dir, [command], {
      SLUICE_ADMIN_PORT: '0',
      SLUICE_LOG_LEVEL: 'info',
      ...env,
    });
    started.push({ name, process });
    await process.seen('stderr', READY[command]);
    const log = () => process.text('stderr');
    const adminUrl = /admin {6}(http\S+)/.exec(log())?.[1];
    if (adminUrl === undefined) throw new Error(`${name} named no admin listener:\n${log()}`);
    return { name, adminUrl, log };
  };
  try {
    const processes: FleetProcess[] = [];
    // One after the other: the first migrates the ledger, and the machine is small.
    for (let at = 1; at <= workers; at++) processes.push(await start(`worker-${at}`, 'worker'));
    processes.push(await start('ingress', 'ingress'));
    const web = await start('console', 'console');
    processes.push(web);
    const consoleUrl = /console {4}(http\S+)/.exec(web.log())?.[1];
    const adminLink = /first admin: open (\S+) within/.exec(web.log())?.[1];
    if (consoleUrl === undefined || adminLink === undefined)
      throw new Error(`the console named no address:\n${web.log()}`);
    return { processes, consoleUrl, adminLink, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
