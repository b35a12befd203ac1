// Dry runs of a process: one at a time, each in a thread that can be ended anywhere. The last results stay for a while.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { withFile } from '../../connectors/sources/file.ts';
import { type Fingerprint, SourceError } from '../../core/source.ts';
import { dropTemporaryFiles } from '../../core/sql/embedded/cluster.ts';
import type { DryRun } from '../../jobs/sync/contract/plans.ts';
import { OperatorError } from '../../operator/error.ts';
import type { DryRunRequest, DryRuns, KeptDryRun } from '../../operator/service/deps.ts';
import type { PlanAnswer } from './plan-answer.ts';
import type { PlanInput } from './plan-here.ts';
import { createProblemFile, type ProblemFile } from './problem-file.ts';

const KEPT = 5;
/** Milliseconds after which a result, which contains personal data, is deleted. */
const KEPT_MS = 3_600_000;
/** Milliseconds of a dry run. Measured: 2,000,000 new rows beside a load on both cores take 91 s. */
const LIMIT_MS = 30 * 60_000;

export interface DryRunsOptions {
  /** Folder for what dry runs keep. Created if missing, readable for its owner only. */
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Runs `work` with a state folder whose ledger nobody else has open. Not used with DATABASE_URL. */
  lendLedger<T>(work: (stateDir: string) => Promise<T>): Promise<T>;
  /** Keys of the ledger, as references. */
  keys(): PlanInput['keys'];
  /** @default {@link LIMIT_MS} */
  readonly limitMs?: number;
}

interface Run {
  now: DryRun;
  readonly stop: AbortController;
  ended: Promise<void>;
  problems: ProblemFile | null;
  readonly spec: DryRunRequest['spec'];
  /** The file that it reads. Null: the source is none, or it is not there. */
  seen: Fingerprint | null;
}

export function createDryRuns({
  stateDir,
  env,
  lendLedger,
  keys,
  limitMs = LIMIT_MS,
}: DryRunsOptions): DryRuns & { close(): Promise<void> } {
  const runs = new Map<string, Run>();
  /** With the id of the process: a process that was killed cannot clean up after itself. */
  const folder = join(stateDir, `plans-${process.pid}`);

  async function work(run: Run, request: DryRunRequest): Promise<void> {
    const { spec, baseDir, samples, callsPerMinute, listed } = request;
    const { signal } = run.stop;
    const late = tooLate(spec.sync, limitMs);
    const timer = setTimeout(() => run.stop.abort(late), limitMs).unref();
    try {
      run.seen = await fileOf(spec, baseDir);
      const input = { spec, baseDir, env: { ...env }, samples, callsPerMinute, listed, keys: keys() };
      await removeLeft(stateDir);
      if (listed) {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        run.problems = await createProblemFile(join(folder, `${run.now.plan}.jsonl`));
      }
      const take = async (answer: PlanAnswer): Promise<void> => {
        if (answer.kind === 'progress') run.now = { ...run.now, read: answer.read, share: answer.share };
        else if (answer.kind === 'plan') run.now = { ...run.now, report: answer.plan };
        else if (answer.kind === 'problems') await run.problems?.add(answer.problems);
        else if (answer.kind === 'error') run.now = { ...run.now, state: 'failed', error: answer.error };
      };
      const plan = async (dir: string) => {
        try {
          await planBeside({ ...input, stateDir: dir }, signal, take);
        } finally {
          if (!env.DATABASE_URL) await dropTemporaryFiles(join(dir, 'ledger'));
        }
      };
      await (env.DATABASE_URL ? plan(stateDir) : lendLedger(plan));
      const listedRows = run.problems?.count ?? 0;
      if (run.now.state === 'running') run.now = { ...run.now, state: 'done', listed: listedRows };
    } catch (error) {
      if (signal.aborted && signal.reason !== late) run.now = { ...run.now, state: 'cancelled' };
      else
        run.now = {
          ...run.now,
          state: 'failed',
          error: { kind: 'failed', message: (error as Error).message },
        };
    } finally {
      clearTimeout(timer);
    }
  }

  async function forget(id: string): Promise<void> {
    const run = runs.get(id);
    runs.delete(id);
    if (run === undefined) return;
    run.stop.abort();
    await run.ended;
    await run.problems?.remove();
  }

  return {
    start(request) {
      for (const { now } of runs.values())
        if (now.state === 'running')
          throw new OperatorError(
            'conflict',
            `a dry run of "${now.sync}" is active since ${now.startedAt}; wait for its end or cancel it`,
            { code: 'PLAN_ACTIVE', retryAfterMs: 5000 },
          );
      const { account, sync } = request.spec;
      const now: DryRun = {
        plan: randomUUID(),
        account,
        sync,
        state: 'running',
        startedAt: new Date().toISOString(),
        read: 0,
        share: null,
        report: null,
        lines: {},
        listed: 0,
        error: null,
      };
      const run: Run = {
        now,
        stop: new AbortController(),
        ended: Promise.resolve(),
        problems: null,
        spec: request.spec,
        seen: null,
      };
      run.ended = work(run, request);
      runs.set(now.plan, run);
      const [oldest] = runs.keys();
      if (runs.size > KEPT && oldest !== undefined) void forget(oldest);
      setTimeout(() => void forget(now.plan), KEPT_MS).unref();
      return now.plan;
    },
    get(id): KeptDryRun | null {
      const run = runs.get(id);
      if (run === undefined) return null;
      return {
        read: () => run.now,
        file: { id, spec: run.spec, source_file: run.seen },
        problems: async (from, limit) => (await run.problems?.read(from, limit)) ?? [],
        async endWithin(ms) {
          const over = new AbortController();
          await Promise.race([
            run.ended,
            delay(ms, undefined, { signal: over.signal }).catch(() => undefined),
          ]);
          over.abort();
        },
        async cancel() {
          run.stop.abort();
          await run.ended;
        },
      };
    },
    async forgetAll() {
      await Promise.all([...runs.keys()].map(forget));
    },
    async close() {
      await Promise.all([...runs.keys()].map(forget));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function fileOf({ source }: DryRunRequest['spec'], baseDir: string): Promise<Fingerprint | null> {
  if (source.type !== 'csv') return null;
  try {
    return await withFile(source.path, baseDir, async ({ fingerprint }) => fingerprint);
  } catch (error) {
    // The dry run itself says what is wrong with its source.
    if (error instanceof SourceError) return null;
    throw error;
  }
}

function tooLate(sync: string, limitMs: number): Error {
  return new Error(
    `the dry run of "${sync}" was stopped after ${limitMs / 60_000} minutes, the maximum of a dry run. Check that the source answers, make the expressions of the mapping simpler, or plan a smaller source`,
  );
}

/** Plans in a thread of its own, which `signal` ends at once. */
async function planBeside(
  input: PlanInput,
  signal: AbortSignal,
  take: (answer: PlanAnswer) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  // Node runs the source of the thread as it is, so tests use the same thread.
  const thread = new Worker(
    new URL(`../../app/plan/plan-thread${extname(import.meta.url)}`, import.meta.url),
    {
      workerData: input,
      // Measured with 300,000 new rows: 620 MB at a first start, 720 where V8 lets garbage grow.
      // Measured: 2,000,000 new rows take 641 MB in all, 651 MB with 384 here.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 },
      // What this process was started with, as --input-type, need not suit a file.
      execArgv: [],
    },
  );
  const stop = () => void thread.terminate();
  signal.addEventListener('abort', stop);
  // One after the other: what is written keeps the order in which it came.
  let taken = Promise.resolve();
  let failure: unknown = null;
  thread.on('message', (answer: PlanAnswer) => {
    taken = taken
      .then(() => take(answer))
      .then(() => {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        if (answer.kind === 'problems') thread.postMessage(true);
      })
      .catch((error: unknown) => {
        failure ??= error;
        stop();
      });
  });
  thread.on('error', (error) => {
    failure ??= error;
  });
  const code = await new Promise<number>((ended) => {
    thread.on('exit', ended);
  });
  signal.removeEventListener('abort', stop);
  await taken;
  signal.throwIfAborted();
  if (failure !== null) throw failure;
  if (code !== 0) throw new Error(`the thread of the dry run ended with code ${code}`);
}

/** Removes what processes that were killed have left: uploads, files of dry runs, and copies of the ledger. */
export async function removeLeft(stateDir: string): Promise<void> {
  const names = await readdir(stateDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const pid = /^plans-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(stateDir, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process answers EPERM.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
