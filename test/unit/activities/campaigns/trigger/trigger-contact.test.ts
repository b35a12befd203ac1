// What comes before a trigger, its contact found and checked; and what follows it, as events.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { firstEffectStep } from '../../../../../activities/events/effects/first-step.ts';
import { beginEvent } from '../../../../../activities/events/event-begin.ts';
import { saveCatalog } from '../../../../../src/core/store/catalog.ts';
import { endEvent } from '../../../../../src/jobs/events/store/event-end.ts';
import { getEvent } from '../../../../../src/jobs/events/store/events.ts';
import { failureOf, openTriggerContext, type Person } from './trigger-context.ts';

const TAGS = [
  { id: 1, name: 'crm' },
  { id: 2, name: 'Stop' },
  { id: 3, name: 'angry' },
  { id: 4, name: 'reactivated' },
];

const context = await openTriggerContext({ tags: TAGS });
afterAll(context.close);
beforeEach(context.fresh);

const tag = ({ contact }: Person, ...tagIds: number[]) =>
  context.panel.patch({ contacts: [{ id: contact, tagIds }] });
const paths = async () =>
  (await context.requests()).map(({ method, path }) => `${method} ${path.replace(/\?.*/, '')}`);
const LIST = 'GET /v1/contacts';
const TRIGGER = 'POST /v1/flows/trigger';
const one = ({ contact }: Person) => `GET /v1/contacts/${contact}`;

describe('a contact with an unknown id is found by its number', () => {
  it('under the other form of a Brazilian number', async () => {
    const known = await context.waiting();
    await context.panel.patch({ contacts: [{ id: 150, number: '551187659999', name: 'Old' }] });
    const person = await context.waiting({}, { id: null, contact: 150, number: '5511987659999' });
    const { answer, steps } = await context.drive(person);
    expect(answer).toEqual({ state: 'triggered', next: null });
    expect(steps).toEqual(['triggerMember', 'findMember', 'triggerMember']);
    expect(await paths()).toEqual([LIST, TRIGGER]);
    expect(await context.rowOf(person)).toMatchObject({ contact_id: 150, number: '551187659999' });
    expect(await context.runsOf(person)).toHaveLength(1);
    expect(await context.runsOf(known)).toHaveLength(0);
  });

  it('once: the ledger then has the id', async () => {
    const first = await context.waiting({ cap: { times: 9 } }, { id: null });
    await context.drive(first);
    await paths();
    const second = await context.waiting({ cap: { times: 9 } }, { id: null, contact: first.contact });
    await context.drive(second);
    expect(await paths()).toEqual([TRIGGER]);
  });

  it('and is gone if the account has none with this number', async () => {
    const person = await context.waiting({}, { id: null, number: '5511987640000' });
    expect((await context.drive(person)).answer).toEqual({ state: 'skipped', next: null });
    expect(await context.rowOf(person)).toMatchObject({ code: 'CONTACT_GONE' });
    expect(await paths()).toEqual([LIST]);
  });

  it('and is gone if the service knows neither its id nor its number', async () => {
    const person = await context.waiting({}, { id: 9999, number: '5511987640001' });
    const { answer, steps } = await context.drive(person);
    expect(answer).toEqual({ state: 'skipped', next: null });
    expect(steps).toEqual(['triggerMember', 'findMember']);
    expect(await context.rowOf(person)).toMatchObject({ code: 'CONTACT_GONE' });
    expect(await context.touchesOf(person)).toBe(0);
  });

  it('but is triggered if it returned under another id', async () => {
    const person = await context.waiting({}, { id: 9999 });
    const { answer, steps } = await context.drive(person);
    expect(answer).toEqual({ state: 'triggered', next: null });
    expect(steps).toEqual(['triggerMember', 'findMember', 'triggerMember']);
    expect(await context.runsOf(person)).toHaveLength(1);
  });

  it('only once: a service that lists a contact and then denies it is not queried forever', async () => {
    const person = await context.waiting({}, { id: 9999 });
    for (let n = 0; n < 3; n++) await context.refuseWith(404, 'ERR_NO_CONTACT_FOUND');
    expect(await failureOf(context.drive(person))).toMatchObject({
      type: 'ERR_NO_CONTACT_FOUND',
      nonRetryable: true,
      details: [{ scope: 'run', shape: { assumptions: ['flows.contactField', 'flows.contactIdentity'] } }],
    });
    expect(await context.facts(person)).toEqual({ state: 'waiting', code: null, touches: 0, runs: 0 });
    await context.refuseWith(404, 'ERR_NO_CONTACT_FOUND');
    // Somebody has resumed it as it was: then it fails alone.
    expect((await context.drive(person)).answer).toEqual({ state: 'failed', next: null });
  });

  it('and not at all if the flow takes the number', async () => {
    const person = await context.waiting({}, { id: null });
    const assumptions = { 'flows.contactIdentity': 'number', 'flows.contactField': 'number' } as const;
    const by = context.worker({ assumptions });
    expect((await context.drive(person, { by })).steps).toEqual(['triggerMember', 'verifyMember']);
    expect(await paths()).toEqual([TRIGGER, 'GET /v1/conversations']);
    expect(await context.runsOf(person)).toHaveLength(1);
  });
});

describe('a campaign that checks the tags just before the call', () => {
  const config = { recheck: 'api', exclude: { tags: ['ANGRY'] } };

  it('triggers members without an excluding tag, and repeats an old check', async () => {
    const person = await context.waiting(config);
    await tag(person, 1);
    expect(await context.step('recheckMember', person)).toEqual({ state: 'waiting', next: 'triggerMember' });
    expect(await context.step('recheckMember', person)).toEqual({ state: 'waiting', next: 'triggerMember' });
    expect(await paths()).toEqual([one(person)]);
    context.clock.ms += 5000;
    expect((await context.drive(person)).steps).toEqual(['triggerMember', 'recheckMember', 'triggerMember']);
    expect(await paths()).toEqual([one(person), TRIGGER]);
  });

  it('does not check a member again that was just found', async () => {
    const person = await context.waiting(config, { id: null });
    const { steps } = await context.drive(person, { from: 'recheckMember' });
    expect(steps).toEqual(['recheckMember', 'findMember', 'triggerMember']);
    expect(await paths()).toEqual([LIST, TRIGGER]);
  });

  it.each([
    ['FAULTS 47: who has opted out', [1, 2], 'OPTED_OUT', true],
    ['who has a tag that is left out', [1, 3], 'EXCLUDED_TAG', false],
    ['who has both counts as opted out', [3, 2], 'OPTED_OUT', true],
  ])('skips %s', async (_, tagIds, code, out) => {
    for (const id of [undefined, null] as const) {
      const person = await context.waiting(config, id === undefined ? {} : { id });
      await tag(person, ...tagIds);
      await paths();
      const { answer } = await context.drive(person, { from: 'recheckMember' });
      expect(answer).toEqual({ state: 'skipped', next: null });
      expect(await context.rowOf(person)).toMatchObject({ code });
      const noted = await context.db.query("select 1 from opt_outs where account = 'acme' and key = $1", [
        person.key,
      ]);
      expect(noted).toHaveLength(out ? 1 : 0);
      expect(await paths()).not.toContain(TRIGGER);
    }
  });

  it('FAULTS 47: skips members who have opted out under the other form of their number', async () => {
    await context.panel.patch({
      contacts: [
        { id: 151, number: '5511987658888', name: 'New' },
        { id: 152, number: '551187658888', name: 'Old', tagIds: [2] },
      ],
    });
    const person = await context.waiting(config, { id: null, contact: 151, number: '5511987658888' });
    expect((await context.drive(person)).answer).toEqual({ state: 'skipped', next: null });
    expect(await context.rowOf(person)).toMatchObject({ code: 'OPTED_OUT' });
  });

  it('looks a missing contact up by number, once', async () => {
    const person = await context.waiting(config, { id: 9999 });
    const { answer, steps } = await context.drive(person, { from: 'recheckMember' });
    expect(answer).toEqual({ state: 'triggered', next: null });
    expect(steps).toEqual(['recheckMember', 'findMember', 'triggerMember']);
  });
});

describe('a check that fails', () => {
  const arm = (fault: object, times = 1) =>
    context.panel.fault({ method: 'GET', path: '/v1/contacts', times, ...fault });

  it.each([
    ['FAULTS 5: a 500', { kind: 'status', status: 500, body: { error: 'oops' } }],
    ['FAULTS 1: a reset', { kind: 'reset-after' }],
    ['FAULTS 7: a limit', { kind: 'status', status: 429, body: { error: 'x', code: 'ERR_RATE_LIMITED' } }],
  ])('%s is retried', async (_, fault) => {
    const person = await context.waiting({ recheck: 'api' });
    await arm(fault);
    expect((await failureOf(context.step('recheckMember', person))).nonRetryable).not.toBe(true);
    expect((await context.drive(person, { from: 'recheckMember' })).answer.state).toBe('triggered');
  });

  it('FAULTS 5: a contact that always makes the service fail ends alone', async () => {
    const person = await context.waiting({ recheck: 'api' });
    await arm({ kind: 'status', status: 500, body: { error: 'oops' } }, 12);
    const { answer, steps } = await context.drive(person, { from: 'recheckMember' });
    expect(answer).toEqual({ state: 'failed', next: null });
    expect(steps).toHaveLength(12);
    expect(await context.rowOf(person)).toMatchObject({ code: 'HTTP_500' });
  });

  it('FAULTS 14: an unreadable contact fails alone, once another was triggered', async () => {
    const campaign = await context.campaign({ recheck: 'api' });
    await context.drive(await context.member(campaign), { from: 'recheckMember' });
    const person = await context.member(campaign);
    await arm({ kind: 'status', status: 200, body: { requestId: 'r', contact: { id: 'x' } } });
    expect(await context.step('recheckMember', person)).toEqual({ state: 'failed', next: null });
    expect(await context.rowOf(person)).toMatchObject({ code: 'UNEXPECTED_SHAPE' });
  });

  it('the very first contact, if unreadable, pauses the campaign', async () => {
    const person = await context.waiting({ recheck: 'api' });
    await arm({ kind: 'status', status: 200, body: { requestId: 'r', contact: { id: 'x' } } });
    expect(await failureOf(context.step('recheckMember', person))).toMatchObject({
      type: 'UNEXPECTED_SHAPE',
      nonRetryable: true,
      details: [{ scope: 'run' }],
    });
    expect(await context.rowOf(person)).toMatchObject({ state: 'waiting', code: null });
  });

  it.each([
    ['svc_test_revoked', 'ERR_TOKEN_REVOKED'],
    ['svc_test_trigger', 'ERR_SCOPE_MISSING'],
  ])('FAULTS 12: a refusal of the token %s concerns the campaign', async (token, type) => {
    await context.panel.patch({ tokens: [{ value: 'svc_test_trigger', scopes: ['flows:trigger'] }] });
    const worker = context.worker({ token });
    for (const [step, id] of [
      ['findMember', null],
      ['recheckMember', undefined],
    ] as const) {
      const person = await context.waiting({ recheck: 'api' }, id === null ? { id } : {});
      expect(await failureOf(worker.step(step, person))).toMatchObject({
        type,
        nonRetryable: true,
        details: [{ scope: 'run', step }],
      });
      expect(await context.rowOf(person)).toMatchObject({ state: 'waiting', code: null });
    }
  });
});

it('a check that the plan of the account does not allow concerns the campaign', async () => {
  const person = await context.waiting({ recheck: 'api' });
  const body = { error: 'no', code: 'ERR_FEATURE_NOT_AVAILABLE' };
  await context.panel.fault({ path: '/v1/contacts/', kind: 'status', status: 403, body, times: 1 });
  const failure = await failureOf(context.step('recheckMember', person));
  expect(failure).toMatchObject({ type: 'ERR_FEATURE_NOT_AVAILABLE', nonRetryable: true });
  expect(await context.rowOf(person)).toMatchObject({ state: 'waiting', code: null });
});

describe('what follows a trigger', () => {
  const after = { stage: { pipeline: 'Sales', stage: 'Talking' }, tags: ['reactivated'] };

  it('is recorded with it once, and handed over until it has ended', async () => {
    const { run, name } = await context.campaign({ after });
    const person = await context.member({ run, name }, { card: 77 });
    const answer = await context.step('triggerMember', person);
    expect(answer).toMatchObject({ state: 'triggered', next: null });
    const events = await Promise.all((answer.after ?? []).map((id) => getEvent(context.db, id)));
    expect(events).toMatchObject([
      {
        route: `+${name}`,
        run_id: `acme/@+${name}/1`,
        request: { type: 'stage', of: { card: 77 }, ...after.stage },
      },
      {
        route: `+${name}`,
        request: { type: 'tags', number: person.number, add: ['reactivated'], remove: [] },
      },
    ]);
    expect((await context.rowOf(person)).events).toEqual(answer.after);
    // The answer may have been lost.
    expect(await context.step('triggerMember', person)).toEqual(answer);
    const [first, second] = answer.after as [string, string];
    await endEvent(context.db, first, { outcome: 'done' });
    expect(await context.step('triggerMember', person)).toEqual({ ...answer, after: [second] });
    await endEvent(context.db, second, { outcome: 'done' });
    expect(await context.step('triggerMember', person)).toEqual({ state: 'triggered', next: null });
  });

  it('moves the newest open card of members without a card', async () => {
    const person = await context.waiting({ after: { stage: after.stage } });
    const answer = await context.step('triggerMember', person);
    const event = await getEvent(context.db, answer.after?.[0] as string);
    expect(event?.request).toMatchObject({ type: 'stage', of: { number: person.number, key: person.key } });
  });

  it.each([
    ['a refusal', { kind: 'status', status: 400, body: { error: 'x', code: 'ERR_NUMBER_INVALID' } }],
    ['a lost answer', { kind: 'reset-after' }],
  ])('is nothing after %s', async (_, fault) => {
    const person = await context.waiting({ after });
    await context.arm(fault);
    expect(await context.step('triggerMember', person)).not.toHaveProperty('after');
    expect((await context.rowOf(person)).events).toEqual([]);
  });

  it('runs after leads: its calls use the lane of campaigns', async () => {
    await saveCatalog(context.db, 'acme', 'tags', TAGS);
    await saveCatalog(context.db, 'acme', 'pipelines', []);
    const person = await context.waiting({ after });
    const answer = await context.step('triggerMember', person);
    const event = answer.after?.[0] as string;
    const begun = await beginEvent(context.worker().deps, { account: 'acme', event, workflow: 'w' });
    expect(begun).toMatchObject({ state: 'begun', work: { type: 'effect', lane: 'campaign' } });
  });

  it.each([
    ['', 'lead'],
    ['site', 'lead'],
    ['_operator', 'lead'],
    ['+winback', 'campaign'],
  ])('an event of the route "%s" is in the lane %s', (route, lane) => {
    const request = {
      type: 'tags',
      number: '5511987654321',
      key: '5511987654321',
      add: ['x'],
      remove: [],
    } as const;
    expect(firstEffectStep({ ...request, add: ['x'], remove: [] }, null, route)).toEqual({
      step: 'findContact',
      lane,
    });
  });
});
