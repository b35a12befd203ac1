// Every command of README, tutorials and how-to guides, as written: see scripts/docs-commands.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { buildOnce } from '../../support/runner/build.ts';

it('every command of the documents runs as written', { timeout: 1_200_000 }, async () => {
  const dist = await buildOnce();
  const child = spawn(process.execPath, [join(dist, 'scripts/docs-commands.js')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  expect(code, `${output}\n${errors}`).toBe(0);
  expect(output).toMatch(
    /^\d+ documents: \d+ commands run, \d+ outputs as shown, \d+ not run, 0 failed, in \d+ s$/m,
  );
});
