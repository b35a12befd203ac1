// Nobody finds a masked number by guesses.
import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/operator/service/caller.ts';
import { createSearchLimit } from '../../../src/operator/service/search-limit.ts';

const VIEWER: Caller = { identity: 'user:vera', name: 'Vera', role: 'viewer', via: 'session' };

describe('searches for people', () => {
  it('of a viewer are limited to 30 a minute, with the time of the next one', () => {
    let at = 1_000_000;
    const { take } = createSearchLimit(() => at);
    for (let time = 0; time < 30; time += 1) take(VIEWER);
    expect(() => take(VIEWER)).toThrow(expect.objectContaining({ kind: 'tooMany', retryAfterMs: 60_000 }));
    take({ ...VIEWER, identity: 'user:other' });
    at += 60_000;
    expect(() => take(VIEWER)).not.toThrow();
  });

  it('of a viewer are limited to 300 a day, so 10,000 guesses take a month', () => {
    let at = 1_000_000;
    const { take } = createSearchLimit(() => at);
    let found = 0;
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      at += 60_000;
      try {
        for (;;) {
          take(VIEWER);
          found += 1;
        }
      } catch {
        // The next minute.
      }
    }
    expect(found).toBeLessThanOrEqual(330);
  });

  it('of an operator are limited to 120 a minute', () => {
    const { take } = createSearchLimit(() => 1_000_000);
    for (let time = 0; time < 120; time += 1) take({ ...VIEWER, role: 'operator' });
    expect(() => take({ ...VIEWER, role: 'operator' })).toThrow('too many searches');
  });
});
