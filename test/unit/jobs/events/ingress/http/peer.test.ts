import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peerOf } from '../../../../../../src/jobs/events/ingress/http/peer.ts';
import { createShares, FREE_BYTES } from '../../../../../../src/jobs/events/ingress/http/shares.ts';

describe('one peer', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:C000:207', '192.0.2.7'],
    ['2001:db8:1:2::7', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::7', '2001:db8:1:3::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['no address', 'no address'],
    ['', ''],
    [undefined, ''],
  ])('%s is %s', (address, peer) => {
    expect(peerOf(address)).toBe(peer);
  });
});

it('no body, route or peer ever takes more than its share, and all is free again at the end', () => {
  const limits = { total: 100_000, perRoute: 70_000, perPeer: 40_000 };
  const step = fc.record({ body: fc.nat({ max: 19 }), bytes: fc.nat({ max: 30_000 }) });
  const property = fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
    const shares = createShares(limits);
    const bodies = Array.from({ length: 20 }, (_, at) => ({
      route: `r${at % 3}`,
      peer: `p${at % 5}`,
      length: 0,
      context: shares.bodyOf(`r${at % 3}`, `p${at % 5}`),
    }));
    const beyond = (among: typeof bodies) =>
      among.reduce((sum, { length }) => sum + Math.max(0, length - FREE_BYTES), 0);
    for (const { body: at, bytes } of steps) {
      const body = bodies[at] as (typeof bodies)[number];
      const isSmall = body.length + bytes <= FREE_BYTES;
      const took = body.context.take(bytes);
      if (took) body.length += bytes;
      if (isSmall) expect(took).toBe(true);
      expect(beyond(bodies)).toBeLessThanOrEqual(limits.total);
      expect(beyond(bodies.filter(({ route }) => route === body.route))).toBeLessThanOrEqual(limits.perRoute);
      expect(beyond(bodies.filter(({ peer }) => peer === body.peer))).toBeLessThanOrEqual(limits.perPeer);
    }
    expect(shares.used()).toBe(bodies.reduce((sum, { length }) => sum + length, 0));
    for (const { context, length } of bodies) context.release(length);
    expect(shares.used()).toBe(0);
  });
  fc.assert(property, { numRuns: 200 });
});
