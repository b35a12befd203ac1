import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CliError, EXIT } from '../../../../src/cli/lib/exit.ts';
import { confirm, requireAnswer } from '../../../../src/cli/lib/terminal/confirm.ts';

function dialog(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = Object.assign(new PassThrough(), { isTTY });
  return { input, output, shown: () => String(output.read() ?? '') };
}
const what = ['3 dead letters will be marked as handled:', '  0-17'];

describe('a command that reaches far', () => {
  it.each(['y', 'Y', 'yes', 'sim', ' s '])('goes on after %s', async (answer) => {
    const { input, output, shown } = dialog(true);
    input.write(`${answer}\n`);
    await confirm({ what, yes: false }, { input, output });
    expect(shown()).toBe(`${what.join('\n')}\nContinue? [y/N] `);
  });

  it.each(['n', '', 'no', 'yesterday', 'q'])('changes nothing after "%s"', async (answer) => {
    const { input, output } = dialog(true);
    input.write(`${answer}\n`);
    await expect(confirm({ what, yes: false }, { input, output })).rejects.toMatchObject({
      exitCode: EXIT.error,
      message: 'nothing was changed',
    });
  });

  it('changes nothing when the terminal closes, or a signal ends the wait', async () => {
    const closed = dialog(true);
    closed.input.end();
    await expect(confirm({ what, yes: false }, closed)).rejects.toThrow('nothing was changed');
    const stopped = dialog(true);
    const controller = new AbortController();
    const waits = confirm({ what, yes: false, signal: controller.signal }, stopped);
    controller.abort();
    await expect(waits).rejects.toThrow('nothing was changed');
  });

  it('asks nothing with --yes, and still shows what it does', async () => {
    const { input, output, shown } = dialog(false);
    await confirm({ what, yes: true }, { input, output });
    expect(shown()).toBe(`${what.join('\n')}\n`);
  });

  it('needs --yes without a terminal', async () => {
    const one = dialog(false);
    await expect(confirm({ what, yes: false }, one)).rejects.toThrow(CliError);
    expect(() => requireAnswer(false, one)).toThrow('add --yes');
    expect(() => requireAnswer(true, one)).not.toThrow();
    expect(() => requireAnswer(false, dialog(true))).not.toThrow();
  });
});
