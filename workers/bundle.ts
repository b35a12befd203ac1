// Bundles the workflow code once, at build time. A worker then starts in a second and runs the tested code.
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { FAILURE_CONVERTER_PATH } from '../src/protect/codec/converter-path.ts';

/** Paths of the bundles, beside the compiled `workers/`. */
export const BUNDLE_PATH = join(import.meta.dirname, '..', 'workflow-bundle.js');
/** For encrypted histories: it puts the texts of failures into payloads. */
export const ENCRYPTED_BUNDLE_PATH = join(import.meta.dirname, '..', 'workflow-bundle-encrypted.js');

async function buildWorkflowBundle(
  workflowsDir: string,
  target: string,
  failureConverterPath?: string,
): Promise<void> {
  // The SDK would bundle without a converter that it does not find, and failures would not be encrypted.
  if (failureConverterPath !== undefined) await access(failureConverterPath);
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(workflowsDir, 'index.js'),
    failureConverterPath,
    logger: new DefaultLogger('WARN', ({ message }) =>
      process.stderr.write(`${message}
`),
    ),
  });
  await writeFile(target, code);
}

if (process.argv[1] === import.meta.filename) {
  const dist = join(import.meta.dirname, '..');
  const workflowsDir = join(dist, 'workflows');
  await buildWorkflowBundle(workflowsDir, BUNDLE_PATH);
  await buildWorkflowBundle(workflowsDir, ENCRYPTED_BUNDLE_PATH, FAILURE_CONVERTER_PATH);
}
