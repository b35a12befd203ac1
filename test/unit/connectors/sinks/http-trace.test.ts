// Webhooks carry the trace of their delivery, and a span tells how it went.
import { describe, expect, it } from 'vitest';
import { NO_TRACING, type SpanDraft, type Tracing } from '../../../../src/core/tracing.ts';
import { httpContext, OLD, send } from './http-context.ts';
import { publishedEvent } from './published-event.ts';

const { receiver, sinkOn } = httpContext();
const CONTEXT = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate: 'vendor=1' };

function recording() {
  const spans: (SpanDraft & { failures: string[] })[] = [];
  const tracing: Tracing = {
    ...NO_TRACING,
    isOn: true,
    within(draft, work) {
      const failures: string[] = [];
      spans.push({ ...draft, failures });
      return work({ context: CONTEXT, set: () => undefined, fail: (code) => void failures.push(code) });
    },
  };
  return { tracing, spans };
}

describe('a webhook', () => {
  it('has the headers traceparent and tracestate of its span', async () => {
    const { url, received } = await receiver();
    const { tracing, spans } = recording();
    await send(await sinkOn(url, {}, [OLD], tracing), publishedEvent({ n: 1 }));
    expect(received[0]?.headers).toMatchObject(CONTEXT);
    expect(spans).toMatchObject([{ name: 'POST event', kind: 'client', failures: [] }]);
  });

  it('that is refused ends its span with the code', async () => {
    const { url } = await receiver((response) => response.writeHead(500).end());
    const { tracing, spans } = recording();
    await send(await sinkOn(url, {}, [OLD], tracing), publishedEvent({ n: 1 }));
    expect(spans[0]?.failures).toEqual(['HTTP_500']);
  });

  it('without tracing has no such header', async () => {
    const { url, received } = await receiver();
    await send(await sinkOn(url), publishedEvent({ n: 1 }));
    expect(received[0]?.headers).not.toHaveProperty('traceparent');
  });
});
