// Who of a frozen audience is in the control group, and in which order the others come.
import { expect, it } from 'vitest';
import { isInControlGroup } from '../../../../../activities/campaigns/audience/freeze.ts';
import { planningContext } from '../planning-context.ts';
import { type Member, NOW } from './audience-context.ts';

const { open } = planningContext();

const people = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ phone: `5511${987_000_000 + n}` }));
const list = (count: number, over: Record<string, unknown> = {}) => ({
  sources: { list: people(count) },
  campaign: { audience: [{ from: 'source', source: 'list', number: 'phone' }], ...over },
});

it('the same people are in the control group each time, in the share that was asked for; a larger share keeps them', async () => {
  const members: Member[][] = [];
  for (const share of [0.1, 0.1, 0.3]) {
    const plans = open(list(1000, { holdout: share }));
    members.push(await plans.members((await plans.plan()).run));
  }
  const paused = members.map((each) => each.filter(({ state }) => state === 'holdout').map(({ key }) => key));
  expect(paused[1]).toEqual(paused[0]);
  expect(paused[0]?.length).toBeGreaterThan(70);
  expect(paused[0]?.length).toBeLessThan(130);
  expect(paused[2]).toEqual(expect.arrayContaining(paused[0] ?? []));
});

it('the share is exact in expectation, and campaigns have different control groups', () => {
  const keys = Array.from({ length: 20_000 }, (_, n) => `55119${80_000_000 + n}`);
  const paused = (campaign: string) =>
    new Set(keys.filter((key) => isInControlGroup({ account: 'acme', campaign, key }, 0.2)));
  const [a, b] = [paused('a'), paused('b')];
  // Five standard deviations.
  expect(Math.abs(a.size - 4000)).toBeLessThan(283);
  expect(Math.abs([...a].filter((key) => b.has(key)).length - 800)).toBeLessThan(140);
  expect(keys.some((key) => isInControlGroup({ account: 'acme', campaign: 'a', key }, 0))).toBe(false);
});

it('each who waits has a place, in an order of its own at each plan', async () => {
  const order: (string | null)[][] = [];
  for (let plan = 0; plan < 2; plan++) {
    const plans = open(list(60, { exclude: { numbers: ['5511987000007'] } }));
    const members = await plans.members((await plans.plan()).run);
    const waiting = members.filter(({ state }) => state === 'waiting');
    expect(new Set(waiting.map(({ place }) => place)).size).toBe(59);
    order.push(waiting.toSorted((x, y) => Number(x.place) - Number(y.place)).map(({ key }) => key));
  }
  expect(order[0]).not.toEqual(order[1]);
  expect(order[0]).not.toEqual(order[0]?.toSorted());
  expect(new Set(order[0])).toEqual(new Set(order[1]));
});

it('a repeated or concurrent freeze changes nothing', async () => {
  const plans = open(list(50, { holdout: 0.5 }));
  const { run } = await plans.plan({ freeze: false });
  await Promise.all([plans.steps.freeze(run), plans.steps.freeze(run)]);
  const members = await plans.members(run);
  plans.context.now += 1000;
  await plans.steps.freeze(run);
  expect(await plans.members(run)).toEqual(members);
  expect((await plans.campaign(run)).planned_at).toEqual(new Date(NOW));
  await expect(plans.steps.rows(run, 0)).rejects.toMatchObject({ type: 'PLAN_OVER' });
});

it('nothing is frozen until every part is read completely', async () => {
  const plans = open(list(3));
  const { run } = await plans.steps.open();
  await expect(plans.steps.freeze(run)).rejects.toThrow('has not been read completely');
});
