// All metrics of Sluice, in one registry for each process. Labels are names of the configuration and fixed words: no
// ids and no personal data.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { createLedgerGauges, type LedgerSnapshot } from './backlog.ts';
import { type CallMetrics, createCallMetrics } from './calls.ts';
import { type CertificateMetrics, createCertificateMetrics } from './certificates.ts';
import { type ConfigMetrics, createConfigMetrics } from './config.ts';
import { createHttpMetrics, type HttpMetrics } from './http.ts';
import { createKafkaMetrics, type KafkaMetrics } from './kafka.ts';
import { createLedgerMetrics, type LedgerMetrics } from './ledger.ts';
import { createTraceMetrics, type TraceMetrics } from './traces.ts';
import { createWorkMetrics, type WorkMetrics } from './work.ts';

export interface Metrics {
  readonly registry: Registry;
  readonly calls: CallMetrics;
  readonly work: WorkMetrics;
  readonly ledger: LedgerMetrics;
  readonly http: HttpMetrics;
  readonly kafka: KafkaMetrics;
  readonly config: ConfigMetrics;
  readonly certificates: CertificateMetrics;
  readonly traces: TraceMetrics;
  /** Sets the gauges of what the ledger knows. Null: the ledger did not answer. */
  setLedger(snapshot: LedgerSnapshot | null): void;
}

/** Declares every metric. @param process how this process was started, for example `worker` */
export function createMetrics(process: string, version: string): Metrics {
  const registry = new Registry();
  const info = new Gauge({
    name: 'sluice_info',
    help: 'Always 1; names the process (worker, own-worker, ingress, console, dev or demo) and its version',
    labelNames: ['process', 'version'],
    registers: [registry],
  });
  info.set({ process, version }, 1);
  const metrics: Metrics = {
    registry,
    calls: createCallMetrics(registry),
    setLedger: createLedgerGauges(registry),
    work: createWorkMetrics(registry),
    ledger: createLedgerMetrics(registry),
    http: createHttpMetrics(registry),
    kafka: createKafkaMetrics(registry),
    config: createConfigMetrics(registry),
    certificates: createCertificateMetrics(registry),
    traces: createTraceMetrics(registry),
  };
  collectDefaultMetrics({ register: registry });
  return metrics;
}
