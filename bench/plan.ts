// Measures how fast rows are planned and how much memory that takes: two million new rows, and one million of which 1 %
// changed, against a ledger that knows all of them. It measures `sluice sync plan` (dry run) and the planning of a run
// in a worker. Each is one process with its threads and the embedded database; the kernel reports the peak. The time of
// a dry run covers the whole process, including the creation of a new ledger.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BenchResult } from './bench.ts';
import { KNOWN_ROWS, type Planned, ROWS, writeConfig, writeSource } from './support/plan-data.ts';
import { runNode, runPlanChild } from './support/plan-process.ts';

const CHANGED_EVERY = 100;
const MAIN = join(import.meta.dirname, '../src/cli/main.js');
/** The number of cores of the machine that the goals are for. */
const BUSY_THREADS = 2;

export async function plan(say: (line: string) => void): Promise<BenchResult> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-plan-'));
  try {
    const source = join(dir, 'people.csv');
    const state = join(dir, '.sluice');
    say(`${ROWS} rows are written`);
    await writeSource(source, ROWS, CHANGED_EVERY);
    await writeConfig(dir);
    say('all rows are new: a dry run on a ledger that does not exist yet');
    const dryNew = await dryRun(dir);
    const before = await sizeMb(state);
    say('the same again, beside a load that keeps two cores busy');
    const busy = await beside(BUSY_THREADS, () => dryRun(dir));
    const after = await sizeMb(state);
    say('all rows are new: a run is planned');
    const runNew = await runPlanChild('plan', dir);
    await rm(state, { recursive: true });
    say(`a ledger is filled with ${KNOWN_ROWS} people as a finished run leaves it`);
    await writeSource(source, KNOWN_ROWS, CHANGED_EVERY);
    await runPlanChild('fill', dir);
    say('1 % changed: a dry run');
    const dryChanged = await dryRun(dir);
    say('1 % changed: a run is planned');
    const runChanged = await runPlanChild('plan', dir);
    const rate = ({ read, seconds }: Planned) => Math.round(read / seconds);
    const fast = { min: 20_000 };
    const small = { max: 700 };
    const changed = KNOWN_ROWS / CHANGED_EVERY;
    return {
      figures: {
        'new, rows': dryNew.read,
        'new, dry run, rows/s': rate(dryNew),
        'new, dry run, peak memory, MB': dryNew.peakMb,
        'new, dry run beside a load on both cores, rows/s': rate(busy),
        'new, dry run beside a load on both cores, peak memory, MB': busy.peakMb,
        'state folder before that dry run, MB': before,
        'state folder after it, MB': after,
        'left in the state folder by a dry run, MB': after - before,
        'new, run, rows/s': rate(runNew),
        'new, run, peak memory, MB': runNew.peakMb,
        'new, records that need calls': runNew.pending,
        '1 % changed, rows': dryChanged.read,
        '1 % changed, dry run, rows/s': rate(dryChanged),
        '1 % changed, dry run, peak memory, MB': dryChanged.peakMb,
        '1 % changed, run, rows/s': rate(runChanged),
        '1 % changed, run, peak memory, MB': runChanged.peakMb,
        '1 % changed, records that need calls': runChanged.pending,
      },
      goals: {
        'new, rows': { min: ROWS, max: ROWS },
        'new, dry run, rows/s': fast,
        'new, dry run, peak memory, MB': small,
        'new, dry run beside a load on both cores, rows/s': fast,
        'new, dry run beside a load on both cores, peak memory, MB': small,
        'left in the state folder by a dry run, MB': { max: 1 },
        'new, run, rows/s': fast,
        'new, run, peak memory, MB': small,
        'new, records that need calls': { min: ROWS, max: ROWS },
        '1 % changed, rows': { min: KNOWN_ROWS, max: KNOWN_ROWS },
        '1 % changed, dry run, rows/s': fast,
        '1 % changed, dry run, peak memory, MB': small,
        '1 % changed, run, rows/s': fast,
        '1 % changed, run, peak memory, MB': small,
        '1 % changed, records that need calls': { min: changed, max: changed },
      },
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** `sluice sync plan`, from its start to its end. */
async function dryRun(dir: string): Promise<Planned> {
  const began = performance.now();
  const { out, peakMb } = await runNode([MAIN, 'sync', 'plan', 'people', '--json', '--samples', '3'], dir);
  const seconds = (performance.now() - began) / 1000;
  const { read, create, update, move } = JSON.parse(out) as Record<
    'read' | 'create' | 'update' | 'move',
    number
  >;
  return { read, pending: create + update + move, seconds, peakMb };
}

async function beside<T>(threads: number, work: () => Promise<T>): Promise<T> {
  const hogs = Array.from({ length: threads }, () => new Worker('for (;;);', { eval: true }));
  try {
    return await work();
  } finally {
    await Promise.all(hogs.map((hog) => hog.terminate()));
  }
}

async function sizeMb(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    // A dry run on no ledger makes none.
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  return Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1e6);
}
