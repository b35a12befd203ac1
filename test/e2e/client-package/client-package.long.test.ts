// `sluice/client` out of the packed archive, in a project that has undici and zod and nothing else: every
// example of the guide compiles there against the types, runs against the sandbox and prints what it says.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aChatAccount, openContext } from '../../contract/client/context.ts';
import { buildOnce } from '../../support/runner/build.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const GUIDE = await readFile(join(ROOT, 'docs/reference/client.md'), 'utf8');
const run = promisify(execFile);

/** Each ```ts block with the ```text block that follows it. */
const EXAMPLES = [
  ...GUIDE.matchAll(/^## ([^\n]+)\n[^]*?^```ts\n([^]*?)^```\n(?:\s*```text\n([^]*?)^```)?/gm),
].map(([, title = '', code = '', prints]) => ({ title, code, prints }));

const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    module: 'NodeNext',
    strict: true,
    // The package's own declarations are held to account, and those that they lean on.
    skipLibCheck: false,
    types: ['node'],
    outDir: 'out',
  },
  include: ['*.ts'],
};

let project: string;

beforeAll(async () => {
  await buildOnce();
  project = await mkdtemp(join(tmpdir(), 'sluice-package-'));
  const packed = join(project, 'node_modules/sluice');
  await mkdir(packed, { recursive: true });
  await mkdir(join(project, 'node_modules/@types'));
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', project], { cwd: ROOT });
  const archive = (await readdir(project)).find((name) => name.endsWith('.tgz')) ?? '';
  await run('tar', ['-xzf', join(project, archive), '-C', packed, '--strip-components=1']);
  for (const name of ['undici', 'zod', 'undici-types', '@types/node']) {
    await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  for (const [index, { code }] of EXAMPLES.entries()) {
    await writeFile(join(project, `example-${index}.ts`), code);
  }
});
afterAll(() => rm(project, { recursive: true, force: true }));

it('the guide has an example in every section that shows one, with what it prints', () => {
  expect(EXAMPLES).toHaveLength(GUIDE.split('```ts\n').length - 1);
  expect(EXAMPLES.length).toBeGreaterThan(4);
  for (const { prints } of EXAMPLES) expect(prints).toBeDefined();
});

it('all examples compile against the packed types', async () => {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const outcome = await run(process.execPath, [tsc, '-p', project]).catch((error: unknown) => error);
  expect((outcome as { stdout: string }).stdout).toBe('');
});

/** Runs an example in the project, against a sandbox of its own; `flags` go to Node. */
async function runExample(index: number, flags: string[] = []): Promise<{ stdout: string; stderr: string }> {
  const context = await openContext(aChatAccount());
  try {
    const env = { PATH: process.env.PATH, SLUICE_URL: context.sandbox.baseUrl, SLUICE_TOKEN: 'svc_test_all' };
    const file = join(project, `out/example-${index}.js`);
    return await run(process.execPath, [...flags, file], { cwd: project, env });
  } finally {
    await context.close();
  }
}

it.each(EXAMPLES.map(({ title, prints }, index) => [title, index, prints] as const))(
  'the example of "%s" runs and prints what the guide says',
  async (_title, index, prints) => {
    expect((await runExample(index)).stdout).toBe(prints);
  },
);

it('importing it loads undici, zod and its own folders, nothing else', async () => {
  const hooks = `
    import { writeSync } from 'node:fs';
    export async function resolve(specifier, context, next) {
      const found = await next(specifier, context);
      writeSync(2, 'loaded ' + found.url + '\\n');
      return found;
    }`;
  const data = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(data(hooks))});`;
  const { stderr } = await runExample(0, ['--import', data(register)]);
  const loaded = [...stderr.matchAll(/^loaded (.+)$/gm)].map(([, url = '']) => url);
  const roots = [
    'node_modules/sluice/dist/src/service/api-client/',
    'node_modules/sluice/dist/src/core/',
    'out/',
  ];
  const own = roots.map((path) => pathToFileURL(join(project, path)).href);
  const libraries = ['undici/', 'zod/'].map((name) => pathToFileURL(join(ROOT, 'node_modules', name)).href);
  const allowed = [...own, ...libraries, 'node:', 'data:'];
  expect(loaded.filter((url) => url.includes('/api-client/')).length).toBeGreaterThan(10);
  expect(loaded.filter((url) => !allowed.some((start) => url.startsWith(start)))).toEqual([]);
});
