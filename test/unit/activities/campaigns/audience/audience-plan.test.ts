// How a plan is opened, in place of another one, and given up.
import { describe, expect, it } from 'vitest';
import { moveCampaign } from '../../../../../src/jobs/campaigns/store/campaigns.ts';
import { planningContext } from '../planning-context.ts';
import { type AudienceContext, NOW } from './audience-context.ts';

const context = planningContext();
const { open } = context;
const stateOf = async (plans: AudienceContext, run: string) => {
  const { state, reason, ended_at } = await plans.campaign(run);
  return { state, reason, ended: ended_at !== null };
};

const source = { from: 'source', source: 'list', number: 'phone' };

it('a plan says what is to be read, and keeps what it goes by', async () => {
  const plans = open({
    sources: { list: [], stop: [] },
    optOut: { tags: ['no'] },
    campaign: {
      audience: [{ from: 'cards', lostReason: 'price' }, source, { from: 'ledger' }, { from: 'contacts' }],
      exclude: { numbers: { source: 'stop', number: 'phone' } },
      after: { stage: { pipeline: 'Sales', stage: 'New' } },
    },
  });
  const planning = await plans.steps.open();
  expect(planning).toEqual({
    run: 'acme/+back/1',
    tokenKey: 'token',
    callsPerMinute: 120,
    lists: ['tags', 'pipelines', 'lostReasons', 'connections'],
    parts: ['api', 'ledger', 'ledger', 'api', 'ledger'],
  });
  expect(await plans.campaign(planning.run)).toMatchObject({
    account: 'acme',
    campaign: 'back',
    state: 'planning',
    planned_by: 'ana',
    planned_at: null,
    as_of: new Date(NOW),
    spec: plans.context.spec,
    calls: 0,
  });
});

describe('one plan at a time', () => {
  it.each(['planning', 'planned'] as const)(
    'one that is %s is void once another one is made',
    async (state) => {
      const plans = open();
      const { run } = await plans.steps.open('first');
      if (state === 'planned') await moveCampaign(context.db, run, ['planning'], 'planned', new Date(NOW));
      const next = await plans.steps.open('second');
      expect(next.run).toBe('acme/+back/2');
      expect(await stateOf(plans, run)).toEqual({
        state: 'void',
        reason: 'a newer plan replaced it',
        ended: true,
      });
      const audit = await context.db.query('select run_id, action, by from campaign_audit order by seq');
      expect(audit).toEqual([
        { run_id: run, action: 'plan', by: 'ana' },
        { run_id: run, action: 'void', by: 'ana' },
        { run_id: next.run, action: 'plan', by: 'ana' },
      ]);
    },
  );

  it('an attempt whose answer was lost finds the plan that it opened', async () => {
    const plans = open();
    expect((await plans.steps.open('first')).run).toBe((await plans.steps.open('first')).run);
  });

  it('two workflows at once leave one plan', async () => {
    const plans = open();
    await Promise.all(['a', 'b', 'c'].map((workflow) => plans.steps.open(workflow)));
    const planning = await context.db.query("select 1 from campaigns where state = 'planning'");
    expect(planning).toHaveLength(1);
  });

  it('while a run is in progress, no plan is made, and the error names the run', async () => {
    const plans = open();
    const { run } = await plans.steps.open('first');
    await moveCampaign(context.db, run, ['planning'], 'planned', new Date(NOW));
    await moveCampaign(context.db, run, ['planned'], 'running', new Date(NOW));
    await expect(plans.steps.open('second')).rejects.toMatchObject({
      type: 'RUN_OPEN',
      nonRetryable: true,
      message: expect.stringContaining(run),
    });
    expect(await stateOf(plans, run)).toMatchObject({ state: 'running', ended: false });
    // Another campaign is none of its business.
    expect((await open({ name: 'other' }).steps.open('third')).run).toBe('acme/+other/1');
  });

  it('a replaced plan is no longer read', async () => {
    const plans = open({ sources: { list: [{ phone: '5511987650001' }] }, campaign: { audience: [source] } });
    const { run } = await plans.steps.open('first');
    await plans.steps.open('second');
    const { rows, page, freeze } = plans.steps;
    for (const step of [() => rows(run, 0), () => page(run, 0), () => freeze(run)])
      await expect(step()).rejects.toMatchObject({ type: 'PLAN_OVER', nonRetryable: true });
    expect(await plans.members(run)).toEqual([]);
  });
});

it('a plan that can not be made says why, once', async () => {
  const plans = open();
  const { run } = await plans.steps.open();
  await plans.steps.fail(run, 'ERR_TOKEN_REVOKED: the token is revoked');
  await plans.steps.fail(run, 'another reason');
  expect(await stateOf(plans, run)).toEqual({
    state: 'failed',
    reason: 'ERR_TOKEN_REVOKED: the token is revoked',
    ended: true,
  });
  expect((await plans.steps.open('next')).run).toBe('acme/+back/2');
});

it.each<[string, Record<string, unknown>, string]>([
  [
    'a number to leave out that is none',
    { exclude: { numbers: ['12'] } },
    'campaigns.back.exclude.numbers.0: ',
  ],
  ['a template that is not closed', { variables: { hi: 'Hi {{name' } }, 'campaigns.back.variables.hi: '],
])('%s ends the plan before anything is read', async (_name, campaign, words) => {
  await expect(open({ campaign }).steps.open()).rejects.toMatchObject({
    type: 'CONFIG',
    nonRetryable: true,
    message: expect.stringContaining(words),
  });
  expect(await context.db.query('select 1 from campaigns')).toEqual([]);
});
