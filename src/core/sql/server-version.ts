// The versions of PostgreSQL that the ledger works on. `npm run test:postgres` runs its suites on each of them.
import type { Database } from './database.ts';

/** Oldest supported major version. The PostgreSQL project ended version 14 in November 2026. */
export const OLDEST_POSTGRES = 15;

/** Thrown when the server of DATABASE_URL is older than Sluice supports. */
export class PostgresTooOldError extends Error {
  override readonly name = 'PostgresTooOldError';
  /** As the server states it, for example `14.23`. */
  readonly version: string;
  constructor(version: string) {
    super(
      `DATABASE_URL is PostgreSQL ${version}, and the ledger needs ${OLDEST_POSTGRES} or later: upgrade the server, or set DATABASE_URL to a newer one`,
    );
    this.version = version;
  }
}

/**
 * @param version `server_version` of a server, for example `15.18` or `16.14 (Debian 16.14-1)`
 * @throws PostgresTooOldError
 */
export function checkPostgresVersion(version: string): void {
  if (Number.parseInt(version, 10) < OLDEST_POSTGRES) throw new PostgresTooOldError(version);
}

/**
 * Checks the server before anything of it is used. The embedded ledger brings its own version.
 * @throws PostgresTooOldError
 */
export async function checkServer(db: Database): Promise<void> {
  if (db.kind !== 'postgres') return;
  const [row] = await db.query<{ version: string }>("select current_setting('server_version') as version");
  checkPostgresVersion(row?.version ?? '');
}
