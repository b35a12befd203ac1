// Runs commands in one folder, with one set of variables, as a script does: without a terminal.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { environmentOf } from '../../../../scripts/docs/clone.ts';

export interface Outcome {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
}

export interface Lane {
  run(words: readonly string[], input?: string): Promise<Outcome>;
  /** @throws Error when it ends with another exit code */
  must(words: readonly string[], input?: string, exit?: number): Promise<Outcome>;
  /** The documents that a read prints with `--json`. */
  json(words: readonly string[]): Promise<unknown[]>;
}

export function createLane(dist: string, cwd: string, more: Readonly<Record<string, string>>): Lane {
  const main = join(dist, 'src/cli/main.js');
  const env = Object.assign(environmentOf(process.env), more);
  const lane: Lane = {
    async run(words, input = '') {
      const began = performance.now();
      const child = spawn(process.execPath, [main, ...words], { cwd, env, stdio: 'pipe' });
      child.stdin.end(input);
      const [stdout, stderr, [exit]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number | null]>,
      ]);
      return { exit, stdout, stderr, seconds: (performance.now() - began) / 1000 };
    },
    async must(words, input, exit = 0) {
      const outcome = await lane.run(words, input);
      if (outcome.exit !== exit)
        throw new Error(
          `sluice ${words.join(' ')}: exit ${outcome.exit}\n${outcome.stdout}${outcome.stderr}`,
        );
      return outcome;
    },
    async json(words) {
      return documentsIn((await lane.must([...words, '--json'])).stdout);
    },
  };
  return lane;
}

/** One document, or one a line. */
export function documentsIn(stdout: string): unknown[] {
  return stdout
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as unknown);
}
