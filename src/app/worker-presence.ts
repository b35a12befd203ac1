// Reports to the ledger that this process works, so that the overview can say when nobody does.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { VERSION } from '../core/build.ts';
import type { Shutdown } from '../core/shutdown.ts';
import type { Database } from '../core/sql/database.ts';
import { dismissWorker, LOST_SECONDS, seeWorker } from '../operator/store/overview/workers.ts';

interface PresenceOptions {
  readonly db: Database;
  readonly log: { warn(fields: object, message: string): void };
  readonly shutdown: Shutdown;
}

/** Milliseconds until a report that failed is made again. */
const AGAIN_MS = 1000;

/** Reports now and three times within the time after which a worker counts as lost, until the shutdown. */
export function showPresence({ db, log, shutdown }: PresenceOptions): void {
  const worker = { id: randomUUID(), host: hostname(), pid: process.pid, version: VERSION };
  const { signal } = shutdown;
  let isFailing = false;
  const failed = (error: unknown) => {
    // One line for an outage.
    if (!signal.aborted && !isFailing)
      log.warn({ err: error }, 'this worker could not report to the ledger that it is alive');
    isFailing = true;
  };
  const report = async () => {
    while (!signal.aborted) {
      await seeWorker(db, worker).then(() => {
        isFailing = false;
      }, failed);
      const waitMs = isFailing ? AGAIN_MS : (LOST_SECONDS * 1000) / 3;
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const reporting = report();
  shutdown.add('presence of the worker', async () => {
    await reporting;
    await dismissWorker(db, worker.id).catch(failed);
  });
}
