// Exporting to a backend: over HTTP as the standard says, and without harm to work when the backend is down or slow.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SpanResult } from '../../../../src/observe/tracing/export-queue.ts';
import { type OpenTracing, openTracing } from '../../../../src/observe/tracing/index.ts';
import { startOtlpReceiver } from '../../../support/otlp-receiver.ts';

interface Opened extends OpenTracing {
  readonly counts: Record<SpanResult, number>;
  readonly warnings: string[];
}

function open(url: string, maxWaiting?: number, timeoutMillis = 500, closeMs?: number): Opened {
  const counts = { exported: 0, failed: 0, dropped: 0 };
  const warnings: string[] = [];
  const opened = openTracing({
    process: 'test',
    version: '1.2.3',
    exporter: new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis }),
    counted: (result, spans) => {
      counts[result] += spans;
    },
    log: { warn: (_fields, message) => void warnings.push(message) },
    ...(maxWaiting !== undefined && { maxWaiting }),
    ...(closeMs !== undefined && { closeMs }),
  });
  onTestFinished(() => opened.close());
  return { ...opened, counts, warnings };
}

async function receiver(answer?: () => number | null) {
  const started = await startOtlpReceiver(answer);
  onTestFinished(() => started.close());
  return started;
}

describe('export', () => {
  it('closing sends what waits: names, times, attributes, links, status, and the resource of the process', async () => {
    const { url, spans, headers } = await receiver();
    const { tracing, close, counts } = open(url);
    const remote = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'v=1' };
    await tracing.within({ name: 'outer', kind: 'server', parent: remote }, async (span) => {
      span.set({ 'sluice.route': 'leads', left: undefined });
      tracing.ended({
        name: 'call',
        kind: 'client',
        agoMs: 300,
        endedAgoMs: 100,
        failure: 'E500',
        links: [remote],
      });
    });
    await close();
    expect(headers[0]).toMatchObject({ 'content-type': 'application/x-protobuf' });
    const [call, outer] = spans;
    expect(outer).toMatchObject({
      name: 'outer',
      kind: 2,
      traceId: 'a'.repeat(32),
      parentSpanId: 'b'.repeat(16),
      traceState: 'v=1',
      attributes: { 'sluice.route': 'leads' },
      resource: { 'service.name': 'sluice', 'service.version': '1.2.3', 'sluice.process': 'test' },
    });
    expect(outer?.resource['service.instance.id']).toMatch(/^[\da-f-]{36}$/);
    expect(call).toMatchObject({
      name: 'call',
      kind: 3,
      parentSpanId: outer?.spanId,
      status: { code: 2, message: 'E500' },
      attributes: { 'error.type': 'E500' },
      links: [{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) }],
    });
    const tookMs = Number(((call?.end ?? 0n) - (call?.start ?? 0n)) / 1_000_000n);
    expect(tookMs).toBe(200);
    expect(counts).toEqual({ exported: 2, failed: 0, dropped: 0 });
  });

  it('spans whose sender does not sample are not exported, and their context says so to others', async () => {
    const { url, bodies } = await receiver();
    const { tracing, close } = open(url);
    const parent = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` };
    const context = await tracing.within({ name: 'outer', parent }, async (span) => span.context);
    expect(context?.traceparent).toMatch(/^00-a{32}-[\da-f]{16}-00$/);
    await close();
    expect(bodies).toEqual([]);
  });

  it('an error gives its code or the name of its class, never its message; a cancellation is no error', async () => {
    const { url, spans, bodies } = await receiver();
    const { tracing, close } = open(url);
    const canary = '5511987654321';
    const errors = [
      Object.assign(new Error(canary), { code: 'ECONNRESET' }),
      Object.assign(new Error(canary), { type: 'REFUSED' }),
      new TypeError(canary),
      Object.assign(new Error(canary), { name: canary, code: canary }),
      canary,
      Object.assign(new Error('stop'), { name: 'CancelledFailure' }),
    ];
    for (const error of errors)
      await expect(tracing.within({ name: 'w', parent: null }, () => Promise.reject(error))).rejects.toBe(
        error,
      );
    await close();
    expect(spans.map(({ status }) => [status.code, status.message])).toEqual([
      [2, 'ECONNRESET'],
      [2, 'REFUSED'],
      [2, 'TypeError'],
      [2, 'Error'],
      [2, 'Error'],
      [0, ''],
    ]);
    expect(Buffer.concat(bodies).includes(canary)).toBe(false);
  });
});

describe('a backend that', () => {
  const work = (opened: Opened, spans: number) => {
    for (let n = 0; n < spans; n++) opened.tracing.ended({ name: 'w', parent: null });
  };

  it('refuses costs the spans: they count as failed, and one line of the log says so', async () => {
    const { url } = await receiver(() => 400);
    const opened = open(url);
    work(opened, 3);
    await opened.close();
    expect(opened.counts).toEqual({ exported: 0, failed: 3, dropped: 0 });
    expect(opened.warnings).toEqual(['the tracing backend does not accept spans; work goes on without them']);
  });

  it('is down costs the spans', async () => {
    const gone = await startOtlpReceiver();
    await gone.close();
    const opened = open(gone.url);
    work(opened, 3);
    await opened.close();
    expect(opened.counts).toEqual({ exported: 0, failed: 3, dropped: 0 });
  });

  it('hangs fills the queue: further spans are dropped and counted, at once', async () => {
    const { url } = await receiver(() => null);
    const opened = open(url, 10);
    // Nothing is awaited before the count.
    work(opened, 100);
    expect(opened.counts.dropped).toBe(90);
    await opened.close();
    expect(opened.counts).toEqual({ exported: 0, failed: 10, dropped: 90 });
  });

  it('hangs delays the end of the process by no more than its time for the last export', async () => {
    const { url } = await receiver(() => null);
    const opened = open(url, 10, 60_000, 300);
    work(opened, 10);
    const begun = performance.now();
    await opened.close();
    const tookMs = performance.now() - begun;
    expect(tookMs).toBeGreaterThan(290);
    // The time limit of an export is 60 s.
    expect(tookMs).toBeLessThan(30_000);
  });
});
