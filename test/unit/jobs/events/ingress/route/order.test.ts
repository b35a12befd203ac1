import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RouteConfigError } from '../../../../../../src/jobs/events/ingress/route/index.ts';
import { http, refusal, scripted } from './support.ts';

const { route } = scripted({ order: 'at' });
const rank = async (at: unknown) => (await route.read(http({ at }))).drafts[0]?.rank;

describe('order', () => {
  it.each([
    [0, 0],
    [-1.5, -1.5],
    [1_732_190_400_000, 1_732_190_400_000],
    ['17', 17],
    [' 0017 ', 17],
    ['1732190400000', 1_732_190_400_000],
    ['1970-01-01T00:00:00Z', 0],
    ['1970-01-01T00:00:01.5Z', 1500],
    ['1969-12-31T23:59:59Z', -1000],
    ['2026-01-01T00:00:00+03:00', Date.UTC(2025, 11, 31, 21)],
    ['2026-01-01t00:00:00z', Date.UTC(2026, 0, 1)],
    ['2024-02-29T12:00Z', Date.UTC(2024, 1, 29, 12)],
    ['1970-01-01T00:00:00.000250Z', 0.25],
  ])('%j ranks as %d', async (at, expected) => {
    expect(await rank(at)).toBe(expected);
  });

  it.each([
    undefined,
    null,
    '',
    ' ',
    true,
    {},
    [],
    [1],
    'newer',
    '1e3',
    '-5',
    '0x10',
    '١٢',
    '9'.repeat(400),
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00Z ago',
    '+002026-01-01T00:00:00Z',
    '0000-00-00T00:00:00Z',
  ])('%j ranks nowhere, so the event is refused and its value not quoted', async (at) => {
    const refused = await refusal(route, http({ at }));
    expect(refused).toMatchObject({ code: 'BAD_ORDER', status: 422, problems: [{ field: 'at' }] });
    if (typeof at === 'string' && at.trim() !== '') expect(refused.message).not.toContain(at);
  });

  it('a number beyond what can be ordered is refused', async () => {
    for (const at of ['1e999', '1e308', '9007199254740993', '"9007199254740993"', '-1e300'])
      expect(await refusal(route, http(`{"at":${at}}`))).toMatchObject({ code: 'BAD_ORDER' });
  });

  it('without order events have no rank', async () => {
    const { drafts } = await scripted().route.read(http({ at: 'whenever' }));
    expect(drafts[0]?.rank).toBeNull();
  });

  it('of two times the later has the larger rank, to the microsecond', async () => {
    const time = fc.tuple(
      fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
      fc.nat(999),
    );
    const text = ([date, micros]: [Date, number]) =>
      date.toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`);
    const property = fc.asyncProperty(time, time, async (a, b) => {
      const [first, second] = [await rank(text(a)), await rank(text(b))];
      const earlier = text(a) < text(b);
      expect(Number(first) < Number(second)).toBe(earlier);
    });
    await fc.assert(property, { numRuns: 200 });
  });

  it.each(['__proto__', '__proto__.x', 'constructor.prototype.x', 'a.prototype', 'a. __proto__ .b'])(
    'FAULTS 35: order and key %s are refused when the route is opened',
    (path) => {
      expect(() => scripted({ order: path })).toThrow(RouteConfigError);
      expect(() => scripted({ order: path })).toThrow(/route leads, order: /);
      expect(() => scripted({ key: path })).toThrow(/route leads, key: /);
    },
  );

  it('the path may lead into lists and what is known of the event', async () => {
    const nested = scripted({ order: 'history.0.at' }).route;
    expect((await nested.read(http({ history: [{ at: 5 }] }))).drafts[0]?.rank).toBe(5);
  });
});
