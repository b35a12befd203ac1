// Erasing a person while a sync works on them: no call about the person begins after the erasure, and none is cut off.
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type Erasure,
  eraseLateCalls,
  erasePerson,
  PersonInUseError,
} from '../../../src/protect/person/erase-person.ts';
import { pauseUpdate, resumeUpdate } from '../../../workflows/messages.ts';
import type { Environment } from '../../support/environment.ts';
import { plainRows, sumOf, syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';
import { tablesWith } from '../../unit/operator/store/somebody.ts';

const { inEnvironment } = syncContext();

const BY = { by: 'ana', reason: 'lunch' };
const SLOW = { path: 'contacts', kind: 'delay', ms: 400 };

interface RecordRow {
  readonly id: number;
  readonly key: string;
}

/** Records of the run, by the state of their work. */
async function recordsWhere({ db }: Environment, condition: string): Promise<RecordRow[]> {
  return await db.query<RecordRow>(`select id, key from run_records where ${condition} order by id`);
}

const erase = ({ db }: Environment, { id }: RecordRow) => erasePerson(db, 'acme', `r${id}`);

describe('erasing a person during a sync', () => {
  it('is refused while a call about them is in flight, and done when the run has ended', async () => {
    await inEnvironment({ csv: plainRows(3, 'New') }, async (environment) => {
      await environment.panel.fault(SLOW);
      const handle = await environment.start();
      const record = await until('a call about somebody is in flight', async () => {
        const [found] = await recordsWhere(environment, `status = 'pending' and sent_at is not null`);
        return found;
      });
      const refused = await erase(environment, record).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(PersonInUseError);
      expect((refused as Error).message).not.toContain(record.key);
      await environment.panel.clearFaults();
      expect(await handle.result()).toMatchObject({ created: 3, failed: 0 });
      await environment.deps.calls.flush();
      expect(await erase(environment, record)).toMatchObject({ anonymized: { run_records: 1 } });
      expect(await tablesWith(environment.db, [record.key])).toEqual([]);
    });
  });

  it('of somebody who waits ends their record as ERASED; the service never hears of them', async () => {
    await inEnvironment({ csv: plainRows(12, 'New'), sync: { concurrency: 4 } }, async (environment) => {
      await environment.panel.fault(SLOW);
      const handle = await environment.start();
      await until('a call was answered', async () => (await environment.panel.requests()).length >= 3);
      await handle.executeUpdate(pauseUpdate, { args: [BY] });
      const [waiting] = await recordsWhere(
        environment,
        `status = 'pending' and sent_at is null and holder is null`,
      );
      if (waiting === undefined) throw new Error('nobody waits');
      expect(await erase(environment, waiting)).not.toBeNull();
      await environment.panel.clearFaults();
      await handle.executeUpdate(resumeUpdate, { args: [BY] });
      expect(await handle.result()).toMatchObject({ created: 11, failed: 1, pending: 0 });
      const { contacts } = await environment.panel.account();
      expect(contacts.map(({ number }) => number)).not.toContain(waiting.key);
      expect(contacts).toHaveLength(11);
      expect(await tablesWith(environment.db, [waiting.key])).toEqual([]);
    });
  });

  it('of everybody, as soon as the ledger knows them: each is created and then erased, or never sent', async () => {
    await inEnvironment({ csv: plainRows(12, 'New'), sync: { concurrency: 4 } }, async (environment) => {
      await environment.panel.fault({ path: 'contacts', kind: 'delay', ms: 50 });
      const handle = await environment.start();
      const records = await until('the run is planned', async () => {
        const found = await recordsWhere(environment, 'true');
        return found.length === 12 ? found : null;
      });
      const erasures = await Promise.all(records.map((record) => eraseWhenFree(environment, record)));
      const report = await handle.result();
      // Calls reach the log a moment after they ended.
      await environment.deps.calls.flush();
      for (const { person } of erasures) await eraseLateCalls(environment.db, person);
      expect(report).toMatchObject({ unknown: 0, pending: 0 });
      expect(sumOf(report)).toBe(12);
      const { contacts } = await environment.panel.account();
      expect(contacts).toHaveLength(report.created);
      const codes = await environment.db.query<{ code: string }>(
        `select distinct code from run_records where status = 'failed'`,
      );
      expect(codes.map(({ code }) => code)).toEqual(report.failed === 0 ? [] : ['ERASED']);
      const keys = records.map(({ key }) => key);
      expect(await tablesWith(environment.db, keys)).toEqual([]);
    });
  });
});

/** As an operator who repeats the command. */
async function eraseWhenFree(environment: Environment, record: RecordRow): Promise<Erasure> {
  for (;;) {
    try {
      const erased = await erase(environment, record);
      if (erased === null) throw new Error('nobody was erased');
      return erased;
    } catch (error) {
      if (!(error instanceof PersonInUseError)) throw error;
      await delay(5);
    }
  }
}
