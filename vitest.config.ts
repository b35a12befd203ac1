// Three kinds of tests. `unit` has those that need no Temporal server. `workflows` has the others, which share one server for
// the whole run. `long` (files named *.long.test.ts) has what kills or restarts processes again and again; `npm run test:long`
// runs it. Modules hold no mutable state, so files of one kind share them: loading them anew for each file took a third of the
// time. Each further kind has processes of its own, which load everything once more: 3 s of computing for each of them.
import { configDefaults, defineConfig } from 'vitest/config';
import { SlowFirst } from './test/support/slow-first.ts';

const LONG = '**/*.long.test.ts';

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests of whole syncs wait more than they compute.
    maxWorkers: 4,
    isolate: false,
    // Servers, brokers and databases are real and share the machine: in CI a test that fails is run once more, and the
    // report says so.
    retry: process.env.CI ? 1 : 0,
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,contract}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, LONG],
          globalSetup: ['test/support/postgres-of-run.ts'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'workflows',
          include: ['test/{workflows,replay,e2e}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, LONG],
          globalSetup: ['test/support/postgres-of-run.ts', 'test/support/global-setup.ts'],
          setupFiles: ['test/support/quiet-sdk.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [`test/${LONG}`],
          globalSetup: ['test/support/postgres-of-run.ts', 'test/support/global-setup.ts'],
          setupFiles: ['test/support/quiet-sdk.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
