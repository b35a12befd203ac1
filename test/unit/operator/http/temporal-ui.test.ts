// Where links of the console into Temporal's web UI lead.
import { expect, it } from 'vitest';
import type { OperatorDeps } from '../../../../src/operator/service/deps.ts';
import { settingsHandlers } from '../../../../src/operator/service/settings.ts';

it.each([
  [undefined, 'sales', null],
  ['https://temporal.example.com', 'sales', 'https://temporal.example.com/namespaces/sales/workflows/'],
  // Behind a path, with a slash at its end, while no server is known.
  ['https://example.com/temporal/', null, 'https://example.com/temporal/namespaces/default/workflows/'],
  ['https://example.com', 'a/b?c', 'https://example.com/namespaces/a%2Fb%3Fc/workflows/'],
])('temporalUi %s and the namespace %s give %s', async (temporalUi, namespace, expected) => {
  const deps = {
    config: () => ({ config: { operator: { temporalUi } } }),
    runningTemporal: async () => (namespace === null ? null : { options: { namespace } }),
  } as unknown as OperatorDeps;
  const caller = { identity: 'user:ana', name: 'ana', role: 'viewer', via: 'session' } as const;
  expect(await settingsHandlers(deps)['GET /temporal']({}, caller)).toEqual({ workflows: expected });
});
