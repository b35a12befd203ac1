// Refused deliveries: counted and kept in bulk, bounded, and without a value of what was sent.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { RefusedError } from '../../../../src/jobs/events/ingress/intake.ts';
import { type Refusal, reasonOf, recordRefusals } from '../../../../src/jobs/events/ingress/refusals.ts';
import { forgetRefusals, KEPT_REFUSALS } from '../../../../src/operator/store/refusals.ts';
import { operatorContext } from '../../../support/operator/context.ts';

const HOUR_MS = 3_600_000;

const { db, call } = operatorContext();
const warned: object[] = [];
const log = { warn: (fields: object) => void warned.push(fields) };
beforeEach(() => {
  warned.length = 0;
});

const refusal = (over: Partial<Refusal> = {}): Refusal => ({
  via: 'http',
  route: 'site',
  code: 'SIGNATURE',
  status: 401,
  reason: 'the signature does not match',
  ...over,
});

/** Records them all and writes them. */
async function refused(...all: Refusal[]): Promise<void> {
  const refusals = recordRefusals({ db, log });
  for (const each of all) refusals.add(each);
  await refusals.close();
}

describe('refusals', () => {
  it('of an empty ledger are none', async () => {
    expect(await call('GET /refusals', {})).toEqual({ refusals: [], next: null });
    expect(await call('GET /refusals/hours', {})).toEqual({ since: expect.any(String), hours: [] });
  });

  it('are counted by hour, and added to what another process has counted', async () => {
    await refused(refusal(), refusal(), refusal({ code: 'SCHEMA', status: 422 }));
    await refused(refusal(), refusal({ via: 'kafka', status: null }));
    const { hours } = await call('GET /refusals/hours', {});
    expect(hours.map(({ via, code, status, count }) => [via, code, status, count])).toEqual([
      ['http', 'SIGNATURE', 401, 3],
      ['http', 'SCHEMA', 422, 1],
      ['kafka', 'SIGNATURE', null, 1],
    ]);
    expect((await call('GET /refusals/hours', { codes: ['SCHEMA'] })).hours).toHaveLength(1);
    expect((await call('GET /refusals/hours', { since: '2999-01-01T00:00:00Z' })).hours).toEqual([]);
  });

  it('say since which full hour they are counted, which others can count from too', async () => {
    await refused(refusal());
    await db.query(`update refusal_hours set hour = date_trunc('hour', now() - interval '1 day')`);
    const { since, hours } = await call('GET /refusals/hours', {});
    expect(hours).toMatchObject([{ hour: since, count: 1 }]);
    const age = Date.now() - Date.parse(since);
    expect(age).toBeGreaterThanOrEqual(24 * HOUR_MS);
    expect(age).toBeLessThan(25 * HOUR_MS + 60_000);
    // Whoever asks with that time again gets the same numbers, also in a later hour.
    expect(await call('GET /refusals/hours', { since })).toEqual({ since, hours });
    await db.query(`update refusal_hours set hour = hour - interval '1 hour'`);
    expect((await call('GET /refusals/hours', {})).hours).toEqual([]);
  });

  it('are kept one by one, so that a faulty sender displaces no other', async () => {
    await refused(
      refusal({ code: 'BAD_JSON', status: 400, reason: 'of somebody else' }),
      ...Array.from({ length: 10_000 }, (_, n) => refusal({ reason: `number ${n}` })),
    );
    const { refusals } = await call('GET /refusals', {});
    expect(refusals.map(({ reason }) => reason)).toEqual([
      'number 9999',
      'number 9998',
      'number 9997',
      'number 9996',
      'number 9995',
      'of somebody else',
    ]);
    const { hours } = await call('GET /refusals/hours', { codes: ['SIGNATURE'] });
    expect(hours).toMatchObject([{ count: 10_000 }]);
  });

  it('stay bounded in the ledger and in memory', async () => {
    for (let n = 0; n < 3; n++)
      await refused(...Array.from({ length: 2000 }, (_, code) => refusal({ code: `C${code}` })));
    const [row] = await db.query<{ kept: number }>('select count(*)::int as kept from refusals');
    // One write may add what it has before the next one deletes.
    expect(row?.kept).toBeLessThanOrEqual(2 * KEPT_REFUSALS);
    await db.query(`update refusal_hours set hour = hour - interval '91 days'`);
    expect(await forgetRefusals(db, 90)).toBe(1000);
  });

  it('are dropped with a warning while the ledger is away', async () => {
    const away = { query: () => Promise.reject(new Error('away')) } as unknown as Database;
    const refusals = recordRefusals({ db: away, log });
    refusals.add(refusal());
    await refusals.close();
    expect(warned).toHaveLength(1);
  });

  it('come in pages, each once', async () => {
    await refused(...Array.from({ length: 5 }, (_, n) => refusal({ reason: String(n) })));
    const first = await call('GET /refusals', { limit: 3 });
    const second = await call('GET /refusals', { limit: 3, before: first.next ?? '' });
    expect([...first.refusals, ...second.refusals].map(({ reason }) => reason).join('')).toBe('43210');
    expect(second.next).toBeNull();
    await expect(call('GET /refusals', { before: 'x' })).rejects.toMatchObject({ kind: 'invalid' });
  });
});

it('a reason names fields, and no value', () => {
  const problem = { field: 'contact.email', code: 'EMAIL', reason: 'bad', value: 'canary@example.com' };
  const reason = reasonOf(new RefusedError('MAPPING', 422, 'the event does not fit', [problem as never]));
  expect(reason).toBe('the event does not fit (contact.email: EMAIL)');
});
