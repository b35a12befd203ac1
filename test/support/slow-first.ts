// The order of test files. Tests with a Temporal server come first and the slowest of them before all others: they mostly
// wait, and at the end nothing would be left to do meanwhile. Files without one follow; each of them takes little time.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take 20 s and more by themselves. Those that start many processes alternate with those that only wait. */
const SLOW = [
  'e2e/campaign/kill',
  'workflows/crm-sync-control',
  'e2e/demo/demo',
  'workflows/campaign-time',
  'e2e/cli/sync-run',
  'workflows/crm-sync-faults',
  'e2e/sync/kill',
  'workflows/campaign',
  'e2e/plan/plan-process',
  'e2e/ingress/kill',
  'e2e/polling/burst',
  'workflows/reshaped',
  'workflows/crm-sync-ledger',
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  if (project.name !== 'workflows') return SLOW.length + 1;
  const slow = SLOW.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return slow === -1 ? SLOW.length : slow;
}
