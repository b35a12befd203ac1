// Four kinds of tests. Only `workflows` and `e2e` pay for a Temporal server: one for the whole run. Modules hold no mutable
// state, so files of one kind share them: loading them anew for each file took a third of the time.
import { defineConfig } from 'vitest/config';

const withTemporal = {
  globalSetup: ['test/support/global-setup.ts'],
  setupFiles: ['test/support/quiet-sdk.ts'],
  testTimeout: 60_000,
  hookTimeout: 60_000,
};

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests of whole syncs wait more than they compute.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          isolate: false,
          testTimeout: 15_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          isolate: false,
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'workflows',
          include: ['test/workflows/**/*.test.ts', 'test/replay/**/*.test.ts'],
          isolate: false,
          ...withTemporal,
        },
      },
      {
        extends: true,
        test: { name: 'e2e', include: ['test/e2e/**/*.test.ts'], isolate: false, ...withTemporal },
      },
    ],
  },
});
