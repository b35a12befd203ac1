// How a command's message gets into the ledger: through the socket of the process that owns it, directly into
// PostgreSQL, or with a Sluice that this command runs.
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { openLedger } from '../../runtime/ledger-database.ts';
import { FolderLockedError, type LockInfo, readFolderLock } from '../../runtime/lock/folder-lock.ts';
import { type OperatorIntake, openOperatorIntake } from '../../runtime/operator/operator-intake.ts';
import { connectSocket } from '../../runtime/operator/operator-socket-client.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { openClient } from '../../runtime/temporal/temporal-client.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { say } from '../lib/lifetime.ts';
import { connectClient, openConfig, openStack, type SessionOptions } from '../lib/session.ts';

/** Wait for an owner of the folder that starts or runs a short command, in seconds. */
const WAIT_SECONDS = 60;
/** Deadline of a statement of a remote ledger, in milliseconds. */
const LEDGER_MS = 10_000;

export interface Way {
  readonly intake: OperatorIntake;
  /** Client of the Temporal server whose workers send the message; connects on first use. */
  client(): Promise<Client>;
  /** Sluice runs in this command: it works on the message until the command ends. */
  readonly here: boolean;
  /** Rejects when the Sluice of this command fails; otherwise never settles. */
  readonly failed: Promise<never>;
}

const NEVER = new Promise<never>(() => undefined);

export interface WayOptions extends SessionOptions {
  /** False: the command ends before the message is sent, so a Sluice in this command would not send it. */
  readonly wait: boolean;
}

/**
 * @throws CliError (unavailable) when the ledger is out of reach or no process would send, (conflict) when the owner
 *   of the
 * folder has no socket; as `openStack` does
 */
export async function openWay(options: WayOptions, env: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<Way> {
  const way =
    env.TEMPORAL_ADDRESS && env.DATABASE_URL
      ? await straight(options, env, shutdown)
      : await throughHolder(options, env, shutdown);
  shutdown.add('messages', () => way.intake.close());
  return way;
}

async function straight(options: SessionOptions, env: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<Way> {
  const config = await openConfig(options.config, env);
  const client = await connectClient(options.state, env, shutdown);
  const db = await openLedger({
    url: env.DATABASE_URL,
    stateDir: '',
    answerMs: LEDGER_MS,
    onError: () => undefined,
  });
  shutdown.add('ledger', () => db.close());
  const intake = openOperatorIntake({ config, db, client });
  return { intake, client: async () => client, here: false, failed: NEVER };
}

async function throughHolder(options: WayOptions, env: NodeJS.ProcessEnv, shutdown: Shutdown): Promise<Way> {
  for (let second = 0; ; second++) {
    const holder = await readFolderLock(resolve(options.state));
    if (typeof holder?.socket === 'string') return throughSocket(holder, holder.socket, env, shutdown);
    if (env.TEMPORAL_ADDRESS) {
      // A worker on that server with another ledger would take this work without knowing the message.
      throw new CliError(
        EXIT.unavailable,
        `TEMPORAL_ADDRESS is set, and the ledger that belongs to it is out of reach: set DATABASE_URL too, or name with --state the folder of the \`sluice dev\` that has it`,
      );
    }
    const way = holder === null ? await hereUnlessLocked(options, env, shutdown) : null;
    if (way !== null) return way;
    if (holder?.socket === null || second >= WAIT_SECONDS) throw noSocket(options.state, holder);
    if (second === 0) say(`${nameOf(holder)} has locked ${options.state}; waiting for it`);
    await delay(1000, undefined, { signal: shutdown.signal });
  }
}

/** @returns null when another process has just locked the folder */
async function hereUnlessLocked(
  options: WayOptions,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<Way | null> {
  if (!options.wait) {
    throw new CliError(
      EXIT.unavailable,
      `no Sluice runs on ${options.state} that would send it: leave --no-wait out, or start \`sluice dev\``,
    );
  }
  try {
    const stack = await openStack('sluice message', options, env, shutdown);
    const intake = openOperatorIntake(stack);
    return { intake, client: async () => stack.client, here: true, failed: stack.failed };
  } catch (error) {
    if (!(error instanceof FolderLockedError)) throw error;
    return null;
  }
}

function throughSocket(holder: LockInfo, socket: string, env: NodeJS.ProcessEnv, shutdown: Shutdown): Way {
  const { temporal, namespace } = holder;
  const address = typeof temporal === 'string' ? temporal : '';
  if (env.TEMPORAL_ADDRESS && env.TEMPORAL_ADDRESS !== address) {
    throw new CliError(
      EXIT.usage,
      `TEMPORAL_ADDRESS is ${env.TEMPORAL_ADDRESS}, and ${nameOf(holder)} uses ${address}: unset it, or also set DATABASE_URL for its ledger`,
    );
  }
  let connected: Promise<Client> | null = null;
  return {
    intake: connectSocket(socket),
    client: () => {
      connected ??= openClient(
        { address, namespace: typeof namespace === 'string' ? namespace : 'default' },
        shutdown,
      );
      return connected;
    },
    here: false,
    failed: NEVER,
  };
}

function nameOf(holder: LockInfo | null): string {
  return holder === null ? 'another process' : `process ${holder.pid} (${holder.command})`;
}

function noSocket(state: string, holder: LockInfo | null): CliError {
  return new CliError(
    EXIT.conflict,
    `${nameOf(holder)} has locked ${state} and has no socket for messages; end it first, or run \`sluice dev\` on the folder instead`,
  );
}
