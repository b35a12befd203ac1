// The suites that need only a PostgreSQL: `npm run test:postgres` runs them on every supported major version.
import { configDefaults, defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    include: [
      'test/e2e/postgres/**/*.test.ts',
      'test/unit/core/sql/**/*.test.ts',
      'test/unit/jobs/*/store/**/*.test.ts',
      'test/unit/service/budget/**/*.test.ts',
    ],
    exclude: [
      ...configDefaults.exclude,
      'test/e2e/postgres/tls.long.test.ts',
      // These open PGlite.
      'test/unit/core/sql/pglite.test.ts',
      'test/unit/core/sql/embedded/**',
    ],
    globalSetup: ['test/support/postgres/postgres-of-run.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
