// Answers in a shape that every event of the account would meet: the event waits for an override instead of failing, and
// with the override it goes on where it was.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  eachItem,
  type ReshapedService,
  type Rule,
  rename,
  reshape,
} from '../../../../support/reshaped/reshaped-service.ts';
import { type EffectContext, flow, KNOWN, openEffectContext, stage, tags } from './support.ts';

let context: EffectContext;
let service: ReshapedService;
beforeAll(async () => {
  const card = { pipelineId: 1, stageId: 11, title: 'A', status: 'open' };
  context = await openEffectContext({ cards: [{ ...card, id: 1, contactId: 1 }] });
  service = await reshape(context.sandbox.baseUrl);
});
afterAll(async () => {
  await service.close();
  await context.close();
});
beforeEach(() => {
  service.calls.length = 0;
  service.rules = [];
});

const NUMBER = KNOWN[0] as string;
const wrapped = (on: RegExp): Rule => ({
  on,
  answer: (answer) => {
    const { requestId, ...rest } = answer.body;
    answer.body = { requestId, result: { inner: rest } };
  },
});
const CONTACTS = /^GET \/v1\/contacts$/;
const CARDS = /^GET \/v1\/cards$/;
const ENVELOPE = { 'answer.envelope': 'result.inner' };

describe('an event whose responses have another shape', () => {
  it.each([
    ['tags: the list of contacts', tags(NUMBER, ['vip']), wrapped(CONTACTS)],
    ['stage: the list of contacts', stage(NUMBER), wrapped(CONTACTS)],
    ['flow: the list of contacts', flow(KNOWN[1] as string), wrapped(CONTACTS)],
  ] as const)('waits, names the override, and goes on with it: %s', async (_, request, rule) => {
    service.rules = [rule];
    const id = await context.event(request);
    const { baseUrl } = service;
    await expect(context.drive(id, { by: context.worker({ baseUrl }) })).rejects.toMatchObject({
      type: 'UNEXPECTED_SHAPE',
      nonRetryable: true,
      message: expect.stringContaining('accounts.acme.assumptions: { answer.envelope: …') as string,
    });
    expect(await context.outcome(id)).toMatchObject({ outcome: null, kept: true });
    expect(service.writes()).toEqual([]);
    service.rules = [wrapped(/./)];
    await context.drive(id, { by: context.worker({ baseUrl, assumptions: ENVELOPE }) });
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
    expect(service.writes()).toHaveLength(1);
  });

  it('fails if only one record differs from the API text', async () => {
    service.rules = [eachItem(CARDS, 'cards', (card) => rename(card, 'pipeline', 'board'))];
    const id = await context.event(stage(NUMBER, { stage: 'Won' }));
    await context.drive(id, { by: context.worker({ baseUrl: service.baseUrl }) });
    expect(await context.outcome(id)).toMatchObject({
      outcome: 'failed',
      code: 'UNEXPECTED_SHAPE',
      kept: true,
    });
    expect(service.writes()).toEqual([]);
  });

  it('waits if the service misses the contact in the call', async () => {
    service.rules = [
      {
        on: /^POST \/v1\/flows\/trigger$/,
        answer: (answer) => {
          answer.status = 400;
          answer.body = { error: 'number is required', code: 'ERR_NUMBER_REQUIRED' };
        },
      },
    ];
    const id = await context.event(flow(NUMBER));
    await expect(
      context.drive(id, { by: context.worker({ baseUrl: service.baseUrl }) }),
    ).rejects.toMatchObject({
      type: 'ERR_NUMBER_REQUIRED',
      message: expect.stringContaining('accounts.acme.assumptions: { flows.contactField: …') as string,
    });
    expect(await context.outcome(id)).toMatchObject({ outcome: null });
  });
});
