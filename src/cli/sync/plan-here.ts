// Plans a sync on the ledger of a state folder. It needs what reading the source and the ledger takes: no client, and no
// secret but those of the source.
import { dryRun } from '../../../activities/sync/plan/plan-dry.ts';
import type { PlanProgress } from '../../../activities/sync/plan/plan-run.ts';
import { type Environment, resolveSecret } from '../../config/secrets.ts';
import type { PlanProblem, PlanReport } from '../../contracts/wire/plan.ts';
import type { RunSpec } from '../../contracts/wire/run.ts';
import { compileMapping } from '../../mapping/index.ts';
import { openLedger } from '../../runtime/ledger-database.ts';
import { openSource } from '../../sources/index.ts';

/** Plain data: a thread can be handed it. */
export interface PlanInput {
  readonly spec: RunSpec;
  /** Folder of the configuration. */
  readonly baseDir: string;
  /** Absolute; the caller has its lock. */
  readonly stateDir: string;
  readonly env: Environment;
  /** People of each kind shown in full. */
  readonly samples: number;
  readonly callsPerMinute: number;
  /** Every problem of a row is wanted. */
  readonly listed: boolean;
}

/** Takes the plan first, then the problems of its rows, in the order of the source. */
export interface PlanReader {
  plan(plan: PlanReport): Promise<void>;
  /** @returns whether more are wanted */
  problems(batch: readonly PlanProblem[]): Promise<boolean>;
}

/** Problems handed over at once: some 200 kB. */
const BATCH = 500;

/** @throws SourceError when the source cannot be read; SecretError for a secret of the source */
export async function planHere(
  input: PlanInput,
  onProgress: (progress: PlanProgress) => void,
  reader: PlanReader,
): Promise<PlanReport> {
  const { spec, baseDir, stateDir, env, samples, callsPerMinute, listed } = input;
  const db = await openLedger({ url: env.DATABASE_URL, stateDir, onError: () => undefined });
  try {
    const secret = async (ref: string) => (await resolveSecret(ref, { env, baseDir })).value;
    const makers = {
      openSource: (source: RunSpec['source']) => openSource(source, { baseDir, secret }),
      compileMapping,
    };
    const list = async (plan: PlanReport, problems: AsyncIterable<PlanProblem>) => {
      await reader.plan(plan);
      if (listed) await handOver(problems, reader);
    };
    return await dryRun(db, { spec, makers, baseDir, samples, callsPerMinute, onProgress, list });
  } finally {
    await db.close();
  }
}

async function handOver(problems: AsyncIterable<PlanProblem>, reader: PlanReader): Promise<void> {
  let batch: PlanProblem[] = [];
  for await (const problem of problems) {
    batch.push(problem);
    if (batch.length < BATCH) continue;
    if (!(await reader.problems(batch))) return;
    batch = [];
  }
  if (batch.length > 0) await reader.problems(batch);
}
