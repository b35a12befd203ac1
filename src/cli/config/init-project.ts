// What `sluice init` writes around a configuration, so that the folder is a project: dependencies, an image, and checks
// of each change.
import { basename, resolve } from 'node:path';
import { INIT_TOKEN, LEADS_CSV } from './init-files.ts';

const DOCKERFILE = `# Sluice with the configuration of this folder, and nothing else of it: docker build -t my-sluice .
# package.json names the package of Sluice, which stands in vendor/ until it is in the npm registry.
FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
COPY vendor vendor
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force && install -d -o node -g node /var/lib/sluice
# The files are for their owner alone: the user below reads them.
COPY --chown=node:node *.yaml ./
USER node
# On SIGTERM the worker takes no new work and lets calls under way end, for at most 40 s.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "node_modules/sluice/dist/src/cli/main.js"]
# A worker needs TEMPORAL_ADDRESS, DATABASE_URL and the secrets of sluice.yaml. Run it with --init.
CMD ["worker", "--state", "/var/lib/sluice"]
`;

const DOCKER_IGNORE = `# The image gets only what the Dockerfile copies, and the builder nothing personal.
*
!package.json
!package-lock.json
!vendor
!*.yaml
`;

const CI_HEAD = `# Checks each change of the configuration. Works in GitHub Actions and Forgejo; other systems run the same commands.
name: sluice
on: [push, pull_request]
jobs:
  check:
    runs-on: ubuntu-24.04
    permissions: { contents: read }
    env:
      # A token of the sandbox. Checks and plans need no real one.
      ACME_TOKEN: ${INIT_TOKEN}
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with: { node-version: 24 }
      - run: npm ci --ignore-scripts
      - run: npx sluice config check
`;

const CI_PLAN = `      # What the sync would do with the made-up rows of ci/leads.csv, against the sandbox. A plan writes nothing.
      - run: |
          mkdir -p data
          cp ci/leads.csv data/leads.csv
          npx sluice sandbox --port 4010 --fixture sandbox.yaml &
          timeout 60 sh -c 'until curl -s -o /dev/null http://127.0.0.1:4010/panel/faults; do sleep 1; done'
          npx sluice sync plan leads
`;

const CI_NO_PLAN = `      # For a plan in CI, put made-up rows into ci/, copy them to the path of the source, start
      # \`npx sluice sandbox --port 4010 --fixture sandbox.yaml &\`, and run \`npx sluice sync plan leads\`.
`;

/**
 * The files of a project in `dir`.
 * @param hasSample the configuration is the sample, whose rows CI may have
 */
export function projectFiles(dir: string, { hasSample }: { hasSample: boolean }): Record<string, string> {
  return {
    'package.json': `${JSON.stringify(packageJson(dir), null, 2)}\n`,
    Dockerfile: DOCKERFILE,
    '.dockerignore': DOCKER_IGNORE,
    '.github/workflows/sluice.yml': CI_HEAD + (hasSample ? CI_PLAN : CI_NO_PLAN),
    ...(hasSample ? { 'ci/leads.csv': LEADS_CSV } : {}),
  };
}

function packageJson(dir: string) {
  const name = basename(resolve(dir))
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return {
    // npm would take the folder for Sluice itself.
    name: name === '' || name === 'sluice' ? 'my-sluice' : name,
    private: true,
    type: 'module',
    scripts: { check: 'sluice config check', plan: 'sluice sync plan leads' },
    engines: { node: '^22.18.0 || >=24.0.0' },
  };
}
