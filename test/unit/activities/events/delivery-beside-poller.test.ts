// Following messages beside a poller that sees them, too: together they publish each status once, and spend few calls.
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openDeliveryContext, SECOND, type Sent } from './delivery-context.ts';

const context = await openDeliveryContext();
const { db, clock, panel } = context;
const { next, check, watch, newNumber, send, published, entry, poll, pageOf } = context;

beforeEach(context.fresh);
afterAll(context.close);

describe('beside a poller', () => {
  const step = fc.oneof(
    fc.record({ op: fc.constant('send' as const), fate: fc.nat(5) }),
    { weight: 3, arbitrary: fc.record({ op: fc.constant('poll' as const) }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constant('old page' as const), which: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('round' as const) }) },
    { weight: 2, arbitrary: fc.record({ op: fc.constant('check' as const) }) },
    {
      weight: 3,
      arbitrary: fc.record({ op: fc.constant('pass' as const), ms: fc.constantFrom(700, 2500, 30_000) }),
    },
  );

  it('in any order with the checks, every status is published forward to its end, with at most eight calls per message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
        for (const table of ['deliveries', 'messages', 'outbox']) await db.query(`delete from ${table}`);
        const number = newNumber();
        const sent = [await send(number)];
        const since = (await panel.requests(0)).at(-1)?.seq ?? 0;
        const { conversation } = sent[0] as Sent;
        const pages: Awaited<ReturnType<typeof pageOf>>[] = [];
        for (const each of steps) {
          // Fate 0: over a connection that is down, so in a conversation of its own.
          if (each.op === 'send') sent.push(await send(number, { whatsappId: each.fate === 0 ? 2 : 1 }));
          else if (each.op === 'poll') {
            pages.push(await pageOf(conversation));
            await poll(conversation, pages.at(-1));
          }
          // Written down once more, or by another poller who read it then.
          else if (each.op === 'old page' && pages.length > 0)
            await poll(conversation, pages[each.which % pages.length]);
          else if (each.op === 'round') await next();
          else if (each.op === 'check') await check();
          else if (each.op === 'pass') clock.at += each.ms;
        }
        await watch();
        const order = ['queued', 'sent', 'server_ack', 'delivered', 'read'];
        for (const { id } of sent) {
          const row = await entry(id);
          expect(row.nextAt).toBeNull();
          const words = await published(id);
          expect(words).toEqual(words.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
          expect(words.at(-1) ?? 'queued').toBe(row.status);
          expect(row.status === 'read' || row.endCode === 'DEADLINE').toBe(true);
        }
        // One page serves several messages: it is the calls that are bounded.
        const asked = (await panel.requests(since)).filter(({ method }) => method === 'GET');
        expect(asked.length - pages.length).toBeLessThanOrEqual(8 * sent.length);
      }),
      { numRuns: 10 },
    );
  });

  it('a poller that sees every change saves all checks but the first ones', async () => {
    const sent = await send();
    let checks = 0;
    for (let n = 0; n < 20; n++) {
      checks += await watch(clock.at + 2 * SECOND);
      await poll(sent.conversation);
    }
    checks += await watch();
    expect(checks).toBe(0);
    expect(await published(sent.id)).toContain('read');
  });
});
