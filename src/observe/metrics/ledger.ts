// Metrics of the ledger's database: the time of its statements, and its connections.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

export interface LedgerMetrics {
  /** @param code null: it succeeded; otherwise the SQLSTATE or the system's code */
  statement(seconds: number, code: string | null): void;
  /** Reads the connections of the pool at each scrape. */
  watchPool(
    read: () => { readonly total: number; readonly idle: number; readonly waiting: number } | null,
  ): void;
}

export function createLedgerMetrics(registry: Registry): LedgerMetrics {
  const registers = [registry];
  let readPool: Parameters<LedgerMetrics['watchPool']>[0] = () => null;
  const seconds = new Histogram({
    name: 'sluice_ledger_statement_seconds',
    help: 'Seconds for a statement of the ledger, including the wait for a connection',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
    registers,
  });
  const errors = new Counter({
    name: 'sluice_ledger_statement_errors_total',
    help: 'Statements of the ledger that failed, by SQLSTATE or error code of the system (none: neither)',
    labelNames: ['code'],
    registers,
  });
  const connections: Gauge = new Gauge({
    name: 'sluice_ledger_connections',
    help: 'Connections to PostgreSQL, by state: busy or idle; queued counts statements that wait because none is idle',
    labelNames: ['state'],
    registers,
    collect() {
      const pool = readPool();
      if (pool === null) return;
      connections.set({ state: 'busy' }, pool.total - pool.idle);
      connections.set({ state: 'idle' }, pool.idle);
      // The pool also counts statements that begin in this very moment, and get one of the idle connections.
      connections.set({ state: 'queued' }, Math.max(0, pool.waiting - pool.idle));
    },
  });
  return {
    statement(took, code) {
      seconds.observe(took);
      if (code !== null) errors.inc({ code });
    },
    watchPool(read) {
      readPool = read;
    },
  };
}
