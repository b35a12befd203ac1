// What an approver sees of a plan: each option that differs from the plan that was approved before.
import { describe, expect, it } from 'vitest';
import { changesOf } from '../../../../src/jobs/campaigns/operator/changes.ts';
import { operatorContext } from '../../../support/operator/context.ts';
import { campaignRows, RUN } from '../../jobs/campaigns/store/rows.ts';

describe('the changes', () => {
  it.each<[string, object, object, unknown[]]>([
    ['nothing, in another order of keys', { a: { x: 1, y: [2] } }, { a: { y: [2], x: 1 } }, []],
    ['a value', { flow: 7 }, { flow: 8 }, [['flow', '7', '8']]],
    ['a value that was not set', { stop: {} }, { stop: { failed: 0.1 } }, [['stop.failed', null, '0.1']]],
    ['a part that was removed', { cap: { times: 1 } }, {}, [['cap', '{"times":1}', null]]],
    [
      'a filter of one part of the audience',
      { audience: [{ from: 'contacts', tags: ['a'] }, { from: 'cards' }] },
      { audience: [{ from: 'contacts', tags: ['a', 'b'] }, { from: 'cards' }] },
      [['audience[0].tags', '["a"]', '["a","b"]']],
    ],
    [
      'a new part of the audience',
      { audience: [{ from: 'cards' }] },
      { audience: [{ from: 'cards' }, { from: 'contacts' }] },
      [['audience[1]', null, '{"from":"contacts"}']],
    ],
    [
      'an expression of another shape',
      { v: { nome: 'name' } },
      { v: { nome: { const: 'x' } } },
      [['v.nome', 'name', '{"const":"x"}']],
    ],
  ])('%s', (_, before, after, expected) => {
    expect(changesOf(before, after).map(({ path, before: was, after: is }) => [path, was, is])).toEqual(
      expected,
    );
  });
});

describe('the plan before', () => {
  const NEXT = 'acme/+spring/2';
  const { db, operator } = operatorContext();
  const rows = campaignRows(() => db);
  const plan = async (run: string, config: object, eligible: number, over: object = {}) => {
    await rows.run(run, { state: 'planned' });
    await db.query('update runs set spec = $2 where id = $1', [
      run,
      JSON.stringify({ timeZone: 'UTC', config }),
    ]);
    await db.query(
      'update campaigns set plan = $2, approved_by = $3, approved_at = $4, started_by = $5, started_at = $6 where run_id = $1',
      [
        run,
        JSON.stringify({ eligible }),
        ...Object.values({ approvedBy: null, approvedAt: null, startedBy: null, startedAt: null, ...over }),
      ],
    );
  };
  const changes = (campaign: string, as = operator.client) =>
    as.call('GET /campaigns/{campaign}/changes', { campaign });
  const APPROVED = { approvedBy: 'user:ana', approvedAt: new Date(0) };
  const CAREFUL = { approval: 'second-person', flow: 1 };

  it('is the last one that was approved', async () => {
    await plan(RUN, CAREFUL, 100, APPROVED);
    await plan(NEXT, { ...CAREFUL, flow: 9 }, 5);
    await plan('acme/+spring/3', { ...CAREFUL, flow: 2 }, 120);
    expect(await changes('spring')).toEqual({
      run: 'acme/+spring/3',
      before: {
        run: RUN,
        approvedBy: 'user:ana',
        approvedAt: '1970-01-01T00:00:00.000Z',
        eligible: 100,
      },
      eligible: 120,
      changes: [{ path: 'flow', before: '1', after: '2' }],
    });
  });

  it('is none for the first plan, and for a start without the approval that is needed', async () => {
    await plan(RUN, CAREFUL, 100, { startedBy: 'ana', startedAt: new Date(0) });
    await plan(NEXT, CAREFUL, 5);
    expect(await changes(NEXT)).toMatchObject({ before: null, changes: [] });
    expect(await changes(RUN)).toMatchObject({ before: null, changes: [] });
  });

  it('is the last one that was started, if no approval is needed', async () => {
    await plan(RUN, { approval: 'none' }, 7, { startedBy: 'user:bia', startedAt: new Date(0) });
    await plan(NEXT, CAREFUL, 5);
    expect(await changes(NEXT)).toMatchObject({
      before: { run: RUN, approvedBy: 'user:bia', eligible: 7 },
      changes: [
        { path: 'approval', before: 'none', after: 'second-person' },
        { path: 'flow', before: null, after: '1' },
      ],
    });
  });

  it('is not for a viewer: filters may name people', async () => {
    await plan(RUN, CAREFUL, 1);
    await expect(changes(RUN, operator.as({ role: 'viewer' }))).rejects.toMatchObject({ kind: 'forbidden' });
  });
});
