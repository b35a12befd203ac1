// Metrics of the export of traces: a backend that is down costs spans, and this shows how many.
import { Counter, type Registry } from 'prom-client';

export interface TraceMetrics {
  /** @param result `dropped`: too many spans waited. `failed`: the backend did not accept them */
  spans(result: 'exported' | 'failed' | 'dropped', count: number): void;
}

export function createTraceMetrics(registry: Registry): TraceMetrics {
  const spans = new Counter({
    name: 'sluice_trace_spans_total',
    help: 'Spans of traces by result: exported, failed (the backend did not accept them) or dropped (too many waited)',
    labelNames: ['result'],
    registers: [registry],
  });
  return { spans: (result, count) => spans.inc({ result }, count) };
}
