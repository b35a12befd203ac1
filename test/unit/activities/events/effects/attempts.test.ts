// Flows whose answers get lost, attempts that meet, workers that die: one effect, or an outcome shown as unknown.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeEvent } from '../../../../../activities/events/intake.ts';
import { takeIntent } from '../../../../../src/core/store/intents.ts';
import { forgetEvents } from '../../../../../src/jobs/events/store/event-end.ts';
import { until } from '../../../../support/until.ts';
import { type EffectContext, FAULTS, flow, KNOWN, message, openEffectContext, stage } from './support.ts';

let context: EffectContext;
/** A client that does not wait long for an answer. */
let hasty: ReturnType<EffectContext['worker']>;
beforeAll(async () => {
  context = await openEffectContext();
  hasty = context.worker({ deadlineMs: 150 });
});
afterAll(() => context.close());
beforeEach(async () => {
  await context.panel.clearFaults();
  await context.requests();
});

let people = 0;
const move = () => ({ ...stage(KNOWN[0] as string), of: { card: 1 } });
const newNumber = () => `55119${String(80_000_000 + ++people)}`;

describe('a flow with a lost response is unknown, and never triggered again', () => {
  it.each(FAULTS)('%s', async (_, fault, sends) => {
    const before = (await context.flowRuns()).length;
    await context.panel.fault({ ...fault, method: 'POST', path: '/v1/flows', times: 1 });
    const id = await context.event(flow(KNOWN[0] as string));
    await context.drive(id, { by: hasty });
    expect(await context.outcome(id)).toMatchObject({
      outcome: 'unknown',
      code: 'FLOW_AMBIGUOUS',
      step: 'triggerFlow',
      kept: true,
    });
    await context.drive(id);
    expect((await context.requests()).filter(({ path }) => path === '/v1/flows/trigger')).toHaveLength(1);
    expect(await context.flowRuns()).toHaveLength(before + (sends === 1 ? 1 : 0));
  });

  it('but a temporarily refused one is retried', async () => {
    const body = { error: 'too many', code: 'ERR_RATE_LIMITED' };
    const headers = { 'Retry-After': '1' };
    await context.panel.fault({ method: 'POST', kind: 'status', status: 429, body, headers, times: 1 });
    const id = await context.event(flow(KNOWN[0] as string));
    await expect(context.drive(id, { max: 1 })).rejects.toThrow('no end');
    await context.db.query("update slots set blocked_until = '-infinity'");
    await context.drive(id);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it('of a crashed worker: no outcome while its call may be in progress, then unknown', async () => {
    const id = await context.event(flow(KNOWN[0] as string));
    const key = { account: 'acme', kind: 'event-flow', subject: id, run: context.run } as const;
    await takeIntent(context.db, key);
    const waiting = await context.step('triggerFlow', id);
    expect(waiting).toMatchObject({ next: 'triggerFlow' });
    expect(waiting.waitMs).toBeGreaterThan(55_000);
    expect(await context.drive(id)).toEqual(['triggerFlow', 'triggerFlow']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'unknown', code: 'FLOW_AMBIGUOUS' });
    expect(await context.requests()).toEqual([]);
  });

  it('FAULTS 17: a response after the event was given up makes it done', async () => {
    await context.panel.fault({ method: 'POST', path: '/v1/flows', kind: 'delay', ms: 400, times: 1 });
    const id = await context.event(flow(KNOWN[0] as string));
    const late = context.step('triggerFlow', id);
    await until('the call is in progress', async () => (await context.intent(id))?.state === 'sent');
    await context.pass(61_000);
    expect(await context.step('triggerFlow', id)).toEqual({ next: null });
    expect(await context.outcome(id)).toMatchObject({ outcome: 'unknown' });
    expect(await late).toEqual({ next: null });
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done', code: null, kept: false });
  });
});

describe('concurrent attempts', () => {
  it.each(['message', 'flow', 'stage'])(
    'a %s whose event is cancelled while a stale attempt waits for its slot is not sent',
    async (type) => {
      const requests = { message: message(newNumber()), flow: flow(KNOWN[0] as string), stage: move() };
      const id = await context.event(requests[type as keyof typeof requests]);
      const { deps, step } = context.worker();
      const { reserve } = deps.budget;
      vi.spyOn(deps.budget, 'reserve').mockImplementationOnce(async (...slot) => {
        await closeEvent(deps, { event: id, cancelled: true });
        return await reserve(...slot);
      });
      await context.drive(id, { by: { step } });
      expect(await context.outcome(id)).toMatchObject({ outcome: 'discarded', code: 'CANCELLED' });
      expect(await context.requests()).toEqual([]);
    },
  );

  it('FAULTS 17: six concurrent attempts send one message', async () => {
    const to = newNumber();
    const id = await context.event(message(to));
    await Promise.all(Array.from({ length: 6 }, () => context.step('sendMessage', id)));
    await context.drive(id);
    expect(await context.sentTo(to)).toEqual(['hello']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it('FAULTS 17: six concurrent attempts trigger one flow', async () => {
    const before = (await context.flowRuns()).length;
    const id = await context.event(flow(KNOWN[0] as string));
    await Promise.all(Array.from({ length: 6 }, () => context.step('triggerFlow', id)));
    await context.drive(id);
    expect(await context.flowRuns()).toHaveLength(before + 1);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it.each([
    ['before its call', false],
    ['after its call', true],
  ])('FAULTS 16: a worker that crashed %s has sent once', async (_, sent) => {
    const to = newNumber();
    const id = await context.event(message(to));
    // The ledger knows the content of a look-alike that never ended.
    await context.panel.fault({ method: 'POST', kind: sent ? 'reset-after' : 'reset-before', times: 1 });
    await context.step('sendMessage', id);
    expect(await context.intent(id)).toMatchObject({ state: 'sent' });
    await context.db.query(`update events set progress = '{}' where id = $1`, [id]);
    await context.drive(id);
    expect(await context.sentTo(to)).toEqual(['hello']);
    expect(await context.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it('whatever happens to each call of a message: one arrives, or the outcome is unknown', async () => {
    const kinds = ['none', 'reset-before', 'reset-after', 'status', 'truncate', 'html'] as const;
    const kind = fc.constantFrom(...kinds);
    await fc.assert(
      fc.asyncProperty(
        fc.array(kind, { maxLength: 4 }),
        fc.array(kind, { maxLength: 4 }),
        async (posts, gets) => {
          await context.panel.clearFaults();
          const arm = (method: string, list: readonly (typeof kinds)[number][]) =>
            list.map((each) =>
              context.panel.fault(
                each === 'none'
                  ? { method, kind: 'delay', ms: 0, times: 1 }
                  : { method, kind: each, times: 1 },
              ),
            );
          await Promise.all([...arm('POST', posts), ...arm('GET', gets)]);
          const to = newNumber();
          const id = await context.event(message(to));
          await context.drive(id);
          const { outcome } = await context.outcome(id);
          const sent = await context.sentTo(to);
          expect(sent.length).toBeLessThanOrEqual(1);
          expect(sent.length === 1 ? ['done'] : ['unknown']).toContain(outcome);
        },
      ),
      { numRuns: 15 },
    );
  });
});

it('forgetting an event deletes its intent, and no other', async () => {
  const [old, young] = [await context.event(message(newNumber())), await context.event(message(newNumber()))];
  for (const id of [old, young]) await context.drive(id);
  await context.db.query(`update events set ended_at = now() - interval '91 days' where id = $1`, [old]);
  await forgetEvents(context.db, 90);
  expect(await context.intent(old)).toBeUndefined();
  expect(await context.intent(young)).toMatchObject({ state: 'done' });
});
