// The order of test files. Tests with a Temporal server come first and the slowest of them before all others: they mostly
// wait, and at the end nothing would be left to do meanwhile. Files without one follow; each of them takes little time.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take 20 s and more by themselves. Those that start many processes alternate with those that only wait. */
const SLOW = [
  'workflows/sync/crm-sync-control',
  'workflows/sync/crm-sync-budget',
  'workflows/campaign/campaign-time',
  'workflows/sync/crm-sync-faults',
  'workflows/campaign/campaign-batches',
  'workflows/sync/crm-sync-modes',
  'e2e/postgres/ledger',
  'workflows/campaign/campaign',
  'workflows/sync/crm-sync-property.long',
  'workflows/campaign/campaign-commands',
  'workflows/sync/crm-sync-combined-create',
  'workflows/sync/crm-sync-shapes',
  'workflows/reshaped',
  'workflows/sync/crm-sync-ledger',
  'e2e/docs/commands.long',
  'e2e/erase/canary.long',
  'e2e/cli/sync-run.long',
  'e2e/polling/burst.long',
  'e2e/plan/sync-plan.long',
  'e2e/plan/plan-process.long',
  'e2e/docs/situations.long',
  'e2e/restore/drill.long',
  'e2e/campaign/kill.long',
  'e2e/console/day.long',
  'e2e/demo/demo.long',
  'e2e/sync/kill.long',
  'e2e/runtime/temporal-server.long',
  'e2e/ingress/kafka.long',
];

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId, project }: TestSpecification): number {
  if (project.name === 'unit') return SLOW.length + 1;
  const slow = SLOW.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return slow === -1 ? SLOW.length : slow;
}
