// The workflow code as tests run it: bundled once a test run, from the sources as they are.
import { inject } from 'vitest';
// Brings the type of what the setup provides.
import type {} from '../runner/global-setup.ts';

export function workflowBundle(): { workflowBundle: { codePath: string } } {
  return { workflowBundle: { codePath: inject('workflowBundlePath') } };
}
