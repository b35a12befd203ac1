// Bundles the workflow code once, at build time. A worker then starts in a second and runs the tested code.
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

/** Paths of the bundles, beside the compiled `workers/`. */
export const BUNDLE_PATH = join(import.meta.dirname, '..', 'workflow-bundle.js');
/** For encrypted histories: it puts the texts of failures into payloads. */
export const ENCRYPTED_BUNDLE_PATH = join(import.meta.dirname, '..', 'workflow-bundle-encrypted.js');

/** Makes a bundle unless the existing one has the same sources and SDK. */
export async function buildWorkflowBundle(
  workflowsDir: string,
  target: string,
  failureConverterPath?: string,
): Promise<'built' | 'current'> {
  const stamp = `// sources ${await digest(workflowsDir, failureConverterPath)}\n`;
  const existing = await readFile(target, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (existing.startsWith(stamp)) return 'current';
  const entry = (await readdir(workflowsDir)).find((name) => /^index\.(js|ts)$/.test(name));
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(workflowsDir, entry as string),
    failureConverterPath,
    logger: new DefaultLogger('WARN', ({ message }) =>
      process.stderr.write(`${message}
`),
    ),
  });
  await writeFile(target, stamp + code);
  return 'built';
}

async function digest(dir: string, failureConverterPath?: string): Promise<string> {
  const hash = createHash('sha256');
  hash.update(createRequire(import.meta.url)('@temporalio/worker/package.json').version);
  for (const name of (await readdir(dir)).sort()) {
    if (/\.(js|ts)$/.test(name)) hash.update(name).update(await readFile(join(dir, name)));
  }
  if (failureConverterPath !== undefined) hash.update(await readFile(failureConverterPath));
  return hash.digest('hex');
}

if (process.argv[1] === import.meta.filename) {
  const dist = join(import.meta.dirname, '..');
  const workflowsDir = join(dist, 'workflows');
  await buildWorkflowBundle(workflowsDir, BUNDLE_PATH);
  await buildWorkflowBundle(
    workflowsDir,
    ENCRYPTED_BUNDLE_PATH,
    join(dist, 'src', 'codec', 'failure-converter.js'),
  );
}
