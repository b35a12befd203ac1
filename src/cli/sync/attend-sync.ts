// What `sync run` and `sync retry` share: opening a session, and watching the run to its end and its report.
import type { Client } from '@temporalio/client';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { EXIT } from '../lib/exit.ts';
import { say } from '../lib/lifetime.ts';
import { createProgress } from '../lib/progress.ts';
import {
  connectClient,
  type OpenStack,
  openConfig,
  openOrJoin,
  type SessionOptions,
  sameSession,
} from '../lib/session.ts';
import {
  describeReport,
  exitCodeOf,
  followSync,
  isAttended,
  type SyncHandle,
  warnWithoutWorker,
} from './run-sync.ts';

/**
 * Opens what a run of the sync needs: a stack here, or a client of the Sluice that runs on the state folder.
 * @returns `stack` is null when another Sluice does the work
 */
export async function openForSync(
  verb: 'run' | 'retry',
  name: string,
  options: SessionOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<{ stack: OpenStack | null; account: string; client: Client }> {
  const stack = await openOrJoin(`sluice sync ${verb} ${name}`, options, env, shutdown);
  const config = stack?.config ?? (await openConfig(options.config, env));
  const { account } = config.spec(name);
  const client = stack?.client ?? (await connectClient(options.state, env, shutdown));
  if (stack === null) await warnWithoutWorker(client);
  return { stack, account, client };
}

export interface Attended {
  readonly client: Client;
  readonly handle: SyncHandle;
  readonly sync: string;
  /** Label of the progress. */
  readonly label: string;
  /** Set when this command is the service: its failure stops the watching. */
  readonly stack: OpenStack | null;
  readonly shutdown: Shutdown;
  readonly options: SessionOptions & { readonly json: boolean };
}

/** @returns the exit code; `ok` also when the user stops watching, because the run continues */
export async function attendSync(attended: Attended): Promise<number> {
  const { client, handle, sync, label, stack, shutdown, options } = attended;
  const followed = followSync({
    client,
    handle,
    sync,
    signal: shutdown.signal,
    attended: isAttended(options.json),
    progress: createProgress(process.stderr, { label, unit: 'record' }),
  });
  const report = await (stack === null ? followed : Promise.race([followed, stack.failed]));
  if (report === null) {
    say(`stopped watching; the run goes on with the next \`sluice sync run ${sync}\``);
    return EXIT.ok;
  }
  const lines = options.json
    ? [JSON.stringify(report)]
    : describeReport(report, sameSession(`sync rows ${sync}`, options));
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitCodeOf(report);
}
