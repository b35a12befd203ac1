// Says at the end of a run how many tests this machine could not run, and what it lacks for them.
import type { Reporter, TestModule } from 'vitest/node';

export default class Skipped implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = new Map<string, number>();
    for (const module of modules)
      for (const test of module.children.allTests('skipped')) {
        const { note } = test.result() as { note?: string };
        if (note !== undefined) counts.set(note, (counts.get(note) ?? 0) + 1);
      }
    for (const [note, count] of counts) process.stderr.write(`${count} tests skipped: ${note}\n`);
  }
}
