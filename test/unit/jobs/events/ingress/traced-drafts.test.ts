// Which trace the work on an event continues: the event's own, or that of the request or record that brought it.
import { describe, expect, it } from 'vitest';
import {
  type EndedSpan,
  NO_TRACING,
  type TraceContext,
  type Tracing,
} from '../../../../../src/core/tracing.ts';
import { traceDrafts } from '../../../../../src/jobs/events/ingress/traced-drafts.ts';
import { draft } from './http/environment.ts';

const context = (trace: string, span = '1'): TraceContext => ({
  traceparent: `00-${trace.repeat(32)}-${span.repeat(16)}-01`,
});
const REQUEST = context('a');
const OWN = context('b');
const NEW = context('c');

function recording(): { tracing: Tracing; spans: EndedSpan[] } {
  const spans: EndedSpan[] = [];
  const ended = (span: EndedSpan) => {
    spans.push(span);
    return NEW;
  };
  return { tracing: { ...NO_TRACING, isOn: true, ended }, spans };
}

describe('an event of a request with a span', () => {
  it('continues the request', () => {
    const { tracing, spans } = recording();
    const [traced] = traceDrafts(tracing, [draft('e1')], { context: REQUEST, hasSpan: true });
    expect(traced?.trace).toEqual(REQUEST);
    expect(spans).toEqual([]);
  });

  it('with a context of its own in the same trace continues the request', () => {
    const { tracing, spans } = recording();
    const own = context('a', '2');
    const [traced] = traceDrafts(tracing, [{ ...draft('e1'), trace: own }], {
      context: REQUEST,
      hasSpan: true,
    });
    expect(traced?.trace).toEqual(REQUEST);
    expect(spans).toEqual([]);
  });

  it('with a context of another trace continues its own, in a span that links to the request', () => {
    const { tracing, spans } = recording();
    const drafts = [{ ...draft('e1'), trace: OWN }, draft('e2')];
    const [first, second] = traceDrafts(tracing, drafts, { context: REQUEST, hasSpan: true });
    expect([first?.trace, second?.trace]).toEqual([NEW, REQUEST]);
    expect(spans).toMatchObject([
      { name: 'receive leads', parent: OWN, links: [REQUEST], attributes: { 'sluice.event': 'e1' } },
    ]);
  });
});

describe('an event of a Kafka record', () => {
  it.each([
    ['without any context begins a trace', null, null, null, []],
    ["continues the record's", REQUEST, null, REQUEST, []],
    ['continues its own', null, OWN, OWN, []],
    ["continues its own, linked to the record's", REQUEST, OWN, OWN, [REQUEST]],
  ])('%s', (_what, record, own, parent, links) => {
    const { tracing, spans } = recording();
    const [traced] = traceDrafts(tracing, [{ ...draft('e1'), trace: own }], {
      context: record,
      hasSpan: false,
      attributes: { 'messaging.destination.name': 'leads' },
    });
    expect(traced?.trace).toEqual(NEW);
    expect(spans).toMatchObject([
      { parent, links, kind: 'consumer', attributes: { 'messaging.destination.name': 'leads' } },
    ]);
  });
});

it('a process without tracing hands on what the sender sent, the own context of the event first', () => {
  const drafts = [draft('e1'), { ...draft('e2'), trace: OWN }];
  const traced = traceDrafts(NO_TRACING, drafts, { context: REQUEST, hasSpan: false });
  expect(traced.map(({ trace }) => trace)).toEqual([REQUEST, OWN]);
});
