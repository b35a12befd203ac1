// A few members of a plan with their variables. These are personal, so they come directly from the ledger or through
// the operator socket, and never through Temporal.
import { resolve } from 'node:path';
import type { SampledMember } from '../../contracts/wire/campaign-people.ts';
import { sampleMembers } from '../../ledger/campaigns/campaign-plan-facts.ts';
import { maskPhone } from '../../observability/masking.ts';
import { openLedger } from '../../runtime/ledger-database.ts';
import { readFolderLock } from '../../runtime/lock/folder-lock.ts';
import { connectCampaignSocket } from '../../runtime/operator/campaign-socket.ts';
import { SocketError } from '../../runtime/operator/operator-socket-client.ts';
import type { Shutdown } from '../../runtime/shutdown.ts';
import { say } from '../lib/lifetime.ts';
import type { OpenStack, SessionOptions } from '../lib/session.ts';

export interface SamplePlace {
  /** The Sluice of this command; null: another one has the ledger. */
  readonly stack: Pick<OpenStack, 'db'> | null;
  readonly options: SessionOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly shutdown: Shutdown;
}

/**
 * Numbers are masked; variables are those of the flow. If the members are unavailable, it says why and returns none:
 * the plan does not depend on them.
 */
export async function sampleOf(place: SamplePlace, run: string, limit: number): Promise<SampledMember[]> {
  const sample = await readSample(place, run, limit);
  return sample.map(({ number, ...rest }) => ({
    ...rest,
    number: number === null ? null : maskPhone(number),
  }));
}

async function readSample(place: SamplePlace, run: string, limit: number): Promise<SampledMember[]> {
  const { stack, env, shutdown } = place;
  if (stack !== null) return await sampleMembers(stack.db, run, limit);
  if (env.DATABASE_URL) {
    const db = await openLedger({ url: env.DATABASE_URL, stateDir: '', onError: () => undefined });
    shutdown.add('ledger', () => db.close());
    return await sampleMembers(db, run, limit);
  }
  const path = await socketOf(place);
  if (path === null) {
    say('no sample is shown: the ledger is out of reach; set DATABASE_URL');
    return [];
  }
  const socket = connectCampaignSocket(path);
  shutdown.add('socket', () => socket.close());
  return await socket.sample({ run, limit }).catch((error: unknown) => {
    if (!(error instanceof SocketError)) throw error;
    say(`no sample is shown: ${error.message}`);
    return [];
  });
}

/** The socket of the state folder's owner; null: there is none, or it uses another Temporal server. */
async function socketOf({ options, env }: SamplePlace): Promise<string | null> {
  const holder = await readFolderLock(resolve(options.state));
  const other = env.TEMPORAL_ADDRESS !== undefined && holder?.temporal !== env.TEMPORAL_ADDRESS;
  return typeof holder?.socket === 'string' && !other ? holder.socket : null;
}

export function describeSample(sample: readonly SampledMember[]): string[] {
  if (sample.length === 0) return [];
  return [
    '  variables of the first members (personal data):',
    ...sample.map(({ number, variables }) => {
      const values = Object.entries(variables).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      return `    ${number ?? 'no number'}: ${values.length === 0 ? 'none' : values.join(' ')}`;
    }),
  ];
}
