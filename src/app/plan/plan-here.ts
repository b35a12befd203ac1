// Plans a sync on the ledger of a state folder. It reads the source and the ledger, so it needs no client and only the
// secrets of the source.
import { dryRun } from '../../../activities/sync/plan/plan-dry.ts';
import type { PlanProgress } from '../../../activities/sync/plan/plan-run.ts';
import type { LedgerConfig } from '../../config/schema/ledger.ts';
import { type Environment, resolveSecret } from '../../config/secrets.ts';
import { openSource } from '../../connectors/sources/index.ts';
import type { PlanProblem, PlanReport } from '../../jobs/sync/contract/plan.ts';
import type { RunSpec } from '../../jobs/sync/contract/run.ts';
import { compileMapping } from '../../mapping/index.ts';
import { openLedger } from '../ledger/ledger-database.ts';
import { cipherOf } from '../ledger/ledger-encryption.ts';

/** Plain data, so that a thread can receive it. */
export interface PlanInput {
  readonly spec: RunSpec;
  /** Folder of the configuration. */
  readonly baseDir: string;
  /** Absolute; the caller owns its lock. */
  readonly stateDir: string;
  readonly env: Environment;
  /** Number of people of each kind to show in full. */
  readonly samples: number;
  readonly callsPerMinute: number;
  /** Whether to report every problem of a row. */
  readonly listed: boolean;
  /** Keys of the ledger, as references. */
  readonly keys: LedgerConfig['encryption']['keys'];
}

/** Receives the plan first, then the problems of its rows in source order. */
export interface PlanReader {
  plan(plan: PlanReport): Promise<void>;
  problems(batch: readonly PlanProblem[]): Promise<void>;
}

/** Number of problems per message: about 200 kB. */
const BATCH = 500;

/** @throws SourceError when the source is unreadable; SecretError for a secret of the source */
export async function planHere(
  input: PlanInput,
  onProgress: (progress: PlanProgress) => void,
  reader: PlanReader,
): Promise<void> {
  const { spec, baseDir, stateDir, env, samples, callsPerMinute, listed } = input;
  const secret = async (ref: string) => (await resolveSecret(ref, { env, baseDir })).value;
  const cipher = await cipherOf(input.keys, secret);
  const db = await openLedger({ url: env.DATABASE_URL, stateDir, cipher, onError: () => undefined });
  try {
    const makers = {
      openSource: (source: RunSpec['source']) => openSource(source, { baseDir, secret }),
      compileMapping,
    };
    const list = async (plan: PlanReport, problems: AsyncIterable<PlanProblem>) => {
      await reader.plan(plan);
      if (listed) await handOver(problems, reader);
    };
    await dryRun(db, { spec, makers, baseDir, samples, callsPerMinute, onProgress, list });
  } finally {
    await db.close();
  }
}

async function handOver(problems: AsyncIterable<PlanProblem>, reader: PlanReader): Promise<void> {
  let batch: PlanProblem[] = [];
  for await (const problem of problems) {
    batch.push(problem);
    if (batch.length < BATCH) continue;
    await reader.problems(batch);
    batch = [];
  }
  if (batch.length > 0) await reader.problems(batch);
}
