// What failed several times says what happens next, leads to its job, and stands still only while nothing succeeds.
import { beforeEach, expect, it } from 'vitest';
import { pathOfNeed } from '../../../../src/operator/contract/need-screens.ts';
import type { FailingWork } from '../../../../src/operator/service/overview/failing-work.ts';
import { logCalls } from '../../../../src/operator/store/calls.ts';
import { onBothLedgers } from '../../../support/postgres/both-ledgers.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';
import { callOf } from '../store/calls-suite.ts';
import { readOverview } from './needs-context.ts';
import { TOKEN, WELL } from './rows.ts';

const NEXT = '2099-11-28T13:43:50.000Z';
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

const failing = (over: Partial<FailingWork> = {}): FailingWork => ({
  account: 'acme',
  kind: 'sync',
  name: 'leads',
  activity: 'syncBatch',
  code: 'LedgerError',
  isLedgerAway: true,
  failedAt: ago(30),
  nextAt: NEXT,
  attempts: 8,
  workflows: 1,
  isPartial: false,
  ...over,
});

onBothLedgers((db) => {
  beforeEach(async () => {
    await emptyLedger(db);
    await db.query(
      `insert into runs (id, account, sync, seq, kind, status, spec, started_at)
       select 'acme/' || s || '/1', 'acme', s, 1, k, 'syncing', '{}', now()
         from (values ('leads', 'sync'), ('other', 'sync'), ('+spring', 'campaign'), ('~chats', 'poll')) v(s, k)`,
    );
  });

  async function call(run: string, age_ms: number, code: string | null = null) {
    const over = { account: 'acme', token: TOKEN, run_id: `acme/${run}/1`, lane: 5, age_ms };
    await logCalls(db, [callOf({ ...over, code, status: code === null ? 200 : 400 })], new Map());
  }
  const need = async (...work: readonly FailingWork[]) => {
    const { needs } = await readOverview(db, { ...WELL, failingWork: async () => work });
    return needs.find(({ kind }) => kind === 'failing-batch');
  };

  it('says in plain words what happened and when it is tried again, and leads to its job', async () => {
    const found = await need(failing());
    expect(found).toMatchObject({
      severity: 'critical',
      account: 'acme',
      name: 'leads',
      work: 'sync',
      code: 'WORK_RETRIES',
      reason: `the ledger's database did not answer it 8 times in a row; it retries by itself at ${NEXT}`,
      params: { which: ['ledger', 'next'], attempts: 8, nextAt: NEXT },
      commands: [],
    });
    expect(found && pathOfNeed(found)).toBe('/syncs?account=acme&name=leads');
  });

  it('names the error where the database answered, and admits what it does not know', async () => {
    expect(await need(failing({ isLedgerAway: false, nextAt: null, isPartial: true }))).toMatchObject({
      reason:
        'it failed 8 times in a row; the log of the worker names syncBatch and LedgerError; it retries by itself; ' +
        'more may fail, because not all open workflows are checked yet',
      params: { which: ['error', 'again', 'partial'] },
    });
  });

  it.each([
    ['nothing', [], {}, 'critical'],
    ['a call before the failure', [['leads', 40_000, null]], {}, 'critical'],
    ['a refused call since', [['leads', 5000, 'ERR_X']], {}, 'critical'],
    ['a call of it since', [['leads', 5000, null]], {}, 'warning'],
    ['a call of other work since', [['other', 5000, null]], {}, 'warning'],
    ['its call, after another error', [['leads', 5000, null]], { isLedgerAway: false }, 'warning'],
    // Its statement may be refused for ever, whatever the others do.
    [
      'a call of other work, after another error',
      [['other', 5000, null]],
      { isLedgerAway: false },
      'critical',
    ],
    ['a call, but nobody knows since when', [['leads', 5000, null]], { failedAt: null }, 'critical'],
    ['a call of an account, for a sink', [['leads', 5000, null]], { account: null }, 'critical'],
    [
      'a call of the poller',
      [['~chats', 5000, null]],
      { isLedgerAway: false, kind: 'poller', name: 'chats' },
      'warning',
    ],
    [
      'a call of the campaign',
      [['+spring', 5000, null]],
      { isLedgerAway: false, kind: 'campaign', name: 'spring' },
      'warning',
    ],
  ] as const)('after %s, it is as severe as it is', async (_, calls, over, severity) => {
    for (const [run, age, code] of calls) await call(run, age, code);
    const found = await need(failing(over));
    expect(found?.severity).toBe(severity);
    expect(found?.params?.['which']).toEqual(
      severity === 'warning' ? expect.arrayContaining(['moving']) : expect.not.arrayContaining(['moving']),
    );
  });

  it('of another account is not shown with an account', async () => {
    const probes = { ...WELL, failingWork: async () => [failing({ account: 'beta' }), failing()] };
    const { needs } = await readOverview(db, probes, { account: 'acme' });
    const found = needs.filter(({ kind }) => kind === 'failing-batch');
    expect(found.map(({ account }) => account)).toEqual(['acme']);
  });
});
