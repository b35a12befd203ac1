// What a route freezes: keys with their default stay out, so that runs of earlier versions go on under their spec.
import { describe, expect, it } from 'vitest';
import { RouteConfig } from '../../../../../src/jobs/events/config.ts';
import { intakeSpec } from '../../../../../src/jobs/events/ingress/spec.ts';

const route = (over: object) =>
  RouteConfig.parse({
    account: 'acme',
    action: { type: 'flow', number: 'phone', flow: 3, connection: 1 },
    ...over,
  });

describe('the spec of a route', () => {
  it.each([
    [{}, {}],
    [{ optOut: 'check', erasedPeople: 'refuse' }, {}],
    [{ optOut: 'ignore' }, { optOut: 'ignore' }],
    [
      { optOut: 'ignore', erasedPeople: 'accept' },
      { optOut: 'ignore', erasedPeople: 'accept' },
    ],
  ])('with %j has %j', (given, frozen) => {
    expect(intakeSpec('site', route(given), null)).toEqual({ account: 'acme', sync: '@site', ...frozen });
  });
});
