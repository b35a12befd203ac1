// Recorded histories must replay on today's workflow code: a running sync survives an update of Sluice.
// To record a history again after a compatible change of the workflow:
//   RECORD_HISTORY=<name> npx vitest run --project workflows test/replay
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from '@temporalio/worker';
import { describe, expect, inject, it } from 'vitest';

import { cacheDirOf } from '../../src/temporal/cache-dir.ts';
import { SEARCH_ATTRIBUTES } from '../../src/temporal/search-attributes.ts';
import { findTemporalCli } from '../../src/temporal/temporal-binary.ts';
import { pauseUpdate, resumeUpdate } from '../../workflows/messages.ts';
import { account, openEnvironment } from '../support/environment.ts';
import { testLedger } from '../support/postgres/ledger.ts';
import { connectTestTemporal } from '../support/temporal/temporal.ts';
import { workflowBundle } from '../support/temporal/workflow-bundle.ts';

const FOLDER = join(import.meta.dirname, 'histories');
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

describe('recorded histories', () => {
  it('are there', () => expect(files).not.toEqual([]));
  it.each(files)('FAULTS 21: %s replays', async (file) => {
    const bundle = await workflowBundle();
    const history = JSON.parse(await readFile(join(FOLDER, file), 'utf8'));
    // A workflow may act on its own name, and the replayer uses a different one unless it is passed.
    const { workflowId } = history.events[0].workflowExecutionStartedEventAttributes;
    await Worker.runReplayHistory(bundle, history, workflowId);
  });
  it('a history that does not fit is refused', async () => {
    const bundle = await workflowBundle();
    const text = await readFile(join(FOLDER, 'crm-sync-1.json'), 'utf8');
    const other = JSON.parse(text.replaceAll('"countWork"', '"countSheep"'));
    await expect(Worker.runReplayHistory(bundle, other)).rejects.toThrow(/nondeterminism/i);
  });
});

/** A run with everything in it: duplicates, look-ups, tags, cards, moves, a refusal, a lost answer, a pause. */
describe.runIf(process.env.RECORD_HISTORY)('recording', () => {
  it('keeps the history of a run', async () => {
    const temporal = await connectTestTemporal({ searchAttributes: SEARCH_ATTRIBUTES });
    const db = await testLedger();
    const header = 'phone,name,email,tags,company,stage,plan\n';
    const row = (i: number) =>
      `11 98765-43${10 + i},P${i},,${i % 2 ? 'crm' : ''},C${i},${i % 3 ? 'New' : 'Nowhere'},pro\n`;
    const rows = Array.from({ length: 12 }, (_, i) => row(i)).join('');
    const environment = await openEnvironment({
      temporal,
      db,
      csv: header + rows + row(3).replace('P3', 'P3b'),
      account: account({ contacts: [{ id: 5, number: '551187654311', name: 'old' }] }),
      sync: { concurrency: 3 },
      settleSeconds: 1,
    });
    try {
      await environment.panel.fault({ method: 'POST', path: '^/v1/cards$', kind: 'reset-after', times: 1 });
      await environment.panel.fault({ method: 'POST', path: '^/v1/contacts$', kind: 'delay', ms: 50 });
      const handle = await environment.start();
      const command = { by: 'test', reason: 'recording' };
      await handle.executeUpdate(pauseUpdate, { args: [command] });
      await handle.executeUpdate(resumeUpdate, { args: [command] });
      await handle.result();
      // The SDK has no public writer of histories; the CLI writes the JSON that the replayer reads.
      const { path } = await findTemporalCli({
        env: process.env,
        cacheDir: cacheDirOf(process.env),
        say: () => {},
      });
      const place = ['--address', inject('temporalAddress'), '--namespace', temporal.namespace];
      const show = ['workflow', 'show', ...place, '--workflow-id', handle.workflowId, '--output', 'json'];
      const { stdout } = await promisify(execFile)(path, show, { maxBuffer: 64 << 20 });
      await writeFile(
        join(FOLDER, `${process.env.RECORD_HISTORY}.json`),
        `${JSON.stringify(JSON.parse(stdout))}
`,
      );
    } finally {
      await environment.close();
      await temporal.close();
    }
  });
});
