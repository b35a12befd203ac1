// Every need that blocks leads to the step that ends it.
import { expect, it } from 'vitest';
import { adviceOf, commandsOf, stepOf } from '../../../src/console/screens/overview/need-step.ts';

type Need = Parameters<typeof stepOf>[0];

const need = (over: Partial<Need>): Need => ({
  kind: 'failed-run',
  severity: 'critical',
  account: 'acme',
  name: 'leads',
  run: null,
  count: 1,
  since: null,
  code: null,
  reason: null,
  approval: null,
  commands: [],
  ...over,
});

const FOR_OTHERS: Need['approval'] = {
  refusal: { code: 'SAME_PERSON', reason: 'you made the plan', from: null },
  approvers: ['bia'],
  from: null,
};

it('a plan is never approved on the overview, which does not show it', () => {
  const commands = [
    { route: 'POST /campaigns/{campaign}/approve', input: { campaign: 'spring' } },
    { route: 'POST /needs/review', input: {} },
  ];
  expect(commandsOf(need({ kind: 'approval', commands }))).toEqual(commands.slice(1));
});

it.each<[Partial<Need>, object | null]>([
  [
    { kind: 'refused-token', name: '1' },
    { word: 'token', to: '/settings', search: { tab: 'accounts', account: 'acme' } },
  ],
  [
    { kind: 'refused-token', name: '1', account: null },
    { word: 'token', to: '/settings', search: { tab: 'accounts' } },
  ],
  [
    { kind: 'rejected-rows', run: 'acme/leads/1' },
    {
      word: 'fix',
      to: '/syncs',
      search: { account: 'acme', name: 'leads', run: 'acme/leads/1', view: 'fix' },
    },
  ],
  [
    { kind: 'refused-events', name: 'signup' },
    { word: 'correct', to: '/events', search: { tab: 'refused', route: 'signup', view: 'correct' } },
  ],
  [
    { kind: 'unknown-members', run: 'acme/+spring/1' },
    {
      word: 'review',
      to: '/campaigns',
      search: {
        account: 'acme',
        name: 'leads',
        run: 'acme/+spring/1',
        tab: 'members',
        state: 'unknown',
      },
    },
  ],
  [
    { kind: 'approval', run: 'acme/+spring/1', approval: { refusal: null, approvers: ['bia'], from: null } },
    { word: 'plan', to: '/campaigns', search: { run: 'acme/+spring/1', tab: 'plan' } },
  ],
  // Somebody else approves it.
  [{ kind: 'approval', run: 'acme/+spring/1', approval: FOR_OTHERS }, null],
  [{ kind: 'failed-run' }, null],
])('%j', (over, step) => {
  expect(stepOf(need(over))).toEqual(step);
});

it.each<[Partial<Need>, string | null]>([
  [{ kind: 'refused-token', code: 'TOKEN_WEIRD', reason: 'the service refuses the token' }, 'token'],
  [{ kind: 'refused-token', code: 'X', reason: 'the token lacks the scope cards:write' }, 'scope'],
  [{ kind: 'blocked-poller', code: 'ERR_SCOPE_MISSING' }, 'scope'],
  [{ kind: 'blocked-sync', code: 'ERR_TOKEN_EXPIRED' }, 'token'],
  [{ kind: 'blocked-sync', code: 'X', reason: 'GET /v1/tags answered 401 X, a code' }, 'token'],
  [
    {
      kind: 'blocked-poller',
      code: 'INSUFFICIENT_SCOPE',
      reason: 'GET /v1/conversations answered 403 INSUFFICIENT_SCOPE, a code that the API text does not list',
    },
    'scope',
  ],
  [{ kind: 'blocked-poller', code: 'ERR_PLAN', reason: 'GET /v1/tags answered 402 ERR_PLAN' }, null],
  [{ kind: 'failed-run', code: 'SOURCE_NOT_FOUND', reason: 'no file' }, null],
])('%j: %s', (over, advice) => {
  expect(adviceOf(need(over))).toBe(advice);
});
