// What the call log and the counters of runs say about the calls of an account.
import { describe, expect, it } from 'vitest';
import { callApi } from '../../../../activities/shared/api-call.ts';
import { type CallScope, withCallScope, withSubject } from '../../../../activities/shared/call-scope.ts';
import type { AccountAccess } from '../../../../activities/shared/deps.ts';
import { LANES } from '../../../../src/core/lanes.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { specOf } from '../../core/sql/support.ts';
import { ALL, context, db, panel, run, tokens, useTwoTokens } from './api-call-context.ts';

useTwoTokens();

describe('the call log', () => {
  const logged = async (account: AccountAccess) =>
    await db.query(
      `select run_id, lane, method, route, status, code, person_key, card_id, request_id is not null as requested,
              wait_ms >= 0 as waited, took_ms >= 0 as took
         from calls where token = any($1) order by at, id`,
      [account.tokens.map(({ key }) => key)],
    );
  const call = async (scope: CallScope) => {
    const { deps, account } = context();
    await db.query('delete from calls');
    const made = withCallScope(scope, () =>
      withSubject({ card: 7 }, () =>
        callApi(deps, account, run, 'contacts:read', (client, options) => client.tags.list(options)),
      ),
    );
    await made.catch(() => undefined);
    await deps.calls.flush();
    return await logged(account);
  };
  const scope = { lane: LANES.lead, signal: AbortSignal.abort(), about: { person: '5511987654321' } };
  const entry = {
    run_id: 'acme/leads/1',
    lane: 2,
    method: 'GET',
    route: '/v1/tags',
    status: 200,
    code: null,
    person_key: '5511987654321',
    card_id: 7,
    requested: true,
    waited: true,
    took: true,
  };
  const error = (code: string) => ({ error: 'no', code });
  it.each([
    ['an answer', null, [entry]],
    [
      'a 429: the other token makes the call',
      { kind: 'status', status: 429, body: error('ERR_RATE_LIMITED') },
      [{ ...entry, status: 429, code: 'ERR_RATE_LIMITED', requested: expect.any(Boolean) }, entry],
    ],
    [
      'an error without a code',
      { kind: 'status', status: 500, body: 'no' },
      [{ ...entry, status: 500, code: 'HTTP_500', requested: expect.any(Boolean) }],
    ],
    [
      'a lost answer',
      { kind: 'reset-after' },
      [{ ...entry, status: null, code: 'TRANSPORT_RESET', requested: false }],
    ],
    [
      'an answer that cannot be read',
      { kind: 'status', status: 200, body: { tags: 5 } },
      [{ ...entry, code: 'UNEXPECTED_SHAPE', requested: expect.any(Boolean) }],
    ],
  ])('shows %s with its person and lane', async (_, fault, shown) => {
    await tokens(ALL, ALL);
    if (fault !== null) await panel().fault({ ...fault, times: 1 });
    const { signal } = new AbortController();
    expect(await call({ ...scope, signal })).toEqual(shown);
  });

  it('does not show a call that was never sent', async () => {
    expect(await call(scope)).toEqual([]);
  });
});

it('calls of a run are counted in memory, and a flush writes all of them to the ledger', async () => {
  await tokens(ALL, ALL);
  const { deps, account, at } = context();
  const own = (await openRun(db, specOf('acme', 'counted'))).id;
  const tags = () =>
    at(LANES.lead).run(() =>
      callApi(deps, account, own, 'contacts:read', (client, options) => client.tags.list(options)),
    );
  for (let n = 0; n < 5; n++) await tags();
  await Promise.all([deps.calls.flush(), deps.calls.flush()]);
  expect(await db.query('select calls from runs where id = $1', [own])).toEqual([{ calls: 5 }]);
});
