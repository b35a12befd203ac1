// Flows whose answers get lost, attempts that meet, workers that die: one effect, or an outcome shown as unknown.
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeEvent } from '../../../../activities/events/intake.ts';
import { forgetEvents } from '../../../../src/ledger/events/events.ts';
import { takeIntent } from '../../../../src/ledger/sync/intents.ts';
import { until } from '../../../support/until.ts';
import { type EffectRoom, FAULTS, flow, KNOWN, message, openEffectRoom, stage } from './support.ts';

let room: EffectRoom;
/** A client that does not wait long for an answer. */
let hasty: ReturnType<EffectRoom['worker']>;
beforeAll(async () => {
  room = await openEffectRoom();
  hasty = room.worker({ deadlineMs: 150 });
});
afterAll(() => room.close());
beforeEach(async () => {
  await room.panel.clearFaults();
  await room.requests();
});

let people = 0;
const move = () => ({ ...stage(KNOWN[0] as string), of: { card: 1 } });
const newNumber = () => `55119${String(80_000_000 + ++people)}`;

describe('a flow whose answer is lost is unknown, and never triggered again', () => {
  it.each(FAULTS)('%s', async (_, fault, sends) => {
    const before = (await room.flowRuns()).length;
    await room.panel.fault({ ...fault, method: 'POST', path: '/v1/flows', times: 1 });
    const id = await room.event(flow(KNOWN[0] as string));
    await room.drive(id, { by: hasty });
    expect(await room.outcome(id)).toMatchObject({
      ...{ outcome: 'unknown', code: 'FLOW_AMBIGUOUS', step: 'triggerFlow', kept: true },
    });
    await room.drive(id);
    expect((await room.requests()).filter(({ path }) => path === '/v1/flows/trigger')).toHaveLength(1);
    expect(await room.flowRuns()).toHaveLength(before + (sends === 1 ? 1 : 0));
  });

  it('but one that was refused for now is tried again', async () => {
    const body = { error: 'too many', code: 'ERR_RATE_LIMITED' };
    const headers = { 'Retry-After': '1' };
    await room.panel.fault({ method: 'POST', kind: 'status', status: 429, body, headers, times: 1 });
    const id = await room.event(flow(KNOWN[0] as string));
    await expect(room.drive(id, { max: 1 })).rejects.toThrow('no end');
    await room.db.query("update slots set blocked_until = '-infinity'");
    await room.drive(id);
    expect(await room.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it('of a worker that died: not while its call may be under way, and then unknown', async () => {
    const id = await room.event(flow(KNOWN[0] as string));
    const key = { account: 'acme', kind: 'event-flow', subject: id, run: room.run } as const;
    await takeIntent(room.db, key);
    const waiting = await room.step('triggerFlow', id);
    expect(waiting).toMatchObject({ next: 'triggerFlow' });
    expect(waiting.waitMs).toBeGreaterThan(55_000);
    expect(await room.drive(id)).toEqual(['triggerFlow', 'triggerFlow']);
    expect(await room.outcome(id)).toMatchObject({ outcome: 'unknown', code: 'FLOW_AMBIGUOUS' });
    expect(await room.requests()).toEqual([]);
  });

  it('FAULTS 17: an answer that comes after the event was given up makes it done', async () => {
    await room.panel.fault({ method: 'POST', path: '/v1/flows', kind: 'delay', ms: 400, times: 1 });
    const id = await room.event(flow(KNOWN[0] as string));
    const late = room.step('triggerFlow', id);
    await until('the call is under way', async () => (await room.intent(id))?.state === 'sent');
    await room.pass(61_000);
    expect(await room.step('triggerFlow', id)).toEqual({ next: null });
    expect(await room.outcome(id)).toMatchObject({ outcome: 'unknown' });
    expect(await late).toEqual({ next: null });
    expect(await room.outcome(id)).toMatchObject({ outcome: 'done', code: null, kept: false });
  });
});

describe('attempts that meet', () => {
  it.each(['message', 'flow', 'stage'])(
    'a %s whose event is cancelled while a stale attempt waits for its slot is not sent',
    async (type) => {
      const requests = { message: message(newNumber()), flow: flow(KNOWN[0] as string), stage: move() };
      const id = await room.event(requests[type as keyof typeof requests]);
      const { deps, step } = room.worker();
      const { reserve } = deps.budget;
      vi.spyOn(deps.budget, 'reserve').mockImplementationOnce(async (...slot) => {
        await closeEvent(deps, { event: id, cancelled: true });
        return await reserve(...slot);
      });
      await room.drive(id, { by: { step } });
      expect(await room.outcome(id)).toMatchObject({ outcome: 'discarded', code: 'CANCELLED' });
      expect(await room.requests()).toEqual([]);
    },
  );

  it('FAULTS 17: six at once send one message', async () => {
    const to = newNumber();
    const id = await room.event(message(to));
    await Promise.all(Array.from({ length: 6 }, () => room.step('sendMessage', id)));
    await room.drive(id);
    expect(await room.sentTo(to)).toEqual(['hello']);
    expect(await room.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it('FAULTS 17: six at once trigger one flow', async () => {
    const before = (await room.flowRuns()).length;
    const id = await room.event(flow(KNOWN[0] as string));
    await Promise.all(Array.from({ length: 6 }, () => room.step('triggerFlow', id)));
    await room.drive(id);
    expect(await room.flowRuns()).toHaveLength(before + 1);
    expect(await room.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it.each([
    ['before its call', false],
    ['after its call', true],
  ])('FAULTS 16: a worker that died %s has sent once', async (_, sent) => {
    const to = newNumber();
    const id = await room.event(message(to));
    // Of a twin that never ended, the ledger knows what it says.
    await room.panel.fault({ method: 'POST', kind: sent ? 'reset-after' : 'reset-before', times: 1 });
    await room.step('sendMessage', id);
    expect(await room.intent(id)).toMatchObject({ state: 'sent' });
    await room.db.query(`update events set progress = '{}' where id = $1`, [id]);
    await room.drive(id);
    expect(await room.sentTo(to)).toEqual(['hello']);
    expect(await room.outcome(id)).toMatchObject({ outcome: 'done' });
  });

  it('whatever happens to each call of a message: one arrives, or the outcome is unknown', async () => {
    const kinds = ['none', 'reset-before', 'reset-after', 'status', 'truncate', 'html'] as const;
    const kind = fc.constantFrom(...kinds);
    await fc.assert(
      fc.asyncProperty(
        fc.array(kind, { maxLength: 4 }),
        fc.array(kind, { maxLength: 4 }),
        async (posts, gets) => {
          await room.panel.clearFaults();
          const arm = (method: string, list: readonly (typeof kinds)[number][]) =>
            list.map((each) =>
              room.panel.fault(
                each === 'none'
                  ? { method, kind: 'delay', ms: 0, times: 1 }
                  : { method, kind: each, times: 1 },
              ),
            );
          await Promise.all([...arm('POST', posts), ...arm('GET', gets)]);
          const to = newNumber();
          const id = await room.event(message(to));
          await room.drive(id);
          const { outcome } = await room.outcome(id);
          const sent = await room.sentTo(to);
          expect(sent.length).toBeLessThanOrEqual(1);
          expect(sent.length === 1 ? ['done'] : ['unknown']).toContain(outcome);
        },
      ),
      { numRuns: 15 },
    );
  });
});

it('an event that is forgotten takes its intent along, and no other', async () => {
  const [old, young] = [await room.event(message(newNumber())), await room.event(message(newNumber()))];
  for (const id of [old, young]) await room.drive(id);
  await room.db.query(`update events set ended_at = now() - interval '91 days' where id = $1`, [old]);
  await forgetEvents(room.db, 90);
  expect(await room.intent(old)).toBeUndefined();
  expect(await room.intent(young)).toMatchObject({ state: 'done' });
});
