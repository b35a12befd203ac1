// Work with no worker to do it needs a person, and a worker that ended or was killed is missed.
import { beforeEach, describe, expect, it } from 'vitest';
import type { OverviewProbes } from '../../../../src/operator/service/overview/probes.ts';
import { dismissWorker, seeWorker } from '../../../../src/operator/store/overview/workers.ts';
import { onBothLedgers } from '../../../support/postgres/both-ledgers.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';
import { readNeeds, readOverview } from './needs-context.ts';
import { WELL } from './rows.ts';

const WORKER = { id: '00000000-0000-4000-8000-000000000001', host: 'a', pid: 1, version: '0.1.0' };

onBothLedgers((db) => {
  beforeEach(() => emptyLedger(db));

  const read = (probes?: OverviewProbes, input?: { account?: string }) => readOverview(db, probes, input);
  const needs = (probes?: OverviewProbes) => readNeeds(db, probes);

  describe('a worker', () => {
    const work = () =>
      db.query(
        `insert into runs (id, account, sync, seq, kind, status, spec) values ('acme/leads/9', 'acme', 'leads', 9, 'sync', 'syncing', '{}')`,
      );

    it('is missed when there is work, and not when there is none', async () => {
      expect(await needs()).toEqual([]);
      await work();
      expect(await needs()).toEqual([['no-worker', null, 'worker', 1, 'NO_WORKER']]);
      await seeWorker(db, WORKER);
      await seeWorker(db, WORKER);
      const { needs: none, health } = await read();
      expect(none).toEqual([]);
      expect(health.workers).toMatchObject({ alive: 1, versions: ['0.1.0'] });
    });

    it('is missed when work was started that the ledger does not know yet', async () => {
      const started = { ...WELL, hasBacklog: async () => true };
      expect(await needs(started)).toEqual([['no-worker', null, 'worker', 1, 'NO_WORKER']]);
      await seeWorker(db, WORKER);
      expect(await needs(started)).toEqual([]);
    });

    it('is missed by a run that the ledger does not know yet: the run stands there, and the need names it', async () => {
      const since = '2026-11-27T10:00:00.000Z';
      const start = { kind: 'sync', account: 'acme', name: 'leads', since } as const;
      const started = { ...WELL, starts: async () => [start, { ...start, account: 'beta', name: 'other' }] };
      const { starts, needs: all } = await read(started, { account: 'acme' });
      expect(starts).toEqual([start]);
      expect(all).toMatchObject([
        {
          kind: 'no-worker',
          reason: 'waiting: leads (acme); start a worker',
          params: { which: ['named'], work: ['leads (acme)'] },
        },
      ]);
      await seeWorker(db, WORKER);
      expect(await read(started)).toMatchObject({ starts: [], needs: [] });
    });

    it('is missed by a run under way, which has no end while it waits', async () => {
      await work();
      const starts = async () => [
        { kind: 'sync', account: 'acme', name: 'leads', since: '2026-11-27T10:00:00.000Z' } as const,
      ];
      expect(await read({ ...WELL, starts })).toMatchObject({
        starts: [],
        running: [{ name: 'leads', waitsFor: 'worker', etaSeconds: null }],
      });
      await seeWorker(db, WORKER);
      expect((await read()).running).toMatchObject([{ waitsFor: null }]);
    });

    it('is missed at once when it ends, and after 30 s when it is killed', async () => {
      await work();
      await seeWorker(db, WORKER);
      await dismissWorker(db, WORKER.id);
      const [ended] = (await read()).needs;
      expect(ended).toMatchObject({ kind: 'no-worker', since: expect.any(String) });
      await seeWorker(db, { ...WORKER, id: '00000000-0000-4000-8000-000000000002' });
      expect(await needs()).toEqual([]);
      await db.query("update worker_processes set seen_at = now() - interval '31 seconds'");
      expect(await needs()).toMatchObject([['no-worker', null, 'worker', 1, 'NO_WORKER']]);
    });
  });
});
