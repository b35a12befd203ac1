// Needs and notices for tests.
import type { NeedFacts } from '../../../../src/observe/notices/rules.ts';
import type { Need } from '../../../../src/operator/contract/overview.ts';

export const MINUTE = 60_000;

export function needOf(name: string, over: Partial<Need> = {}): Need {
  return {
    kind: 'blocked-campaign',
    severity: 'critical',
    account: 'acme',
    name,
    run: `acme/+${name}/1`,
    count: 1,
    since: null,
    code: 'FLOW_INACTIVE',
    reason: 'Ana Souza, +55 11 98765-0001, replied',
    approval: null,
    commands: [],
    ...over,
  };
}

export function factsOf(key: string, over: Partial<NeedFacts> = {}): NeedFacts {
  const { kind, severity, account, run, code, count } = needOf(key);
  return { key, kind, severity, account, name: key, run, code, count, path: '/campaigns', ...over };
}
