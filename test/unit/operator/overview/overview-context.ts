// The endpoints of the overview as the dispatcher calls them.
import type { Database } from '../../../../src/core/sql/database.ts';
import { OVERVIEW } from '../../../../src/operator/contract/overview.ts';
import type { Caller } from '../../../../src/operator/service/caller.ts';
import { overviewHandlers } from '../../../../src/operator/service/overview/index.ts';
import type { OverviewProbes } from '../../../../src/operator/service/overview/probes.ts';
import { depsOf, WELL } from './rows.ts';

export const ANA: Caller = { identity: 'user:ana', name: 'Ana', role: 'operator', via: 'session' };

/** A process that knows nothing of Temporal and Kafka. */
export const QUIET: OverviewProbes = { ...WELL, temporal: async () => null };

type Tables = typeof OVERVIEW;
type Shown = { readonly [R in keyof Tables]: ReturnType<Tables[R]['output']['parse']> };

/**
 * Calls an endpoint with parsed input, and returns what the contract lets through.
 * @param warned gets what is logged as a warning
 */
export async function askOverview<R extends keyof Tables>(
  {
    db,
    warned,
    probes,
    caller = ANA,
  }: {
    readonly db: Database;
    readonly warned: object[];
    readonly probes?: OverviewProbes | undefined;
    readonly caller?: Caller | undefined;
  },
  route: R,
  input: object = {},
): Promise<Shown[R]> {
  const handler = overviewHandlers(depsOf(db, warned), probes)[route] as (
    input: unknown,
    caller: Caller,
  ) => unknown;
  return OVERVIEW[route].output.parse(await handler(OVERVIEW[route].input.parse(input), caller)) as Shown[R];
}
