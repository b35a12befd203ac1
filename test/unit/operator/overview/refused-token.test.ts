// A refused token is one need, which names the work that it blocks.
import { beforeEach, describe, expect, it } from 'vitest';
import type { OverviewProbes } from '../../../../src/operator/service/overview/probes.ts';
import { logCalls } from '../../../../src/operator/store/calls.ts';
import { onBothLedgers } from '../../../support/postgres/both-ledgers.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';
import { callOf } from '../store/calls-suite.ts';
import { readNeeds, readOverview } from './needs-context.ts';
import { TOKEN, WELL } from './rows.ts';

onBothLedgers((db) => {
  beforeEach(() => emptyLedger(db));

  const read = (probes?: OverviewProbes, input?: { account?: string }) => readOverview(db, probes, input);
  const needs = (probes?: OverviewProbes) => readNeeds(db, probes);

  describe('a refused token', () => {
    const pause = {
      run: 'acme/leads/1',
      account: 'acme',
      sync: 'leads',
      by: 'sluice',
      reason: 'POST /v1/contacts answered 401 ERR_TOKEN_REVOKED',
      code: 'ERR_TOKEN_REVOKED',
    };
    const probes = { ...WELL, pausedSyncs: async () => new Map([[pause.run, pause]]) };
    const mark = async (scope: string, code: string) => {
      await db.query('insert into slots (token, call_limit) values ($1, 100)', [TOKEN]);
      await db.query('insert into token_marks (token, scope, code) values ($1, $2, $3)', [
        TOKEN,
        scope,
        code,
      ]);
    };
    const blockPoller = (poller: string, code: string) =>
      db.query(
        `insert into pollers (account, poller, run_id, block_code, block_reason, started_at)
         values ('acme', $1, 'acme/~' || $1 || '/1', $2, 'refused', now())`,
        [poller, code],
      );

    it('that is the only one is one need, which names the work that it blocks', async () => {
      await mark('', 'ERR_TOKEN_REVOKED');
      await blockPoller('chats', 'ERR_TOKEN_REVOKED');
      // Another token alone does not help it.
      await blockPoller('shapes', 'UNEXPECTED_SHAPE');
      await logCalls(
        db,
        Array.from({ length: 3 }, () =>
          callOf({ account: 'acme', token: TOKEN, status: 401, code: 'ERR_TOKEN_REVOKED' }),
        ),
        new Map(),
      );
      const found = (await read(probes)).needs;
      expect(found.map(({ kind, name }) => [kind, name])).toEqual(
        expect.arrayContaining([
          ['refused-token', '1'],
          ['blocked-poller', 'shapes'],
        ]),
      );
      expect(found).toHaveLength(2);
      expect(found.find(({ kind }) => kind === 'refused-token')?.blocks).toEqual(
        expect.arrayContaining([
          { kind: 'sync', name: 'leads', run: pause.run },
          { kind: 'poller', name: 'chats', run: null },
        ]),
      );
      expect(found.find(({ kind }) => kind === 'blocked-poller')?.blocks).toBeUndefined();
    });

    it('leaves what has to be resumed once the account has a token that works', async () => {
      expect((await needs(probes)).map(([kind]) => kind)).toEqual(['blocked-sync']);
    });

    it('that lacks a scope leaves the run that its token blocked a need of its own', async () => {
      await mark('cards:write', 'ERR_SCOPE_MISSING');
      const kinds = (await needs(probes)).map(([kind]) => kind);
      expect(new Set(kinds)).toEqual(new Set(['blocked-sync', 'refused-token']));
    });
  });
});
