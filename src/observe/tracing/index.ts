// OpenTelemetry traces of a process. Loaded only when tracing is on.
import { randomUUID } from 'node:crypto';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Tracing } from '../../core/tracing.ts';
import { createExportQueue, type ExportQueueOptions } from './export-queue.ts';
import { createSpans } from './spans.ts';

export interface TracingOptions extends Omit<ExportQueueOptions, 'exporter'> {
  /** How this process was started, for example `worker`. */
  readonly process: string;
  readonly version: string;
  /** @default the one that the OTEL_ variables configure */
  readonly exporter?: SpanExporter;
  /** Milliseconds that the last export may take when the process ends. @default 5_000 */
  readonly closeMs?: number;
}

export interface OpenTracing {
  readonly tracing: Tracing;
  /** Exports what waits, within `closeMs`, and ends. */
  close(): Promise<void>;
}

const CLOSE_MS = 5000;

/** The sampler, the limits of spans and the exporter follow the OTEL_ variables of this process. */
export function openTracing(options: TracingOptions): OpenTracing {
  const { process, version, exporter = new OTLPTraceExporter(), closeMs = CLOSE_MS, ...queue } = options;
  const own = resourceFromAttributes({
    'service.name': 'sluice',
    'service.version': version,
    'service.instance.id': randomUUID(),
    'sluice.process': process,
  });
  const provider = new BasicTracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [createExportQueue({ exporter, ...queue })],
  });
  // The current span follows asynchronous calls. Log lines read it through the API package too.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  let closing: Promise<void> | null = null;
  return {
    tracing: createSpans(provider.getTracer('sluice', version)),
    close() {
      closing ??= within(closeMs, provider.shutdown()).finally(() => context.disable());
      return closing;
    },
  };
}

/** Resolves with the work, or after this time. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
