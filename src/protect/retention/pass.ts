// One pass over all kinds of data: deletes what is older than its retention, in small steps with rests between them.
import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/schema/config.ts';
import { durationDays } from '../../core/config/base.ts';
import { type Database, LedgerError } from '../../core/sql/database.ts';
import { KINDS, type Kind } from './kinds.ts';
import { type Claim, claimKind, endPass, reportStep } from './states.ts';

/** A step that takes longer delays others: PGlite serves one statement at a time. */
const STEP_MS = 50;
/** Rows of the first step. Later ones grow and shrink with the time that a step takes. */
const FIRST_ROWS = 500;
const LEAST_ROWS = 50;
const MOST_ROWS = 10_000;
/** Rest after a step, as a multiple of its time: deleting takes at most a quarter of one connection. */
const REST = 3;
/** Least time between the ends of two passes of a kind, over all processes. */
const EVERY_MS = 55 * 60_000;

export interface PassOptions {
  readonly db: Database;
  readonly config: Pick<Config, 'retention' | 'ingress'>;
  readonly signal: AbortSignal;
  /** Resolves after this time, or when the signal aborts. */
  rest(ms: number): Promise<void>;
  /** One kind failed. The others continue. */
  failed(kind: string, error: unknown): void;
  /** @default 55 minutes */
  readonly everyMs?: number;
}

/** Deletes what is too old, of every kind that no other process has dealt with within the hour. */
export async function runPass(options: PassOptions): Promise<void> {
  for (const kind of KINDS) {
    if (options.signal.aborted) return;
    const claim = { kind: kind.kind, by: randomUUID() };
    try {
      await passOf(kind, claim, options);
    } catch (error) {
      options.failed(kind.kind, error);
      const code = error instanceof LedgerError && error.code !== null ? error.code : 'UNEXPECTED';
      // If the database is away, the claim expires by itself.
      await endPass(options.db, claim, code).catch((reason: unknown) => options.failed(kind.kind, reason));
    }
  }
}

async function passOf(kind: Kind, claim: Claim, options: PassOptions): Promise<void> {
  const { db, signal, rest } = options;
  const claimed = await claimKind(db, claim, options.everyMs ?? EVERY_MS);
  if (claimed === undefined) return;
  const days = durationDays(kind.keeps(options.config));
  await kind.prepare?.(db, days);
  let { position } = claimed;
  let limit = FIRST_ROWS;
  for (let more = true; more && !signal.aborted; ) {
    const began = performance.now();
    const step = await kind.step({ db, days, limit, position });
    const took = performance.now() - began;
    more = step.more;
    if (step.position !== undefined) position = step.position;
    if (!(await reportStep(db, claim, { deleted: step.deleted, position }))) return;
    limit = nextLimit(limit, took);
    if (more) await rest(took * REST);
  }
  await endPass(db, claim, null, !signal.aborted);
}

/** Doubles or halves the step, so that it takes about {@link STEP_MS}. */
function nextLimit(limit: number, tookMs: number): number {
  if (tookMs > STEP_MS) return Math.max(LEAST_ROWS, Math.floor(limit / 2));
  return tookMs < STEP_MS / 2 ? Math.min(MOST_ROWS, limit * 2) : limit;
}
