// The pace that a dry run computes with is the limit that the service has sent, which the overview shows.
import { beforeAll, expect, it } from 'vitest';
import { shortHash } from '../../../../src/core/sql/short-hash.ts';
import { paceOf } from '../../../../src/jobs/sync/operator/plans.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';

beforeAll(async () => void (await testLedger()), 90_000);

type Deps = Parameters<typeof paceOf>[0];

it.each([
  ['no call was made yet: the configured one', ['env:A', 'env:B'], {}, 240],
  ['one token has answered', ['env:A', 'env:B'], { A: 600 }, 720],
  ['both have, with less than is configured', ['env:A', 'env:B'], { A: 60, B: 30 }, 90],
  ['a token is listed twice', ['env:A', 'env:A'], { A: 600 }, 600],
  ['a token that this process cannot read', ['env:A', 'env:MISSING'], { A: 600 }, 720],
])('%s', async (_, tokens, limits: Record<string, number>, pace) => {
  const db = await testLedger();
  for (const [name, limit] of Object.entries(limits))
    await db.query('insert into slots (token, call_limit) values ($1, $2)', [shortHash(name), limit]);
  const loaded = {
    config: { accounts: { acme: { tokens, callsPerMinute: 120 } } },
    async secret(ref: string) {
      if (ref === 'env:MISSING') throw new Error('MISSING is not set');
      return { value: ref.slice(4) };
    },
  };
  const deps = { db, config: () => loaded, log: { warn: () => undefined } } as unknown as Deps;
  expect(await paceOf(deps, { account: 'acme' })).toBe(pace);
  expect(await paceOf(deps, { account: 'gone' })).toBe(0);
});
