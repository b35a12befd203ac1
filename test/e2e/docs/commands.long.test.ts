// Every command of README, tutorials and how-to guides, as written: see scripts/docs-commands.ts.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildOnce } from '../../support/runner/build.ts';
import { runScript } from '../../support/runner/child.ts';

it('every command of the documents runs as written', { timeout: 1_200_000 }, async () => {
  const { code, output } = await runScript(join(await buildOnce(), 'scripts/docs-commands.js'));
  expect(code, output).toBe(0);
  expect(output).toMatch(
    /^\d+ documents: \d+ commands run, \d+ outputs as shown, \d+ not run, 0 failed, in \d+ s$/m,
  );
});
