// An installation of some size whose tokens are all busy: what it costs. The kernel counts CPU and memory, PostgreSQL its
// transactions and connections, the sandbox the calls.
import { startPollers } from '../../src/app/pollers.ts';
import { openPostgres } from '../../src/core/sql/database.ts';
import { PollerConfig } from '../../src/jobs/conversations/config.ts';
import { openEnvironment } from './environment.ts';
import { round, sum, timeOf, wasTaken } from './log.ts';
import { residentMb, treeMb } from './memory.ts';
import { account, CONTACT_ONLY, contactsCsv, tokenHash } from './people.ts';

/** How long it is measured. */
export const SECONDS = 60;
/** Syncs that start at once need a moment. */
const SETTLE_MS = 10_000;
/** How long a token must be able to call, in minutes. */
const BACKLOG_MINUTES = 5;

export interface Installation {
  readonly tokens: number;
  /** Calls per minute and token. */
  readonly perMinute: number;
  /** Worker processes. */
  readonly workers: number;
  /** Each account also polls its conversations, so that two kinds of work share each token. */
  readonly polls: boolean;
}

/**
 * Starts an installation of this size, whose tokens all sync at once, and measures it for a minute.
 * @returns figures by name
 */
export async function measureInstallation(
  { tokens, perMinute, workers, polls }: Installation,
  say: (line: string) => void,
): Promise<Record<string, number>> {
  const ids = Array.from({ length: tokens }, (_, i) => `t${i}`);
  const pollers = Object.fromEntries(ids.map((id) => [id, { account: id }]));
  const environment = await openEnvironment({
    accounts: ids.map((id, i) => ({
      id,
      fixture: account(id, i + 1),
      config: { callsPerMinute: perMinute, ...(polls && { announce: [{ sink: 'events' }] }) },
    })),
    rate: perMinute,
    config: {
      sources: { people: { type: 'csv', path: './people.csv' } },
      mappings: { people: CONTACT_ONLY },
      syncs: Object.fromEntries(ids.map((id) => [id, { mapping: 'people', account: id, source: 'people' }])),
      ...(polls && { sinks: { events: { type: 'jsonl', path: './events.jsonl' } }, pollers }),
    },
    files: { 'people.csv': contactsCsv(perMinute * BACKLOG_MINUTES) },
    minutes: 8,
    say,
  });
  const db = await openPostgres(environment.databaseUrl, (error) => say(error.message));
  try {
    const running = await Promise.all(Array.from({ length: workers }, () => environment.worker()));
    const empty = await Promise.all(running.map(({ pid }) => residentMb(pid)));
    say(`${tokens} tokens of ${perMinute} calls a minute: all start at once`);
    await Promise.all(ids.map((id) => environment.start(id, id)));
    if (polls) {
      const parsed = Object.fromEntries(ids.map((id) => [id, PollerConfig.parse({ account: id })]));
      await startPollers({ client: environment.client, config: { pollers: parsed } });
    }
    await environment.until(async () => {
      const called = new Set((await environment.requests(0)).map((call) => call.tokenHash));
      return ids.every((id) => called.has(tokenHash(id))) ? true : null;
    });
    await environment.wait(SETTLE_MS);
    const database = async () => {
      const [row] = await db.query<{ transactions: number; bytes: number; connections: number }>(
        `select xact_commit + xact_rollback as transactions, pg_database_size(datname) as bytes,
           (select count(*) from pg_stat_activity where datname = current_database()) as connections
         from pg_stat_database where datname = current_database()`,
      );
      return row as { transactions: number; bytes: number; connections: number };
    };
    const [before, cpu, from] = [await database(), await environment.watchCpu(), Date.now()];
    await environment.wait(SECONDS * 1000);
    const [used, until, after] = [await cpu(), Date.now(), await database()];
    const calls = (await environment.requests(0)).filter(
      (call) => timeOf(call) >= from && timeOf(call) < until,
    );
    const taken = calls.filter(wasTaken).length;
    const perCall = (seconds: number) => round((seconds * 1000) / taken);
    return {
      'calls a minute and token': perMinute,
      'worker processes': workers,
      calls: taken,
      'share of the limit': round(taken / ((tokens * perMinute * (until - from)) / 60_000)),
      429: calls.length - taken,
      'CPU of workers, ms/call': perCall(used.workers),
      'CPU of PostgreSQL, ms/call': perCall(used.postgres),
      'CPU of Temporal, ms/call': perCall(used.temporal),
      'CPU of workers, cores': round(used.workers / used.elapsed),
      'CPU of PostgreSQL, cores': round(used.postgres / used.elapsed),
      'CPU of Temporal, cores': round(used.temporal / used.elapsed),
      'busy cores of the machine': round(used.machine / used.elapsed, 2),
      'transactions per call': round((after.transactions - before.transactions) / taken, 2),
      'ledger growth, bytes/call': round((after.bytes - before.bytes) / taken, 0),
      // One is this bench's own.
      'connections to the ledger': after.connections - 1,
      'workers at start, MB': sum(empty),
      'workers, MB': sum(await Promise.all(running.map(({ pid }) => residentMb(pid)))),
      'Temporal, MB': await treeMb(environment.temporalPid),
      'PostgreSQL, MB': environment.postgresPid === null ? Number.NaN : await treeMb(environment.postgresPid),
    };
  } finally {
    await db.close();
    await environment.close();
  }
}
