// Four kinds of tests. `unit` has those that need no Temporal server. `workflows` has the others, which share one server for
// the whole run. `system` has each promise of README once, with the built program. `long` has what kills or restarts
// processes again and again (*.long.test.ts), and properties with all their cases; `npm run test:long` runs it. Modules hold
// no mutable state besides threads that wait for work, so files of one kind share them: loading them for each file took a
// third of the time. Each kind has processes of its own, which load everything once more.
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { LONG_VARIABLE } from './test/support/runner/property-runs.ts';
import Skipped from './test/support/runner/skipped.ts';
import { SlowFirst } from './test/support/runner/slow-first.ts';

if (!process.features.typescript)
  throw new Error(
    `the tests need Node 22.18 or later, and this is ${process.version}; run: PATH="$(node scripts/node.mjs 24):$PATH" npm test`,
  );

// Threads and commands that the tests start load their modules from this cache: each takes half of the computing.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compile');

const LONG = '**/*.long.test.ts';
/** Files of properties that draw more cases in `long`. */
const PROPERTIES = [
  'test/unit/service/api-client/history-pages.test.ts',
  'test/unit/connectors/sources/paging.test.ts',
  'test/unit/connectors/sources/encodings.test.ts',
  'test/unit/connectors/sources/csv-plain.test.ts',
  'test/unit/observe/redaction.test.ts',
  'test/unit/mapping/phone/example-numbers.test.ts',
  'test/unit/mapping/phone/ninth-digit.test.ts',
  'test/unit/mapping/mapping.test.ts',
  'test/unit/mapping/actions.test.ts',
  'test/unit/jobs/campaigns/rules/calendar-property.test.ts',
  'test/unit/jobs/campaigns/rules/forecast.test.ts',
  'test/unit/jobs/events/ingress/route/json.test.ts',
  'test/workflows/campaign/campaign-time.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    // Tests of whole syncs wait more than they compute.
    maxWorkers: 5,
    isolate: false,
    sequence: { sequencer: SlowFirst },
    // Node itself runs the TypeScript: files load in a third of the time, without a second copy of each.
    experimental: { viteModuleRunner: false },
    reporters: ['default', new Skipped()],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/{unit,contract}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, LONG],
          globalSetup: ['test/support/postgres/postgres-of-run.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'workflows',
          include: ['test/{workflows,replay,e2e}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, LONG],
          globalSetup: ['test/support/postgres/postgres-of-run.ts', 'test/support/runner/global-setup.ts'],
          setupFiles: ['test/support/temporal/quiet-sdk.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: ['test/system/**/*.test.ts'],
          globalSetup: ['test/support/runner/browser-of-run.ts', 'test/support/runner/global-setup.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'image',
          include: ['test/image/**/*.test.ts'],
          globalSetup: ['test/support/postgres/postgres-of-run.ts', 'test/support/runner/global-setup.ts'],
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: [`test/${LONG}`, ...PROPERTIES],
          env: { [LONG_VARIABLE]: '1' },
          globalSetup: [
            'test/support/runner/browser-of-run.ts',
            'test/support/postgres/postgres-of-run.ts',
            'test/support/runner/global-setup.ts',
          ],
          setupFiles: ['test/support/temporal/quiet-sdk.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
