// The core of writes that must not happen twice: two attempts in any order, a death at any point, whatever the service answers.
import { setImmediate as tick } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CallCounter } from '../../../../activities/shared/call-counter.ts';
import { withCallScope } from '../../../../activities/shared/call-scope.ts';
import { MAX_SENDS, readBack } from '../../../../activities/shared/read-back.ts';
import { type Subject, type Write, writeOnce } from '../../../../activities/shared/write-once.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { endIntent, getIntent, type NewIntent } from '../../../../src/core/store/intents.ts';
import type { MessagingClient } from '../../../../src/service/api-client/client.ts';
import { TransportError } from '../../../../src/service/api-client/errors.ts';
import type { Budget } from '../../../../src/service/budget/slots.ts';
import { partOf, testAccount, testDeps, testLog } from '../../../support/activities/deps.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { freshAccount } from '../../core/sql/support.ts';

const db = await testLedger();

type Next = 'call' | 'readBack' | 'done' | 'unknown';
const ANSWERS = ['ok', 'lost, with its effect', 'lost, without effect', 'refused'] as const;
type Answer = (typeof ANSWERS)[number];

class DiedError extends Error {}

/** What the service has and answers. */
interface World {
  readonly intent: NewIntent;
  readonly answers: Answer[];
  readonly unseen: boolean;
  effects: number;
  calls: number;
  lost: number;
}

const lostAnswer = (sent: boolean) =>
  new TransportError({
    method: 'POST',
    path: '/x',
    reason: 'connect',
    sent,
    status: null,
    causeCode: null,
  });

/** An attempt that takes `pauses` before its operations and dies at one of them: before it, or right after it. */
function attemptOf(world: World, pauses: readonly number[], diesAt: number | null, afterIt: boolean) {
  let operations = 0;
  let dead = false;
  const operate = async <T>(work: () => Promise<T>): Promise<T> => {
    if (dead) throw new DiedError();
    const n = operations++;
    for (let pause = pauses[n % pauses.length] ?? 0; pause > 0; pause--) await tick();
    dead = n === diesAt;
    if (dead && !afterIt) throw new DiedError();
    const result = await work();
    if (dead) throw new DiedError();
    return result;
  };
  const ledger: Database = {
    kind: db.kind,
    query: (sql, params) => operate(() => db.query(sql, params)),
    transaction: (work) => operate(() => db.transaction(work)),
    close: async () => undefined,
  };
  const account = testAccount(partOf<MessagingClient>('client', {}));
  const slot = { token: 'token', toleranceMs: 60_000, marked: false, number: 0, takenAt: 0 };
  const deps = testDeps({
    db: ledger,
    log: testLog(),
    calls: partOf<CallCounter>('calls', { count() {}, flush: async () => undefined }),
    budget: partOf<Budget>('budget', {
      reserve: async () => ({ ...slot, dueAt: performance.now() }),
      observe: async () => undefined,
      accepted: async () => undefined,
    }),
  });
  const subject: Subject<Next> = {
    account,
    intent: world.intent,
    step: 'createCard',
    where: {},
    failures: 0,
    stopsForAll: true,
    done: async () => 'done',
    callNext: async () => 'call',
    readBackNext: async () => 'readBack',
    unknown: async () => 'unknown',
  };
  const found = async (tx: Parameters<typeof endIntent>[0], intent: number): Promise<Next> => {
    await endIntent(tx, intent, 'done');
    return 'done';
  };
  const call = () =>
    operate(async () => {
      const answer = world.answers.shift() ?? 'ok';
      world.calls++;
      if (answer === 'ok' || answer === 'lost, with its effect') world.effects++;
      if (answer.startsWith('lost')) world.lost++;
      if (answer !== 'ok') throw lostAnswer(answer !== 'refused');
      return { data: 'answer', meta: { rate: null } } as never;
    });
  return async (next: Next): Promise<Next> => {
    const scope = { lane: 2, signal: new AbortController().signal };
    return await withCallScope(scope, async () => {
      if (next === 'readBack') {
        const intent = await getIntent(ledger, world.intent);
        return await readBack(deps, subject, intent, {
          find: async () => await operate(async () => (world.effects > 0 ? found : 'absent')),
        });
      }
      const unseen = world.unseen ? { unseen: 'UNSEEN' } : {};
      const write: Write<string, Next> = {
        scope: 'cards:write',
        call,
        accepted: (tx, _, id) => found(tx, id),
        ...unseen,
      };
      const known = await getIntent(ledger, world.intent);
      return await writeOnce(deps, subject, write, known);
    });
  };
}

/** Drives the subject on by healthy attempts; the time that they are asked to wait passes at once. */
async function drive(world: World): Promise<Next> {
  const attempt = attemptOf(world, [0], null, false);
  let next: Next = 'call';
  for (let steps = 0; next === 'call' || next === 'readBack'; steps++) {
    if (steps > 40) throw new Error('no end');
    next = await attempt(next).catch((error: unknown) => {
      if (error instanceof TransportError) return next;
      throw error;
    });
    await db.query(`update intents set sent_at = sent_at - interval '2 minutes' where account = $1`, [
      world.intent.account,
    ]);
  }
  return next;
}

it('an answer that shows the effect ends the write: nothing is read back', async () => {
  const intent = { account: freshAccount(), kind: 'card', subject: 's', run: 'r' } as const;
  const world: World = { intent, answers: ['ok'], unseen: false, effects: 0, calls: 0, lost: 0 };
  expect(await attemptOf(world, [0], null, false)('call')).toBe('done');
  expect(await getIntent(db, intent)).toMatchObject({ state: 'done', sends: 1, confirmed: false });
});

const attempts = fc.record({
  pauses: fc.array(fc.nat(4), { minLength: 1, maxLength: 6 }),
  diesAt: fc.option(fc.nat(6), { nil: null }),
  afterIt: fc.boolean(),
});

it.each([
  ['a read-back shows', false],
  ['nothing shows', true],
])(
  'FAULTS 16: of two attempts at what %s one sends, and an outcome that cannot be established is unknown',
  async (_, unseen) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...ANSWERS), { maxLength: 5 }),
        fc.tuple(attempts, attempts),
        async (answers, both) => {
          const intent = { account: freshAccount(), kind: 'card', subject: 's', run: 'r' } as const;
          const world: World = { intent, answers, unseen, effects: 0, calls: 0, lost: 0 };
          const died: boolean[] = [];
          await Promise.all(
            both.map(async ({ pauses, diesAt, afterIt }) => {
              try {
                await attemptOf(world, pauses, diesAt, afterIt)('call');
              } catch (error) {
                if (error instanceof DiedError) died.push(true);
                else if (!(error instanceof TransportError)) throw error;
              }
            }),
          );
          const end = await drive(world);
          expect(world.effects).toBeLessThanOrEqual(1);
          const row = await getIntent(db, intent);
          expect(row?.state).toBe(end === 'done' ? 'done' : 'unknown');
          if (end === 'done') expect(world.effects).toBe(1);
          else if (unseen) expect(died.length + world.lost).toBeGreaterThan(0);
          else
            expect([world.effects, (row?.sends ?? 0) - (row?.refused ?? 0) >= MAX_SENDS]).toEqual([0, true]);
          // Whoever heard the answer knows: without a loss or a death nothing is unknown.
          if (died.length + world.lost === 0) expect(end).toBe('done');
        },
      ),
      { numRuns: 150 },
    );
  },
);
