// Measures where the cost of a call bends as tokens are added: 1 to 400 tokens at 120 calls a minute that sync and poll at
// the same time, on one machine with everything else.
import type { BenchResult } from './bench.ts';
import { measureInstallation, SECONDS } from './support/installation.ts';
import { round } from './support/log.ts';

const TOKENS = [1, 10, 50, 100, 200, 400];
const PER_MINUTE = 120;
const WORKERS = 2;

export async function scale(say: (line: string) => void): Promise<BenchResult> {
  const figures: Record<string, number | string> = {
    seconds: SECONDS,
    'calls a minute and token': PER_MINUTE,
  };
  const goals: Record<string, { min?: number; max?: number }> = {};
  for (const tokens of TOKENS) {
    const size = { tokens, perMinute: PER_MINUTE, workers: tokens === 1 ? 1 : WORKERS, polls: true };
    // Beyond what the machine carries, the sizes before still have figures.
    const found = await measureInstallation(size, say).catch((error: Error) => ({ failed: error.message }));
    say(`${tokens} tokens: ${JSON.stringify(found)}`);
    for (const [name, value] of Object.entries(found)) figures[`${tokens} tokens: ${name}`] = value;
    if (!('calls' in found)) break;
    figures[`${tokens} tokens: calls/s`] = round((found.calls as number) / SECONDS);
    goals[`${tokens} tokens: 429`] = { max: 0 };
  }
  return { figures, goals };
}
