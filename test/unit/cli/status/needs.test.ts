// What needs a person, in the singular and the plural, with the command that decides it.
import { expect, it } from 'vitest';
import { describeNeed } from '../../../../src/cli/status/needs.ts';
import type { Need } from '../../../../src/operator/contract/overview.ts';

const need = (over: Partial<Need>): Need => ({
  kind: 'unknown-members',
  severity: 'warning',
  account: 'acme',
  name: 'spring',
  run: 'acme/+spring/1',
  count: 1,
  since: null,
  code: null,
  reason: null,
  approval: null,
  commands: [],
  ...over,
});

it.each([
  [
    {},
    '1 member of the campaign spring has an unknown outcome',
    'campaign resolve acme/+spring/1 --all --as …',
  ],
  [{ count: 1200 }, '1,200 members of the campaign spring have an unknown outcome', 'campaign resolve'],
  [
    { kind: 'failed-members', count: 2 },
    '2 members of the campaign spring failed',
    'campaign retry acme/+spring/1',
  ],
  [
    { kind: 'dead-letters', name: 'signup' },
    '1 dead letter of the route signup is open',
    'dlq list --route signup',
  ],
  [
    { kind: 'refused-events', name: 'signup', count: 2 },
    '2 requests to the route signup were refused',
    'refused list --route signup',
  ],
  [
    { kind: 'failed-events', name: '_cli', count: 2 },
    '2 messages sent by hand failed',
    'events list --failed --route _cli',
  ],
  [
    { kind: 'service-away', name: 'acme', code: 'HTTP_503', since: '2026-11-27T10:00:00.000Z' },
    'the service of the account acme does not answer; work waits, and goes on by itself when it answers',
    'doctor',
  ],
  [
    {
      kind: 'broken-configuration',
      account: null,
      name: 'sluice.yaml',
      reason: 'sluice.yaml:3:5  unknown key',
    },
    'the configuration on the disk is broken, and the one before is in use: sluice.yaml:3:5  unknown key',
    'config check',
  ],
  [
    {
      kind: 'failed-run',
      name: 'leads',
      code: 'SOURCE_NOT_FOUND',
      reason: 'SOURCE_NOT_FOUND: source file "leads.csv" does not exist [SOURCE_NOT_FOUND]',
    },
    'a run of leads failed (acme): source file "leads.csv" does not exist [SOURCE_NOT_FOUND]',
    'sync status leads',
  ],
] as const)('%j', (over, fact, command) => {
  const [first, second] = describeNeed(need(over), 'postgres');
  expect(first).toContain(fact);
  expect(second).toContain(`npx sluice ${command}`);
});

it.each([
  ['ERR_TOKEN_RETIRED', 'ERR_TOKEN_RETIRED: GET /v1/conversations answered 401 ERR_TOKEN_RETIRED', true],
  ['ERR_X', 'ERR_X: GET /v1/conversations answered 401 ERR_X, a code that the API text does not list', true],
  ['HTTP_401', 'GET /v1/conversations answered 401 (unrecognised)', true],
  ['ERR_SCOPE_MISSING', 'GET /v1/conversations answered 403 ERR_SCOPE_MISSING', true],
  ['ERR_X', 'POST /v1/contacts answered 422 ERR_X', false],
  ['DIFFERENCE', 'the mapping has changed', false],
  [null, 'answered 401 times', false],
])('a poller that %s blocks needs another token before it is resumed: %s', (code, reason, isToken) => {
  const lines = describeNeed(need({ kind: 'blocked-poller', name: 'inbox', code, reason }), 'pglite');
  expect(lines.slice(1)).toEqual([
    ...(isToken ? ['   give the account a token that works, then:'] : []),
    '   npx sluice poll resume inbox',
  ]);
});

it('without servers, the process that is missing is dev', () => {
  const missing = need({ kind: 'no-worker', account: null, name: 'worker', run: null });
  expect(describeNeed(missing, 'pglite')[1]).toBe('   npx sluice dev');
  expect(describeNeed(missing, 'postgres')[1]).toBe('   npx sluice worker');
});

it('offers no approval to who may not approve, and says who may', () => {
  const approval = {
    refusal: { code: 'SAME_PERSON', reason: 'user:ana made this plan', from: null },
    approvers: ['bia', 'carl'],
    from: null,
  };
  const lines = describeNeed(need({ kind: 'approval', severity: 'info', approval }), 'pglite');
  expect(lines.slice(1)).toEqual([
    '   it waits for somebody else than you: user:ana made this plan; these users may approve it: bia, carl',
    '   npx sluice campaign status spring',
  ]);
  const own = describeNeed(need({ kind: 'approval', approval: { ...approval, refusal: null } }), 'pglite');
  expect(own.slice(1)).toEqual(['   npx sluice campaign approve spring']);
});

it('a refused token names the work that it blocks', () => {
  const refused = need({
    kind: 'refused-token',
    name: '1',
    run: null,
    code: 'ERR_TOKEN_REVOKED',
    blocks: [
      { kind: 'sync', name: 'leads', run: 'acme/leads/1' },
      { kind: 'campaign', name: 'spring', run: 'acme/+spring/1' },
    ],
  });
  expect(describeNeed(refused, 'pglite')).toContain('   it blocks: sync leads, campaign spring');
});
