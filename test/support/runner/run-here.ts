// Runs a command of the CLI in this process, as `main.ts` does: a process of its own would take a second each.
import { Command } from 'commander';
import { vi } from 'vitest';
import { describeError } from '../../../src/cli/lib/describe-error.ts';

/** What it has written and its exit code; the message of an error stands at the end of stderr. */
export async function runHere(register: (program: Command) => void, argv: readonly string[]) {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text, ...more: unknown[]) => {
      written[name] += String(text);
      // The last argument is a callback for callers that wait until everything is written.
      const done = more.at(-1);
      if (typeof done === 'function') done();
      return true;
    }),
  );
  const before = process.exitCode;
  try {
    const program = new Command('sluice').exitOverride();
    register(program);
    const code = await program.parseAsync(argv, { from: 'user' }).then(
      () => process.exitCode,
      (error: unknown) => {
        const { message, exitCode } = describeError(error);
        written.stderr += message ?? '';
        return exitCode;
      },
    );
    return { code, ...written };
  } finally {
    process.exitCode = before;
    for (const spy of spies) spy.mockRestore();
  }
}
