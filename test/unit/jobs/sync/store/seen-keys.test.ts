// The memory of a run against a Map: the same answers, also after a restart.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PLACES, SeenKeys, STAGED } from '../../../../../src/jobs/sync/store/plan/seen-keys.ts';

const key = fc.oneof(
  fc.integer({ min: 10_000_000, max: 10_000_900 }).map(String),
  fc.bigInt({ min: 10_000_000n, max: 999_999_999_999_999n }).map(String),
);
const place = fc.oneof(fc.constant(STAGED), fc.integer({ min: 0, max: 2 ** 31 - 1 }));
const change = fc.array(fc.tuple(key, place), { maxLength: 3000 });

describe('SeenKeys', () => {
  it('behaves like a Map after any number of changes, and after decoding its bytes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 3 }), fc.array(key), (pages, others) => {
        const seen = new SeenKeys();
        const restored = new SeenKeys();
        const model = new Map<string, number>();
        for (const page of pages) {
          const changes = new Map(page);
          for (const [key, place] of changes) {
            seen.set(key, place);
            model.set(key, place);
          }
          const bytes = SeenKeys.encode(changes);
          // As drivers hand bytes out: somewhere in a larger buffer, or in Node's pool of small ones.
          const shifted = (of: Uint8Array) => new Uint8Array([7, ...of]).subarray(1);
          restored.apply({ keys: shifted(bytes.keys), places: Buffer.from(bytes.places) });
        }
        for (const asked of [...model.keys(), ...others]) {
          expect(seen.get(asked)).toBe(model.get(asked));
          expect(restored.get(asked)).toBe(model.get(asked));
        }
        expect(seen.size).toBe(model.size);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps a million neighboring numbers apart without slowing down', () => {
    const seen = new SeenKeys();
    for (let n = 0; n < 1_000_000; n++) seen.set(String(5_511_900_000_000 + n), n);
    expect(seen.size).toBe(1_000_000);
    expect(seen.get('5511900777777')).toBe(777_777);
    expect(seen.get('5511899999999')).toBeUndefined();
    expect(PLACES).toBeGreaterThan(4000);
  });

  it.each(['0155512345', '12345678901234567', '', 'x', '1e9', '-155512345', ' 155512345'])(
    'refuses the key %j, which another one could be taken for',
    (key) => {
      expect(() => new SeenKeys().set(key, 1)).toThrow(RangeError);
    },
  );
});
