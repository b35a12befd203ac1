// A campaign played through by a workflow of the test: whatever comes of members and whatever operators do, nobody is triggered
// out of order, outside their window or twice, and in the end the outcomes add up to the audience.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { durationMs } from '../../../../../src/core/config/base.ts';
import { MEMBER_STATES } from '../../../../../src/jobs/campaigns/constants.ts';
import { type NextAction } from '../../../../../src/jobs/campaigns/contract/batches.ts';
import { compileCalendar } from '../../../../../src/jobs/campaigns/rules/calendar.ts';
import { ALL_DAY, daily } from '../../../../support/campaigns/windows.ts';
import { testLedger } from '../../../../support/postgres/ledger.ts';
import { type DecisionContext, decisionContext, type Outcome, refused } from './decision-context.ts';

const db = await testLedger();

const MINUTE = 60_000;
const NEVER = 'Pacific/Kiritimati,Pacific/Pago_Pago';
const zones = fc.constantFrom(
  'America/Sao_Paulo',
  'America/New_York',
  'Europe/Lisbon',
  'America/New_York,Europe/Lisbon',
  NEVER,
);
const nightly = { mon: ['22:00-02:00'], wed: ['22:00-02:00', '09:00-12:00'], sat: ['00:00-24:00'] };
const worked = daily('09:00-17:00');

const campaign = fc.record({
  members: fc.array(zones, { maxLength: 9 }),
  config: fc.record(
    {
      waves: fc.record(
        {
          canary: fc.integer({ min: 1, max: 2 }),
          size: fc.oneof(
            fc.integer({ min: 1, max: 9 }),
            fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
          ),
          settle: fc.constantFrom('0s', '15m', '3h'),
          every: fc.constantFrom('0s', '6h', '1d'),
        },
        { requiredKeys: ['size'] },
      ),
      windows: fc.constantFrom({ days: ALL_DAY }, { days: worked }, { days: nightly }),
      humanService: fc.constantFrom({ retryAfter: '1h', times: 2 }, { retryAfter: '2d' }),
      stop: fc.record({
        failed: fc.constant(0.3),
        unknown: fc.constant(0.3),
        atLeast: fc.integer({ min: 1, max: 3 }),
      }),
      start: fc.constant('2026-11-16T15:00:00Z'),
      end: fc.constantFrom('2026-11-18T15:00:00Z', '2026-12-16T15:00:00Z'),
    },
    { requiredKeys: ['waves', 'windows'] },
  ),
});

const OUTCOMES = [
  'triggered',
  'triggered',
  'triggered',
  'failed',
  'unknown',
  'skipped',
  'served',
  'left',
  'lost',
] as const;

/** The workflow, and what it has seen; `choose` answers a number below `n`. */
class Player {
  readonly context: DecisionContext;
  readonly choose: (n: number) => number;
  readonly #calendar;
  commands = 1;
  finished = 0;
  cancelled = false;
  /** Waves that operators have skipped. */
  readonly skipped = new Set<number>();
  /** Who was reached, or may have been. */
  readonly reached = new Set<number>();

  constructor(context: DecisionContext, choose: (n: number) => number) {
    this.context = context;
    this.choose = choose;
    this.#calendar = compileCalendar(context.spec.config.windows);
  }

  async play(): Promise<void> {
    await this.context.open();
    for (let steps = 0; ; steps++) {
      if (steps > 600) throw new Error(`stuck: ${JSON.stringify(await this.context.next())}`);
      if (steps < 60 && this.choose(6) === 0) await this.operate();
      if (await this.follow(await this.next())) return;
    }
  }

  async next(): Promise<NextAction> {
    const { paused } = await this.context.row();
    const next = await this.context.next();
    if (paused !== null && !this.cancelled) expect(next.do).toBe('pause');
    return next;
  }

  /** @returns true when the run is over */
  async follow(next: NextAction): Promise<boolean> {
    const { context } = this;
    if (next.do === 'triggerBatch') await this.trigger(next.wave);
    else if (next.do === 'pause') await context.command({ action: 'resume' }).then(() => this.commands++);
    else if (next.do === 'waitUntil') await this.rest(next.untilMs);
    else {
      expect(await context.close()).toBe(true);
      if (this.cancelled || this.finished++ > 0 || this.choose(2) === 0) return true;
      // Once more, for those that failed.
      await this.operate(['retry', 'again'][this.choose(2)]);
      return ((await context.row()).state as string) === 'finished';
    }
    return false;
  }

  async rest(untilMs: number): Promise<void> {
    expect(untilMs).toBeGreaterThanOrEqual(this.context.clock.at);
    // Something else may have woken it up.
    const early = this.choose(5) === 0 && untilMs - this.context.clock.at > MINUTE;
    this.context.clock.at = early ? Math.floor((untilMs + this.context.clock.at) / 2) : untilMs;
    await db.query(
      "update campaign_members set sent_at = sent_at - interval '40 seconds' where run_id = $1",
      [this.context.run],
    );
  }

  /** A batch, or two side by side; a lease of those that nobody begins ends by itself. */
  async trigger(wave: number | null): Promise<void> {
    const { clock } = this.context;
    /** When the lease of a member ends. */
    const leases = new Map<number, number>();
    for (let batches = 1 + this.choose(2); batches > 0; batches--) {
      const takenAt = clock.at;
      const { members, closesMs } = await this.context.take({ limit: 1 + this.choose(4), seconds: 60 });
      for (const id of members) {
        expect(leases.get(id) ?? 0).toBeLessThanOrEqual(takenAt);
        leases.set(id, takenAt + MINUTE);
      }
      for (const id of members) {
        if (clock.at >= closesMs) return;
        await this.member(id, wave);
        clock.at += this.choose(20) * MINUTE;
        if (this.choose(15) === 0) return await this.operate();
      }
    }
  }

  async member(id: number, wave: number | null): Promise<void> {
    const { context } = this;
    const [row] = await db.query<{
      state: string;
      zones: string;
      wave: number;
      not_before: Date | null;
    }>('select state, zones, wave, not_before from campaign_members where id = $1', [id]);
    expect(row).toMatchObject({ state: 'waiting', wave });
    const { start = 0, end = '2100-01-01' } = context.spec.config;
    const at = context.clock.at;
    expect(this.#calendar.at(row?.zones.split(',') ?? [], at).open).toBe(true);
    expect(at).toBeGreaterThanOrEqual(new Date(start).getTime());
    expect(at).toBeLessThan(new Date(end).getTime());
    expect(row?.not_before?.getTime() ?? 0).toBeLessThanOrEqual(at);
    expect(this.reached).not.toContain(id);
    const outcome = this.outcome();
    if (outcome === null) return;
    if (['triggered', 'unknown', 'sending'].includes(outcome.state)) this.reached.add(id);
    await context.outcome(id, outcome);
  }

  /** Null: it waits for another batch. */
  outcome(): Outcome | null {
    const chosen = OUTCOMES[this.choose(OUTCOMES.length)];
    const { retryAfter } = this.context.spec.config.humanService;
    switch (chosen) {
      case 'left':
        return null;
      case 'lost':
        return { state: 'sending', sentAgo: this.choose(120) };
      case 'failed':
        return { state: 'failed', code: ['ERR_X', 'ERR_Y'][this.choose(2)] as string };
      case 'skipped':
        return { state: 'skipped', code: 'OPTED_OUT' };
      case 'served':
        if (retryAfter === undefined) return { state: 'skipped', code: 'HUMAN_SERVICE' };
        return { state: 'waiting', retryAt: this.context.clock.at + durationMs(retryAfter) };
      default:
        return { state: chosen ?? 'triggered' };
    }
  }

  async operate(
    wanted = ['pause', 'rate', 'skip', 'retry', 'again', 'not', 'did', 'reopen', 'cancel'][this.choose(9)],
  ): Promise<void> {
    const { context } = this;
    if (this.cancelled) return;
    const done = async (command: Parameters<DecisionContext['command']>[0]): Promise<number> => {
      const before = context.clock.at;
      const shown = await refused(context.command(command));
      if (['NOTHING_TO_DO', 'CAMPAIGN_OVER'].includes(shown)) return 0;
      expect(context.clock.at).toBe(before);
      this.commands++;
      return (JSON.parse(shown) as { members: number }).members;
    };
    const resolve = { action: 'resolve', members: null, again: false } as const;
    const unknown = await this.ids('unknown');
    switch (wanted) {
      case 'pause':
        await done({ action: 'pause' });
        break;
      case 'rate':
        await done({ action: 'rate', callsPerMinute: this.choose(2) === 0 ? null : 60 });
        break;
      case 'skip':
        if ((await done({ action: 'skipWave' })) > 0)
          this.skipped.add(Number((await context.audit()).at(-1)?.details['wave' as never]));
        break;
      case 'retry':
        await done({ action: 'retry', codes: this.choose(2) === 0 ? null : ['ERR_X'] });
        break;
      case 'again':
      case 'not':
        await done({ ...resolve, as: 'notTriggered', again: wanted === 'again' });
        if ((await this.ids('unknown')).length === 0) for (const id of unknown) this.reached.delete(id);
        break;
      case 'did':
        await done({ ...resolve, as: 'triggered' });
        break;
      case 'cancel':
        // Rarely: what comes after is of more interest.
        if (this.choose(4) > 0) break;
        await db.query(
          "update campaign_members set sent_at = sent_at - interval '90 seconds' where run_id = $1",
          [context.run],
        );
        await done({ action: 'cancel' });
        this.cancelled = true;
        break;
      default:
        await context.open('somebody else');
    }
  }

  async ids(state: string): Promise<number[]> {
    const rows = await db.query<{ id: number }>(
      'select id from campaign_members where run_id = $1 and state = $2',
      [this.context.run, state],
    );
    return rows.map(({ id }) => id);
  }
}

async function checkEnd(
  { context, cancelled, skipped, commands, finished }: Player,
  audience: number,
): Promise<void> {
  const { counts } = await context.next();
  expect(MEMBER_STATES.reduce((sum, state) => sum + counts[state], 0)).toBe(audience);
  expect([counts.found, counts.waiting, counts.sending]).toEqual([0, 0, 0]);
  expect((await context.row()).state).toBe(cancelled ? 'cancelled' : 'finished');
  expect((await context.audit()).length).toBe(commands + finished);
  if (!cancelled) expect(counts.cancelled).toBe(0);
  const { settle, every } = context.spec.config.waves;
  const waves = await context.waves();
  expect(waves.map(({ wave }) => wave)).toEqual(waves.map((_, n) => n + 1));
  let before: Date | null = null;
  for (const wave of waves) {
    const moved = Object.values(wave.moved_on).reduce((sum, n) => sum + n, 0);
    expect(wave.members + moved).toBe(wave.size);
    if (cancelled) continue;
    const { started_at: began, ended_at: ended, judged_at: judged } = wave;
    if (ended === null || judged === null) throw new Error(`wave ${wave.wave} was never judged`);
    if (!skipped.has(wave.wave))
      expect(judged.getTime()).toBeGreaterThanOrEqual(ended.getTime() + durationMs(settle));
    if (wave.kind === 'retry' || skipped.has(wave.wave)) continue;
    if (before !== null) expect(began.getTime()).toBeGreaterThanOrEqual(before.getTime() + durationMs(every));
    before = began;
    for (const earlier of waves.slice(0, wave.wave - 1))
      expect(earlier.judged_at?.getTime()).toBeLessThanOrEqual(began.getTime());
  }
}

it('FAULTS 24: everybody has an outcome in the end, and nobody is triggered out of order or twice', async () => {
  await fc.assert(
    fc.asyncProperty(campaign, fc.infiniteStream(fc.nat()), async ({ members, config }, choices) => {
      const context = await decisionContext(db, { members, config, others: ['holdout'] });
      const player = new Player(context, (n) => (choices.next().value as number) % n);
      await player.play();
      await checkEnd(player, members.length + 1);
    }),
    { numRuns: Number(process.env.RUNS ?? 8) },
  );
});
