// Every command of README, as written: see scripts/docs-commands.ts. `npm run test:long` runs those of all documents.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildOnce } from '../support/runner/build.ts';
import { runScript } from '../support/runner/child.ts';

it('every command of README runs as written', async () => {
  const { code, output } = await runScript(join(await buildOnce(), 'scripts/docs-commands.js'), [
    'README.md',
  ]);
  expect(code, output).toBe(0);
  expect(output).toMatch(
    /^1 documents: \d+ commands run, \d+ outputs as shown, \d+ not run, 0 failed, in \d+ s$/m,
  );
});
