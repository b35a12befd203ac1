// The workflow code as tests run it: bundled once, from the sources as they are.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buildWorkflowBundle } from '../../workers/bundle.ts';
import { buildOnce } from './build.ts';

const root = resolve(import.meta.dirname, '../..');

export async function workflowBundle(): Promise<{ workflowBundle: { code: string } }> {
  const dist = await buildOnce();
  const target = join(dist, 'workflow-bundle.js');
  await buildWorkflowBundle(join(root, 'dist/workflows'), target);
  return { workflowBundle: { code: await readFile(target, 'utf8') } };
}
