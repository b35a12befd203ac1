// How fast a million rows are planned against a ledger that knows all of them, and how much memory the process takes.
// A child process plans, as a worker does; the figures are what the ledger says afterwards and the kernel's own peak.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BenchResult } from './bench.ts';
import { type Planned, ROWS, writeSource } from './support/plan-data.ts';

const CHANGED_EVERY = 100;
const CHILD = join(import.meta.dirname, 'support/plan-child.js');

export async function plan(say: (line: string) => void): Promise<BenchResult> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-plan-'));
  try {
    say(`${ROWS} rows are written, every ${CHANGED_EVERY}th of them changed since the last run`);
    await writeSource(join(dir, 'people.csv'), CHANGED_EVERY);
    say('the ledger is filled as a finished run leaves it');
    await child(['fill', dir]);
    // Before the real run: it leaves nothing behind.
    say('the run is planned dry, as `sluice sync plan` does');
    const dry = await child(['dry', dir]);
    say('and planned');
    const first = await child(['plan', dir]);
    return {
      figures: {
        rows: first.read,
        'records that need calls': first.pending,
        'rows/s': Math.round(first.read / first.seconds),
        seconds: Math.round(first.seconds * 10) / 10,
        'peak memory, MB': first.peakMb,
        'dry run, rows/s': Math.round(dry.read / dry.seconds),
        'dry run, peak memory, MB': dry.peakMb,
      },
      goals: {
        rows: { min: ROWS, max: ROWS },
        'records that need calls': { min: ROWS / CHANGED_EVERY, max: ROWS / CHANGED_EVERY },
        'rows/s': { min: 20_000 },
        'peak memory, MB': { max: 1000 },
      },
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function child(args: readonly string[]): Promise<Planned> {
  const planner = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  planner.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [code] = (await once(planner, 'close')) as [number | null];
  if (code !== 0) throw new Error(`"${args[0]}" ended with ${code}`);
  return JSON.parse(out) as Planned;
}
