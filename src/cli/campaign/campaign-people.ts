// Members of campaigns for a command: from PostgreSQL, through the socket of the process that owns the state folder, or
// from an embedded ledger that no process has open.
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CampaignPeople,
  type ListedMember,
  MAX_SAMPLE,
  type MemberFilter,
  type RunQuery,
  type SampledMember,
} from '../../contracts/wire/campaign-people.ts';
import type { CampaignReport } from '../../contracts/wire/campaign-report.ts';
import { NotAcceptedError } from '../../ingress/intake.ts';
import { peopleOf } from '../../ledger/campaigns/campaign-roll.ts';
import { openLedger } from '../../runtime/ledger-database.ts';
import { type LockInfo, readFolderLock } from '../../runtime/lock/folder-lock.ts';
import { connectCampaignSocket } from '../../runtime/operator/campaign-socket.ts';
import { SocketError } from '../../runtime/operator/operator-socket-client.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { CliError, EXIT } from '../lib/exit.ts';
import { openLedgerAlone } from '../lib/ledger-alone.ts';
import { say } from '../lib/lifetime.ts';
import type { SessionOptions } from '../lib/session.ts';

/** Wait for an owner of the folder that is starting, in seconds. */
const WAIT_SECONDS = 30;
/** Deadline of a statement of a remote ledger, in milliseconds. */
const LEDGER_MS = 60_000;
/** Members per answer: about 1 MB. */
const PAGE = 2000;

export interface OpenPeople {
  /** Some members that would be triggered, with their variables. */
  sample(run: string, count: number): Promise<SampledMember[]>;
  /** All members of the run that match the filter, by id. */
  members(run: string, filter?: MemberFilter): AsyncIterable<ListedMember>;
  /** A run by its id, or the newest of a campaign; null when there is none. */
  find(query: RunQuery): Promise<CampaignReport | null>;
}

/**
 * `shutdown` closes it. Its calls throw CliError (unavailable) when the ledger or its owner goes away.
 * @throws CliError (notFound) without a ledger, (unavailable) when it is out of reach, (conflict) when its owner has no
 * socket
 */
export async function openCampaignPeople(
  options: Pick<SessionOptions, 'state'>,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<OpenPeople> {
  const people = await findPeople(options.state, env, shutdown);
  return {
    sample: (run, count) => throughSocket(people.sample({ run, limit: Math.min(count, MAX_SAMPLE) })),
    find: (query) => throughSocket(people.find(query)),
    async *members(run, filter = {}) {
      for (let after = 0; ; ) {
        const page = await throughSocket(people.members({ ...filter, run, after, limit: PAGE }));
        yield* page;
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return;
        after = last.member;
      }
    },
  };
}

async function findPeople(
  state: string,
  env: NodeJS.ProcessEnv,
  shutdown: Shutdown,
): Promise<CampaignPeople> {
  if (env.DATABASE_URL) {
    const db = await openLedger({
      url: env.DATABASE_URL,
      stateDir: '',
      answerMs: LEDGER_MS,
      onError: () => undefined,
    });
    shutdown.add('ledger', () => db.close());
    return peopleOf(db);
  }
  const folder = resolve(state);
  for (let second = 0; ; second++) {
    const holder = await readFolderLock(folder);
    if (typeof holder?.socket === 'string') {
      const socket = connectCampaignSocket(holder.socket);
      shutdown.add("operators' socket", () => socket.close());
      return socket;
    }
    if (holder === null) break;
    if (holder.socket === null || second >= WAIT_SECONDS) throw noSocket(state, holder);
    if (second === 0) say(`process ${holder.pid} (${holder.command}) has locked ${state}; waiting for it`);
    await delay(1000, undefined, { signal: shutdown.signal });
  }
  return peopleOf(await openLedgerAlone('sluice campaign export', state, env, shutdown));
}

function noSocket(state: string, { pid, command }: LockInfo): CliError {
  return new CliError(
    EXIT.conflict,
    `process ${pid} (${command}) has locked ${state} and has no socket to its ledger; end it first, or run \`sluice dev\` on the folder instead`,
  );
}

/** A reader can always repeat the command, so all connection errors mean the same here. */
async function throughSocket<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof NotAcceptedError)
      throw new CliError(EXIT.unavailable, error.message, { cause: error });
    if (!(error instanceof SocketError)) throw error;
    const code =
      error.why === 'unknown' ? EXIT.notFound : error.why === 'failed' ? EXIT.error : EXIT.unavailable;
    throw new CliError(code, error.message, { cause: error });
  }
}
