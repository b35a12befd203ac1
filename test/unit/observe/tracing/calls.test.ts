// The spans of an API call: what they show, and that what a service answers cannot put text into them.
import { describe, expect, it } from 'vitest';
import { type EndedSpan, NO_TRACING } from '../../../../src/core/tracing.ts';
import { type TracedCall, traceCall } from '../../../../src/observe/tracing/calls.ts';

const CALL: TracedCall = {
  account: 'acme',
  run_id: 'run-1',
  lane: 2,
  method: 'POST',
  route: '/v1/contacts',
  status: 201,
  code: null,
  request_id: 'req_1',
  event_id: 'e1',
  wait_ms: 400,
  took_ms: 30,
};

function spansOf(call: Partial<TracedCall>): EndedSpan[] {
  const spans: EndedSpan[] = [];
  const ended = (span: EndedSpan) => {
    spans.push(span);
    return null;
  };
  traceCall({ ...NO_TRACING, isOn: true, ended }, { ...CALL, ...call });
  return spans;
}

describe('a call', () => {
  it('has a span for the wait for its slot and one for itself, one after the other', () => {
    expect(spansOf({})).toEqual([
      {
        name: 'wait for slot',
        agoMs: 430,
        endedAgoMs: 30,
        attributes: { 'sluice.account': 'acme', 'sluice.lane': 'lead' },
      },
      {
        name: 'POST /v1/contacts',
        kind: 'client',
        agoMs: 30,
        failure: null,
        attributes: {
          'sluice.account': 'acme',
          'sluice.lane': 'lead',
          'http.request.method': 'POST',
          'url.template': '/v1/contacts',
          'http.response.status_code': 201,
          'sluice.request_id': 'req_1',
          'sluice.slot_wait_ms': 400,
          'sluice.run': 'run-1',
          'sluice.event': 'e1',
        },
      },
    ]);
  });

  it('that hardly waited has only its own span', () => {
    expect(spansOf({ wait_ms: 99 }).map(({ name }) => name)).toEqual(['POST /v1/contacts']);
  });

  it.each([
    ['RATE_LIMITED', 'RATE_LIMITED'],
    ['Bia Pereira, +5511987654321', 'OTHER'],
    ['X'.repeat(100), 'OTHER'],
  ])('that failed as %j has the failure %j', (code, failure) => {
    expect(spansOf({ status: null, code }).at(-1)).toMatchObject({
      failure,
      attributes: { 'http.response.status_code': undefined },
    });
  });

  it.each(['Bia Pereira', 'a'.repeat(200), 'a\nb', ''])('leaves out the request id %j', (request_id) => {
    expect(spansOf({ request_id }).at(-1)?.attributes?.['sluice.request_id']).toBeUndefined();
  });
});
