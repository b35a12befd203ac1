// One process of the bench `plan`: it fills a ledger, or plans a run on it, and prints the result on stdout.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { hashRecord } from '../../activities/records/record-diff.ts';
import type { Deps } from '../../activities/shared/deps.ts';
import { createSyncPlanActivities, type PlanProgress } from '../../activities/sync/sync-plan.ts';
import { openSource } from '../../src/connectors/sources/index.ts';
import { createLedgerCipher } from '../../src/core/encryption/cipher.ts';
import { encryptedDatabase } from '../../src/core/encryption/encrypted-database.ts';
import { readEncryptionKey } from '../../src/core/encryption/payload-keys.ts';
import { type Database, openPglite, openPostgres } from '../../src/core/sql/database.ts';
import { migrate } from '../../src/core/sql/migrations/migrations.ts';
import type { RunSpec } from '../../src/jobs/sync/contract/run.ts';
import { openRun } from '../../src/jobs/sync/store/runs.ts';
import { compileMapping } from '../../src/mapping/index.ts';
import { KNOWN_ROWS, type Planned, rowOf, SPEC } from './plan-data.ts';

const [work = '', dir = '', url = ''] = process.argv.slice(2);
await mkdir(join(dir, '.sluice'), { recursive: true, mode: 0o700 });
const opened: Database =
  url === '' ? await openPglite(join(dir, '.sluice/ledger')) : await openPostgres(url, console.error);
/** Of a ledger that is encrypted. */
const key = process.env.PLAN_KEY;
const db =
  key === undefined ? opened : encryptedDatabase(opened, createLedgerCipher([readEncryptionKey('one', key)]));
await migrate(db);
const makers = {
  openSource: (source: RunSpec['source']) => openSource(source, { baseDir: dir }),
  compileMapping,
};
const counted = await { fill, plan }[work as 'fill' | 'plan']();
await db.close();
process.stdout.write(`${JSON.stringify(counted)}\n`);

async function plan(): Promise<Omit<Planned, 'peakMb'>> {
  const deps = { db, log: { info() {}, warn() {}, error: console.error }, ...makers, baseDir: dir };
  // Planning needs nothing else: no account, no budget, no client.
  const { planPage } = createSyncPlanActivities(deps as unknown as Deps);
  const began = performance.now();
  const run = await openRun(db, SPEC);
  for (let done = false; !done; ) {
    const environment = new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') });
    ({ done } = (await environment.run(planPage, { run: run.id })) as PlanProgress);
  }
  const seconds = (performance.now() - began) / 1000;
  const [counts] = await db.query<{ read: number; pending: number }>(
    `select rows_read as read,
            (select count(*)::int from run_records where run_id = r.id and status = 'pending') as pending
       from runs r where id = $1`,
    [run.id],
  );
  return { read: counts?.read ?? 0, pending: counts?.pending ?? 0, seconds };
}

async function fill(): Promise<Omit<Planned, 'peakMb'>> {
  const mapping = compileMapping(SPEC.mapping);
  for (let from = 0; from < KNOWN_ROWS; from += 5000) {
    const columns: [number[], string[], string[], string[], string[], string[], string[], string[]] = [
      [],
      [],
      [],
      [],
      [],
      [],
      [],
      [],
    ];
    for (let n = from; n < Math.min(KNOWN_ROWS, from + 5000); n++) {
      const mapped = mapping.apply(rowOf(n, false));
      if (mapped instanceof Promise || !mapped.ok) throw new Error('every row of the bench can be mapped');
      const { key, extraInfo, tags, card } = mapped.record;
      const { contact, extra, tags: tagsHash } = hashRecord(mapped.record, SPEC.options);
      const row = [
        n + 1,
        key,
        contact,
        extra,
        tagsHash,
        JSON.stringify(extraInfo),
        JSON.stringify(tags),
        String(card?.stage),
      ];
      for (const [at, value] of row.entries()) (columns[at] as unknown[]).push(value);
    }
    const [ids, ...texts] = columns;
    await db.query(
      `insert into people (account, key, remote_id, remote_number, hash_contact, hash_extra, hash_tags, extra_known, tags_added, synced_at)
       select 'acme', key, id, key, contact, extra, tags, extra_known::jsonb, tags_added::jsonb, now()
         from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
              as s(id, key, contact, extra, tags, extra_known, tags_added)`,
      [ids, ...texts.slice(0, 6)],
    );
    // Ids of a new table count from 1, so the person of row n is person n + 1.
    await db.query(
      `insert into cards (account, person_id, pipeline, remote_id, remote_stage_id, stage, adopted)
       select 'acme', id, 'Vendas', id, 1, stage, false from unnest($1::int[], $2::text[]) as s(id, stage)`,
      [ids, texts[6]],
    );
  }
  return { read: 0, pending: KNOWN_ROWS, seconds: 0 };
}
