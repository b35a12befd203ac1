// The way of ended spans to the backend. It is bounded and counts: a backend that is down or slow costs spans, and never
// work.
import {
  BatchSpanProcessor,
  type ReadableSpan,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** Maximum number of spans that wait. One takes about 1 KB. */
const MAX_WAITING = 4096;
const MAX_BATCH = 512;
const DELAY_MS = 1000;
/** Time for one export, with its retries. */
const EXPORT_MS = 10_000;
/** Minimum time between two lines of the log about a backend that fails. */
const QUIET_MS = 60_000;
const SUCCESS = 0;

/** `dropped`: the queue was full. `failed`: the backend did not accept them. */
export type SpanResult = 'exported' | 'failed' | 'dropped';

export interface ExportQueueOptions {
  readonly exporter: SpanExporter;
  counted(result: SpanResult, spans: number): void;
  readonly log: { warn(fields: object, message: string): void };
  /** @default 4096 */
  readonly maxWaiting?: number;
}

export function createExportQueue(options: ExportQueueOptions): SpanProcessor {
  const { exporter, counted, log, maxWaiting = MAX_WAITING } = options;
  let waiting = 0;
  let quietUntil = Number.NEGATIVE_INFINITY;
  const settled = (spans: number, error: Error | null) => {
    waiting -= spans;
    counted(error === null ? 'exported' : 'failed', spans);
    if (error === null || performance.now() < quietUntil) return;
    quietUntil = performance.now() + QUIET_MS;
    log.warn(
      { err: error, count: spans },
      'the tracing backend does not accept spans; work goes on without them',
    );
  };
  const counting: SpanExporter = {
    export(spans, done) {
      exporter.export(spans, (result) => {
        settled(spans.length, result.code === SUCCESS ? null : (result.error ?? new Error('export failed')));
        // The processor would report the failure once more.
        done({ code: SUCCESS });
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new BatchSpanProcessor(counting, {
    maxQueueSize: maxWaiting,
    maxExportBatchSize: Math.min(MAX_BATCH, maxWaiting),
    scheduledDelayMillis: DELAY_MS,
    // Longer than the exporter's own limit, so that each export has one result.
    exportTimeoutMillis: 2 * EXPORT_MS,
  });
  return {
    onStart: () => undefined,
    onEnd(span: ReadableSpan) {
      if ((span.spanContext().traceFlags & 1) === 0) return;
      if (waiting >= maxWaiting) {
        counted('dropped', 1);
        return;
      }
      waiting++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
