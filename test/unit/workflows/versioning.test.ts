// What an upgrade does to runs in flight.
import { expect, it } from 'vitest';
import * as workflows from '../../../workflows/index.ts';
import { pinned } from '../../../workflows/versioning.ts';

it('only types that end within hours are pinned to the code that they began with', () => {
  const found = Object.entries(workflows)
    .filter(
      ([, run]) => (run as { workflowDefinitionOptions?: unknown }).workflowDefinitionOptions === pinned,
    )
    .map(([type]) => type);
  expect(found).toEqual(['campaignPlan', 'crmSync', 'leadIntake']);
});
