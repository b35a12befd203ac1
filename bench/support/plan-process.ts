// Processes of benches of plans, and their peak memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { peakMb } from './memory.ts';
import type { Planned } from './plan-data.ts';

const CHILD = join(import.meta.dirname, 'plan-child.js');
const CHECK_MS = 100;

/** Runs plan-child.ts, which times itself. */
export async function runPlanChild(
  work: 'fill' | 'plan',
  dir: string,
  extra: Readonly<Record<string, string>> = {},
): Promise<Planned> {
  const { out, peakMb } = await runNode([CHILD, work, dir], dir, extra);
  return { ...(JSON.parse(out) as Omit<Planned, 'peakMb'>), peakMb };
}

/** Runs a Node program to its end and checks its peak until then, because the kernel forgets it with the process. */
export async function runNode(
  args: readonly string[],
  dir: string,
  extra: Readonly<Record<string, string>> = {},
): Promise<{ out: string; peakMb: number }> {
  const { DATABASE_URL: _, ...env } = process.env;
  const program = spawn(process.execPath, args, {
    cwd: dir,
    env: { ...env, ...extra },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let peak = 0;
  const timer = setInterval(async () => {
    peak = Math.max(peak, await peakMb(program.pid as number));
  }, CHECK_MS);
  const closed = once(program, 'close') as Promise<[number | null]>;
  const out = await text(program.stdout);
  const [code] = await closed;
  clearInterval(timer);
  if (code !== 0) throw new Error(`"${args.join(' ')}" ended with ${code}`);
  return { out, peakMb: peak };
}
