// Reading W3C Trace Context from a sender, who may send anything.
import { describe, expect, it } from 'vitest';
import { NO_TRACING, readTraceContext, traceIdOf } from '../../../src/core/tracing.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${SPAN}-01`;

describe('traceparent', () => {
  it.each([
    ['sampled', VALID, VALID],
    ['not sampled', `00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
    ['with further flags, of which only "sampled" is kept', `00-${TRACE}-${SPAN}-03`, VALID],
    ['unsampled with the random flag', `00-${TRACE}-${SPAN}-02`, `00-${TRACE}-${SPAN}-00`],
    ['with spaces around it', ` ${VALID}\t`, VALID],
    ['of a later version', `cc-${TRACE}-${SPAN}-01`, VALID],
    ['of a later version, with more fields', `01-${TRACE}-${SPAN}-01-what-will-be`, VALID],
  ])('%s is read', (_what, traceparent, read) => {
    expect(readTraceContext({ traceparent })).toEqual({ traceparent: read });
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 12],
    ['a list', [VALID]],
    ['an object', { toString: () => VALID }],
    ['empty text', ''],
    ['the invalid version ff', `ff-${TRACE}-${SPAN}-01`],
    ['version 00 with more fields', `${VALID}-more`],
    ['a later version with text but no separator', `01-${TRACE}-${SPAN}-01x`],
    ['an all-zero trace id', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['an all-zero span id', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['upper case', VALID.toUpperCase()],
    ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a long span id', `00-${TRACE}-${SPAN}0-01`],
    ['a flag of one digit', `00-${TRACE}-${SPAN}-1`],
    ['two of them, as proxies join headers', `${VALID},${VALID}`],
    ['SQL', `00-${TRACE}-${SPAN}-01'; drop table events; --`],
    ['a line break inside', `00-${TRACE}\n-${SPAN}-01`],
    ['a million characters', `${VALID}${'-'.repeat(1_000_000)}`],
  ])('%s is ignored', (_what, traceparent) => {
    expect(readTraceContext({ traceparent, tracestate: 'a=1' })).toBeNull();
  });
});

describe('tracestate', () => {
  it.each([
    ['one member', 'congo=t61rcWkgMzE', 'congo=t61rcWkgMzE'],
    ['several, with spaces and an empty one', 'a=1, b@v=2 ,,c/d*e_f-g=3', 'a=1,b@v=2,c/d*e_f-g=3'],
    ['32 members', list(32), list(32)],
    ['512 characters', `a=${'x'.repeat(250)},b=${'y'.repeat(257 - 2)}`.slice(0, 508), undefined],
  ])('%s is kept', (_what, tracestate, kept) => {
    expect(readTraceContext({ traceparent: VALID, tracestate })).toEqual({
      traceparent: VALID,
      tracestate: kept ?? tracestate,
    });
  });

  it.each([
    ['nothing', undefined],
    ['empty text', ''],
    ['a list', ['a=1']],
    ['33 members', list(33)],
    ['more than 512 characters', `a=${'x'.repeat(250)},b=${'y'.repeat(250)},c=${'z'.repeat(10)}`],
    ['a value of more than 256 characters', `a=${'x'.repeat(257)}`],
    ['a key twice', 'a=1,a=2'],
    ['a key in upper case', 'A=1'],
    ['a member without a value', 'a'],
    ['an equals sign in a value', 'a=b=c'],
    ['a control character', 'a=\u0007'],
    ['a letter outside ASCII', 'a=é'],
  ])('%s is dropped, and the traceparent stays', (_what, tracestate) => {
    expect(readTraceContext({ traceparent: VALID, tracestate })).toEqual({ traceparent: VALID });
  });
});

function list(members: number): string {
  return Array.from({ length: members }, (_, n) => `k${n}=v`).join(',');
}

it('a context names its trace', () => {
  expect(traceIdOf({ traceparent: VALID })).toBe(TRACE);
});

it('without tracing, work runs and nothing is recorded', async () => {
  const seen = await NO_TRACING.within({ name: 'work' }, async (span) => {
    span.set({ a: 1 });
    span.fail('CODE');
    return span.context;
  });
  expect(seen).toBeNull();
  expect(NO_TRACING.ended({ name: 'work' })).toBeNull();
  expect(NO_TRACING.current()).toBeNull();
});
