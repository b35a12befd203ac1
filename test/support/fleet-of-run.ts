// A fleet on the run's Temporal server and a database of its own.
import { inject } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes.ts';
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts';
import { startPostgres } from './postgres/postgres.ts';
import { connectTestTemporal } from './temporal/temporal.ts';

/** `stop` also ends the servers. */
export async function startFleetOfRun(options: FleetOptions): Promise<Fleet> {
  const temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
  const postgres = await startPostgres();
  const stopServers = async () => {
    await postgres.stop();
    await temporal.close();
  };
  const servers = {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_NAMESPACE: temporal.namespace,
    DATABASE_URL: postgres.url,
  };
  try {
    const fleet = await startFleet({ ...options, env: { ...servers, ...options.env } });
    return {
      ...fleet,
      async stop() {
        await fleet.stop();
        await stopServers();
      },
    };
  } catch (error) {
    await stopServers();
    throw error;
  }
}
