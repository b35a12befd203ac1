// Of which needs the list knows that they have ended: a token that nobody calls with is not one that works again.
import { beforeEach, expect, it } from 'vitest';
import { createOverviewReader } from '../../../../src/operator/service/overview/read.ts';
import { logCalls } from '../../../../src/operator/store/calls.ts';
import { onBothLedgers } from '../../../support/postgres/both-ledgers.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';
import { callOf } from '../store/calls-suite.ts';
import { depsOf, TOKEN, WELL } from './rows.ts';

onBothLedgers((db) => {
  beforeEach(() => emptyLedger(db));

  const read = () => createOverviewReader(depsOf(db), WELL)(null);

  it.each([
    ['refused 10 minutes ago', '', '11 minutes', 1],
    ['refused days ago', '', '3 days', 1],
    ['without a scope since hours', 'cards:write', '23 hours', 1],
    ['without a scope that nothing needed for days', 'cards:write', '25 hours', 0],
  ])('a token that was %s: %s, %s', async (_what, scope, ago, expected) => {
    await db.query('insert into slots (token, call_limit) values ($1, 100)', [TOKEN]);
    await db.query(
      `insert into token_marks (token, scope, code, at) values ($1, $2, 'ERR_TOKEN_REVOKED', now() - $3::interval)`,
      [TOKEN, scope, ago],
    );
    const refused = (await read()).needs.filter(({ kind }) => kind === 'refused-token');
    expect(refused).toHaveLength(expected);
  });

  const FAILING = { kind: 'failing-calls', account: 'acme' } as const;

  it('calls may still fail while the account makes none', async () => {
    const { mayStand } = await read();
    expect(mayStand(FAILING)).toBe(true);
    expect(mayStand({ ...FAILING, kind: 'service-away' })).toBe(true);
    expect(mayStand({ ...FAILING, kind: 'blocked-poller' })).toBe(false);
    expect(mayStand({ ...FAILING, account: 'not configured any more' })).toBe(false);
  });

  it.each([
    ['a success', null, false],
    ['a failure', 'ERR_TOKEN_REVOKED', true],
  ])('after %s of the account: %s, %s', async (_what, code, expected) => {
    await logCalls(db, [callOf({ account: 'acme', token: TOKEN, code })], new Map());
    expect((await read()).mayStand(FAILING)).toBe(expected);
  });
});
