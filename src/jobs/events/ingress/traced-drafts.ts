// Decides which trace the work on an event continues.
import { type SpanAttributes, type TraceContext, type Tracing, traceIdOf } from '../../../core/tracing.ts';
import type { EventDraft } from '../contract/intake.ts';

export interface Transport {
  /** Of the request or record that brought the events. */
  readonly context: TraceContext | null;
  /** Whether the request has a span of its own: `context` is that of the span. */
  readonly hasSpan: boolean;
  readonly attributes?: SpanAttributes;
}

/**
 * An event that has a context of its own (a CloudEvent) continues that one, with a link to the request if the request
 * belongs to another trace. Other events continue the request. Without tracing, the context of the sender is passed on.
 */
export function traceDrafts(
  tracing: Tracing,
  drafts: readonly EventDraft[],
  { context, hasSpan, attributes }: Transport,
): EventDraft[] {
  return drafts.map((draft) => {
    const own = draft.trace ?? null;
    if (!tracing.isOn) return { ...draft, trace: own ?? context };
    const isOther = own !== null && (context === null || traceIdOf(own) !== traceIdOf(context));
    if (hasSpan && !isOther) return { ...draft, trace: context };
    const trace = tracing.ended({
      name: `receive ${draft.route}`,
      kind: 'consumer',
      parent: own ?? context,
      links: isOther && context !== null ? [context] : [],
      attributes: {
        'sluice.account': draft.account,
        'sluice.route': draft.route,
        'sluice.event': draft.id,
        ...attributes,
      },
    });
    return { ...draft, trace };
  });
}
