// Traces: what the parts of Sluice record, and the W3C Trace Context that travels in headers and in the ledger. Names and
// attributes are words of the configuration, route templates, ids and hashes: no personal data.

/** W3C Trace Context, as headers have it. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanDraft {
  readonly name: string;
  /** @default 'internal' */
  readonly kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** Null: the span begins a trace. @default the span that the caller runs in */
  readonly parent?: TraceContext | null | undefined;
  readonly links?: readonly TraceContext[];
  readonly attributes?: SpanAttributes;
  /** Milliseconds since the span began. @default 0 */
  readonly agoMs?: number;
}

/** A span in progress. */
export interface OpenSpan {
  /** Null while nothing is traced. */
  readonly context: TraceContext | null;
  set(attributes: SpanAttributes): void;
  /** The work failed. @param code never a message: that could quote a person */
  fail(code: string): void;
}

/** A span that is already over. */
export interface EndedSpan extends SpanDraft {
  /** Null: it succeeded. */
  readonly failure?: string | null;
  /** Milliseconds since the span ended. @default 0 */
  readonly endedAgoMs?: number;
}

export interface Tracing {
  /** False: nothing is recorded, and callers may skip what only traces need. */
  readonly isOn: boolean;
  /** Runs `work` in a span of its own. If `work` rejects, the span has the name or code of the error. */
  within<T>(draft: SpanDraft, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Records a span that is over. @returns its context; null while nothing is traced */
  ended(span: EndedSpan): TraceContext | null;
  /** The span that the caller runs in. */
  current(): TraceContext | null;
}

const NO_SPAN: OpenSpan = { context: null, set: () => undefined, fail: () => undefined };

/** What runs while tracing is off. */
export const NO_TRACING: Tracing = {
  isOn: false,
  within: (_draft, work) => work(NO_SPAN),
  ended: () => null,
  current: () => null,
};

const PARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** W3C Trace Context, section 3.3.1.5: this many characters and members are forwarded. */
const MAX_STATE = 512;
const MAX_MEMBERS = 32;
const MEMBER =
  /^[a-z\d][a-z\d_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/**
 * Reads the context of a sender. It comes from outside, so all that the standard does not allow is ignored: an invalid
 * `traceparent` with everything, an invalid or too long `tracestate` alone.
 */
export function readTraceContext(fields: Readonly<Record<string, unknown>> | undefined): TraceContext | null {
  const { traceparent, tracestate } = fields ?? {};
  if (typeof traceparent !== 'string') return null;
  const [, version, trace, span, flags, more] = PARENT.exec(traceparent.trim()) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(trace as string) || /^0+$/.test(span as string)) return null;
  // Of a later version only the sampled flag is known.
  const sampled = (Number.parseInt(flags as string, 16) & 1) === 1;
  const parent = `00-${trace}-${span}-${sampled ? '01' : '00'}`;
  const state = readState(tracestate);
  return state === null ? { traceparent: parent } : { traceparent: parent, tracestate: state };
}

function readState(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > MAX_STATE) return null;
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  if (members.length === 0 || members.length > MAX_MEMBERS) return null;
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf('='))));
  return keys.size === members.length && members.every((member) => MEMBER.test(member))
    ? members.join(',')
    : null;
}

/** Id of the trace that a context belongs to. */
export function traceIdOf({ traceparent }: TraceContext): string {
  return traceparent.slice(3, 35);
}
