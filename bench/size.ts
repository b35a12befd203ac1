// Measures what `sluice size` calculates with: CPU, memory, statements and connections of an installation with 1, 50 and 500
// tokens that all sync at once. 500 tokens call less often, as two cores also carry the sandbox.
import type { BenchResult } from './bench.ts';
import { measureInstallation, SECONDS } from './support/installation.ts';
import { rowBytes } from './support/row-bytes.ts';

const CASES = [
  { tokens: 1, perMinute: 120, workers: 1 },
  { tokens: 50, perMinute: 120, workers: 2 },
  { tokens: 500, perMinute: 24, workers: 2 },
] as const;

export async function size(say: (line: string) => void): Promise<BenchResult> {
  const figures: Record<string, number | string> = { seconds: SECONDS };
  const goals: Record<string, { min?: number; max?: number }> = {};
  for (const [kind, bytes] of Object.entries(await rowBytes(say)))
    figures[`bytes in the ledger: ${kind}`] = bytes;
  for (const each of CASES) {
    // A machine that does not carry the last case still has figures of the others.
    const found = await measureInstallation({ ...each, polls: false }, say).catch((error: Error) => ({
      failed: error.message,
    }));
    say(`${each.tokens} tokens: ${JSON.stringify(found)}`);
    for (const [name, value] of Object.entries(found)) figures[`${each.tokens} tokens: ${name}`] = value;
    goals[`${each.tokens} tokens: share of the limit`] = { min: 0.95 };
    goals[`${each.tokens} tokens: 429`] = { max: 0 };
  }
  return { figures, goals };
}
