// Records spans with OpenTelemetry.
import {
  type Attributes,
  context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { EndedSpan, OpenSpan, SpanDraft, TraceContext, Tracing } from '../../core/tracing.ts';

const KINDS: Readonly<Record<NonNullable<SpanDraft['kind']>, SpanKind>> = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

export function createSpans(tracer: Tracer): Tracing {
  const begin = (draft: SpanDraft, now = Date.now()): Span => {
    const { name, kind = 'internal', links = [], attributes, agoMs = 0, parent } = draft;
    const options: SpanOptions = {
      kind: KINDS[kind],
      links: links.map((each) => ({ context: spanContextOf(each) })),
      ...(attributes !== undefined && { attributes: attributes as Attributes }),
      ...(agoMs > 0 && { startTime: now - agoMs }),
    };
    return tracer.startSpan(name, options, parentOf(parent));
  };
  return {
    isOn: true,
    async within(draft, work) {
      const span = begin(draft);
      try {
        return await context.with(trace.setSpan(context.active(), span), () => work(openSpan(span)));
      } catch (error) {
        if (isCancellation(error)) span.setAttribute('sluice.cancelled', true);
        else failed(span, failureOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
    ended({ failure = null, endedAgoMs = 0, ...draft }: EndedSpan) {
      // One reading of the clock for both ends.
      const now = Date.now();
      const span = begin(draft, now);
      if (failure !== null) failed(span, failure);
      span.end(now - endedAgoMs);
      return contextOf(span.spanContext());
    },
    current() {
      const span = trace.getActiveSpan();
      return span === undefined ? null : contextOf(span.spanContext());
    },
  };
}

function parentOf(parent: TraceContext | null | undefined) {
  if (parent === undefined) return context.active();
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent));
}

function openSpan(span: Span): OpenSpan {
  return {
    context: contextOf(span.spanContext()),
    set: (attributes) => void span.setAttributes(attributes as Attributes),
    fail: (code) => failed(span, code),
  };
}

function failed(span: Span, code: string): void {
  span.setAttribute('error.type', code);
  span.setStatus({ code: SpanStatusCode.ERROR, message: code });
}

/** Of Temporal: a pause or a shutdown ended the work early. */
const isCancellation = (error: unknown) => error instanceof Error && error.name === 'CancelledFailure';

const CODE = /^[A-Za-z][\w.]{0,59}$/;

/** Name of an error without its text: its code, the type of a Temporal failure, or the name of its class. */
function failureOf(error: unknown): string {
  const { code, type, name } = (typeof error === 'object' && error !== null ? error : {}) as {
    readonly [field: string]: unknown;
  };
  const found = [code, type, name].find((each) => typeof each === 'string' && CODE.test(each));
  return (found as string | undefined) ?? 'Error';
}

/** @param text valid: see readTraceContext */
function spanContextOf({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId, spanId, flags] = traceparent.split('-') as [string, string, string, string];
  return {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(tracestate !== undefined && { traceState: createTraceState(tracestate) }),
  };
}

function contextOf({ traceId, spanId, traceFlags, traceState }: SpanContext): TraceContext {
  const flags = (traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01';
  const traceparent = `00-${traceId}-${spanId}-${flags}`;
  const tracestate = traceState?.serialize();
  return tracestate ? { traceparent, tracestate } : { traceparent };
}
