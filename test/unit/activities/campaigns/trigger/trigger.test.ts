// The trigger of one member against every answer that the service may give, and every way in which an answer gets lost.
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database, Queryable } from '../../../../../src/core/sql/database.ts';
import { KNOWN_ERROR_CODES } from '../../../../../src/service/api-client/error-codes.ts';
import { until } from '../../../../support/until.ts';
import { failureOf, openTriggerContext, type Person, type WorkerOptions } from './trigger-context.ts';

const context = await openTriggerContext();
afterAll(context.close);
/** A client that does not wait long for an answer. */
const hasty = context.worker({ deadlineMs: 150 });
beforeEach(context.fresh);

const arm = (fault: object) => context.arm(fault);
const calls = () => context.calls();
const facts = (person: Person) => context.facts(person);
const refuseWith = (status: number, code: string | null, extras: object = {}) =>
  context.refuseWith(status, code, extras);
const TRIGGERED = { state: 'triggered', code: null, touches: 1, runs: 1 };
const WAITING = { state: 'waiting', code: null, touches: 0, runs: 0 };
it('a member is triggered once, with its variables, however often the step runs', async () => {
  const person = await context.waiting({}, { variables: { offer: 'summer', n: 2 } });
  for (let n = 0; n < 3; n++)
    expect(await context.step('triggerMember', person)).toEqual({ state: 'triggered', next: null });
  expect(await facts(person)).toEqual(TRIGGERED);
  expect(await context.runsOf(person)).toMatchObject([{ variables: { offer: 'summer', n: 2 } }]);
  expect(await calls()).toBe(1);
  expect((await context.rowOf(person)).triggered_at).toEqual(new Date(context.clock.ms));
});

it('the call log shows the person of a trigger', async () => {
  const person = await context.waiting();
  await context.step('triggerMember', person);
  const logged = () =>
    context.db.query('select route, status, run_id from calls where person_key = $1', [person.key]);
  await until('the log is written', async () => (await logged()).length > 0);
  expect(await logged()).toEqual([{ route: '/v1/flows/trigger', status: 202, run_id: person.run }]);
});

it('a trigger takes at most four statements', async () => {
  const said: string[] = [];
  const heard = (of: Queryable): Queryable => ({
    query: (sql, params) => {
      said.push(sql);
      return of.query(sql, params);
    },
  });
  const db: Database = {
    ...context.db,
    ...heard(context.db),
    transaction: (work) => {
      said.push('begin', 'commit');
      return context.db.transaction((tx) => work(heard(tx)));
    },
  };
  const worker = context.worker({ db });
  const campaign = await context.campaign();
  // What a run goes by is read with the first of its members.
  await worker.step('triggerMember', await context.member(campaign));
  said.length = 0;
  await worker.step('triggerMember', await context.member(campaign));
  expect(said).toHaveLength(4);
});

/** Scope of a refusal: the campaign, this member, temporary, or with an unknown effect. */
const CODES: Record<string, readonly [status: number, 'campaign' | 'member' | 'later' | 'served' | 'gone']> =
  {
    ERR_TOKEN_MISSING: [401, 'campaign'],
    ERR_TOKEN_INVALID: [401, 'campaign'],
    ERR_TOKEN_REVOKED: [401, 'campaign'],
    ERR_TOKEN_EXPIRED: [401, 'campaign'],
    ERR_SCOPE_MISSING: [403, 'campaign'],
    ERR_RATE_LIMITED: [429, 'later'],
    ERR_MISSING_CONTENT: [400, 'member'],
    ERR_NUMBER_REQUIRED: [400, 'campaign'],
    ERR_NUMBER_INVALID: [400, 'member'],
    ERR_CONNECTION_NOT_FOUND: [404, 'campaign'],
    ERR_NO_CONNECTION_AVAILABLE: [404, 'campaign'],
    ERR_UNSUPPORTED_CHANNEL: [422, 'campaign'],
    ERR_NO_TICKET_FOUND: [404, 'campaign'],
    ERR_MESSAGE_NOT_FOUND: [404, 'campaign'],
    ERR_MISSING_NUMBER: [400, 'campaign'],
    ERR_NUMBER_NOT_ON_WHATSAPP: [422, 'member'],
    ERR_WHATSAPP_NOT_FOUND: [404, 'campaign'],
    ERR_NO_CONTACT_FOUND: [404, 'gone'],
    ERR_NUMBER_IMMUTABLE: [400, 'member'],
    ERR_INVALID_TAG_IDS: [400, 'member'],
    ERR_INVALID_TAGMODE: [400, 'member'],
    ERR_INVALID_DATE_FILTER: [400, 'member'],
    ERR_NO_CARD_FOUND: [404, 'campaign'],
    ERR_CONTACT_IDENTIFIER_REQUIRED: [400, 'campaign'],
    ERR_PIPELINE_NOT_FOUND: [404, 'campaign'],
    ERR_STAGE_REQUIRED: [400, 'member'],
    ERR_STAGE_NOT_FOUND: [404, 'campaign'],
    ERR_STAGE_NOT_IN_PIPELINE: [422, 'member'],
    ERR_SOURCE_NOT_FOUND: [404, 'campaign'],
    ERR_SOURCE_REQUIRED_FOR_STAGE: [400, 'member'],
    ERR_FLOW_ID_AND_WHATSAPP_ID_REQUIRED: [400, 'campaign'],
    ERR_VARIABLES_MUST_BE_OBJECT: [400, 'campaign'],
    ERR_FLOW_NOT_FOUND: [404, 'campaign'],
    ERR_FLOW_NOT_EXECUTABLE: [422, 'campaign'],
    ERR_TICKET_IN_HUMAN_SERVICE: [409, 'served'],
    ERR_FEATURE_NOT_AVAILABLE: [403, 'campaign'],
    ERR_STORAGE_LIMIT_REACHED: [403, 'campaign'],
    ERR_DUPLICATED_CONTACT: [400, 'member'],
    ERR_CONTACT_NUMBER_IS_LID: [400, 'member'],
    // The API text does not have it: the first member's counts for all.
    ERR_OF_TOMORROW: [418, 'campaign'],
  };
const OTHERS: readonly (readonly [status: number, code: string, scope: 'campaign' | 'member' | 'later'])[] = [
  [400, 'HTTP_400', 'campaign'],
  [401, 'HTTP_401', 'campaign'],
  [403, 'FORBIDDEN', 'campaign'],
  [404, 'HTTP_404', 'campaign'],
  [405, 'HTTP_405', 'campaign'],
  [408, 'HTTP_408', 'later'],
  [413, 'HTTP_413', 'campaign'],
  [429, 'HTTP_429', 'later'],
];

describe('a refusal by each code: nothing ran, and its scope is known', () => {
  it('all codes of the API text are here', () => {
    expect(Object.keys(CODES)).toEqual(expect.arrayContaining([...KNOWN_ERROR_CODES]));
  });

  it.each([
    ...Object.entries(CODES).map(([code, [status, scope]]) => [status, code, scope, code] as const),
    ...OTHERS.map(([status, code, scope]) => [status, code, scope, null] as const),
  ])('%s %s: %s', async (status, code, scope, sent) => {
    const person = await context.waiting();
    await refuseWith(status, sent, { ticketId: 77 });
    const result = context.step('triggerMember', person);
    if (scope === 'campaign') {
      expect(await failureOf(result)).toMatchObject({
        type: code,
        nonRetryable: true,
        details: [{ scope: 'run', step: 'triggerMember' }],
      });
      expect(await facts(person)).toEqual(WAITING);
    } else if (scope === 'later') {
      const failure = await failureOf(result);
      expect(failure.nonRetryable).not.toBe(true);
      expect(failure.nextRetryDelay).toBeGreaterThan(0);
      expect(await facts(person)).toEqual(WAITING);
      await context.db.query("update slots set blocked_until = '-infinity'");
    } else if (scope === 'gone') {
      expect(await result).toEqual({ state: 'waiting', next: 'findMember' });
      expect(await facts(person)).toEqual(WAITING);
    } else if (scope === 'served') {
      expect(await result).toEqual({ state: 'skipped', next: null });
      expect(await facts(person)).toEqual({ state: 'skipped', code: 'HUMAN_SERVICE', touches: 0, runs: 0 });
      expect((await context.rowOf(person)).ticket_id).toBe(77);
      return;
    } else {
      expect(await result).toEqual({ state: 'failed', next: null });
      expect(await facts(person)).toEqual({ state: 'failed', code, touches: 0, runs: 0 });
      expect((await context.drive(person)).answer).toEqual({ state: 'failed', next: null });
      return;
    }
    // Once that is mended, the member goes on as if nothing had been.
    expect((await context.drive(person)).answer).toEqual({ state: 'triggered', next: null });
    expect(await facts(person)).toEqual(TRIGGERED);
  });
});

const LOST = [
  ['FAULTS 1: reset after the effect', { kind: 'reset-after' }, 1],
  ['FAULTS 4: reset before it, with the request sent', { kind: 'reset-before' }, 0],
  ['FAULTS 5: a 500 without code', { kind: 'status', status: 500, body: { error: 'oops' } }, 0],
  ['FAULTS 5: a 503 with one', { kind: 'status', status: 503, body: { error: 'x', code: 'ERR_BUSY' } }, 0],
  ['FAULTS 6: a page instead of an answer', { kind: 'html' }, 1],
  ['FAULTS 6: half an answer', { kind: 'truncate' }, 1],
  ['FAULTS 9: no answer', { kind: 'hang' }, 0],
  // Whoever hangs up during the delay is not served.
  ['FAULTS 9: an answer after the deadline', { kind: 'delay', ms: 400 }, 0],
  ['FAULTS 10: a redirect', { kind: 'status', status: 302, headers: { location: 'http://192.0.2.1/' } }, 0],
] as const;

describe('a lost response makes the member unknown, and it is never triggered again', () => {
  it.each(LOST)('%s', async (_, fault, ran) => {
    const person = await context.waiting();
    await arm(fault);
    expect(await hasty.step('triggerMember', person)).toEqual({ state: 'unknown', next: null });
    for (const worker of [context, hasty])
      expect(await worker.step('triggerMember', person)).toEqual({ state: 'unknown', next: null });
    const seen = await until('the service is through with it', async () => (await calls()) || null);
    expect(seen).toBe(1);
    expect(await facts(person)).toEqual({
      state: 'unknown',
      code: 'TRIGGER_AMBIGUOUS',
      touches: 1,
      runs: ran,
    });
    expect(await calls()).toBe(0);
  });

  it('but a refused connection sent nothing: retried', async () => {
    const person = await context.waiting();
    const away = context.worker({ baseUrl: 'http://127.0.0.1:1/wapi' });
    expect(await failureOf(away.step('triggerMember', person))).toMatchObject({ type: 'TRANSPORT_CONNECT' });
    expect(await facts(person)).toEqual(WAITING);
    expect((await context.drive(person)).answer).toEqual({ state: 'triggered', next: null });
  });

  it('FAULTS 4: whatever happens to several calls, at most one flow runs', async () => {
    const person = await context.waiting();
    await refuseWith(429, 'ERR_RATE_LIMITED');
    await arm({ kind: 'reset-after' });
    expect((await context.drive(person)).answer).toEqual({ state: 'unknown', next: null });
    expect(await calls()).toBe(2);
    expect(await facts(person)).toMatchObject({ state: 'unknown', touches: 1, runs: 1 });
  });
});

describe('FAULTS 12: a refusal of the campaign itself leaves the member waiting', () => {
  it.each([
    ['the token is revoked', { token: 'svc_test_revoked' }, {}, 'ERR_TOKEN_REVOKED'],
    ['the token has expired', { token: 'svc_test_expired' }, {}, 'ERR_TOKEN_EXPIRED'],
    ['nobody has such a token', { token: 'svc_test_nobody' }, {}, 'ERR_TOKEN_INVALID'],
    ['the token lacks the scope', { token: 'svc_test_narrow' }, {}, 'ERR_SCOPE_MISSING'],
    ['the flow is not published', {}, { flow: 2 }, 'ERR_FLOW_NOT_EXECUTABLE'],
    ['there is no such flow', {}, { flow: 9 }, 'ERR_FLOW_NOT_FOUND'],
    ['the connection is of another channel', {}, { connection: 3 }, 'ERR_UNSUPPORTED_CHANNEL'],
    ['there is no such connection', {}, { connection: 9 }, expect.stringMatching(/NOT_FOUND$/)],
    [
      'the contact goes by another name',
      { assumptions: { 'flows.contactField': 'who' } },
      {},
      'ERR_CONTACT_IDENTIFIER_REQUIRED',
    ],
  ] as readonly [string, WorkerOptions, Record<string, unknown>, unknown][])(
    '%s',
    async (_, options, config, type) => {
      const person = await context.waiting(config);
      const worker = context.worker(options);
      expect(await failureOf(worker.step('triggerMember', person))).toMatchObject({
        type,
        nonRetryable: true,
        details: [{ scope: 'run', step: 'triggerMember' }],
      });
      expect(await facts(person)).toEqual(WAITING);
    },
  );

  it.each([
    [{ flow: 2 }, /ERR_FLOW_NOT_EXECUTABLE: flow 2 is not active, not published or empty; publish it/],
    [{ connection: 3 }, /ERR_UNSUPPORTED_CHANNEL: connection 3 has a channel that can't run flows/],
  ])('and the reason names what to fix: %j', async (config, message) => {
    const failure = await failureOf(context.worker().step('triggerMember', await context.waiting(config)));
    expect(failure).toMatchObject({ message: expect.stringMatching(message) });
  });

  it('another server is at the address', async () => {
    const person = await context.waiting();
    const worker = context.worker({ baseUrl: context.sandbox.panelUrl });
    expect(await failureOf(worker.step('triggerMember', person))).toMatchObject({
      type: 'HTTP_404',
      details: [{ scope: 'run' }],
      message: expect.stringContaining('is baseUrl right?'),
    });
    expect(await facts(person)).toEqual(WAITING);
  });

  it('and it is triggered once that is fixed', async () => {
    const person = await context.waiting();
    await failureOf(context.worker({ token: 'svc_test_revoked' }).step('triggerMember', person));
    expect(await context.step('triggerMember', person)).toEqual({ state: 'triggered', next: null });
    expect(await facts(person)).toEqual(TRIGGERED);
  });
});
