// A few members of a plan with the variables that they would get. These are personal, so they come straight from the ledger
// or through the operators' door, and never through Temporal.
import { type SampleMember, sampleMembers } from '../ledger/campaign-plan-facts.ts';
import { maskPhone } from '../observability/masking.ts';
import { openLedger } from '../runtime/ledger-database.ts';
import type { Shutdown } from '../runtime/shutdown.ts';
import { say } from './lifetime.ts';
import type { OpenStack, SessionOptions } from './session.ts';

export interface SamplePlace {
  /** The Sluice of this command; null: another one has the ledger. */
  readonly stack: Pick<OpenStack, 'db'> | null;
  readonly options: SessionOptions;
  readonly env: NodeJS.ProcessEnv;
  readonly shutdown: Shutdown;
}

/** Of members that are not to be had it says why, and answers none. */
export async function sampleOf(place: SamplePlace, run: string, limit: number): Promise<SampleMember[]> {
  const { stack, env, shutdown } = place;
  if (stack !== null) return await sampleMembers(stack.db, run, limit);
  if (env.DATABASE_URL) {
    const db = await openLedger({ url: env.DATABASE_URL, stateDir: '', onError: () => undefined });
    shutdown.add('ledger', () => db.close());
    return await sampleMembers(db, run, limit);
  }
  say('no sample is shown: the ledger is open in another process');
  return [];
}

/** Numbers are masked; variables are shown as the flow would get them. */
export function describeSample(sample: readonly SampleMember[]): string[] {
  if (sample.length === 0) return [];
  return [
    '  variables of the first members (personal data):',
    ...sample.map(({ number, variables }) => {
      const who = number === null ? 'no number' : maskPhone(number);
      const values = Object.entries(variables).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      return `    ${who}: ${values.length === 0 ? 'none' : values.join(' ')}`;
    }),
  ];
}
