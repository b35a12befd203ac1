// Campaigns in the operator API: what leaves it, for which role, and who may approve.
import { beforeEach, describe, expect, it } from 'vitest';
import type { LoadedConfig } from '../../../../src/config/load.ts';
import { digestOfSpec } from '../../../../src/jobs/campaigns/store/campaigns.ts';
import type { Input } from '../../../../src/operator/contract/index.ts';
import type { Caller } from '../../../../src/operator/service/caller.ts';
import { changeUser } from '../../../../src/operator/store/identity/users.ts';
import { operatorContext } from '../../../support/operator/context.ts';
import { campaignRows, PERSON, RUN, t } from '../../jobs/campaigns/store/rows.ts';
import { addUser } from '../identity/http-context.ts';

const CANARY = 'canary name';
const SPEC = {
  account: 'acme',
  campaign: 'spring',
  timeZone: 'America/Sao_Paulo',
  config: { approval: 'second-person' },
};
const CONFIG = {
  file: '/etc/sluice.yaml',
  config: { campaigns: {}, accounts: {} },
  campaign: (name: string) => {
    if (name === 'spring') return SPEC;
    throw new Error(`there is no campaign "${name}"`);
  },
  reload: async () => CONFIG,
} as unknown as LoadedConfig;

const { db, operator } = operatorContext({ config: CONFIG });
const rows = campaignRows(() => db);
type Members = Omit<Input<'POST /campaigns/{campaign}/members'>, 'campaign'>;
const members = (more: Members = {}) =>
  operator.client.call('POST /campaigns/{campaign}/members', { campaign: RUN, ...more });

describe('members', () => {
  beforeEach(async () => {
    await rows.run();
    await rows.run('acme/+spring/2');
    await rows.member({ state: 'excluded', code: 'OPTED_OUT', wave: null, key: '5511987650009' });
    await rows.member({ variables: { name: CANARY } });
    await rows.member({ state: 'failed', code: 'ERR_CONTACT_INVALID', key: '5511987650003', wave: 2 });
    await rows.member({ run: 'acme/+spring/2', key: '5511987650004' });
  });

  it('come by id, page by page, those of other runs left out', async () => {
    const { members: all, next } = await members();
    expect(all.map(({ state }) => state)).toEqual(['excluded', 'triggered', 'failed']);
    expect(next).toBeNull();
    const first = await members({ limit: 2 });
    expect(first.members).toEqual(all.slice(0, 2));
    expect(await members({ limit: 2, after: first.next ?? 0 })).toMatchObject({
      members: all.slice(2),
      next: null,
    });
  });

  it('are masked; an operator reveals them, and the audit log says so', async () => {
    const masked = JSON.stringify(await members({ variables: true }));
    expect(masked).not.toMatch(new RegExp(`${CANARY}|${PERSON}`));
    expect(masked).toContain('+55 11 9••••-0001');
    const viewer = operator.as({ role: 'viewer', identity: 'user:eve' });
    await expect(
      viewer.call('POST /campaigns/{campaign}/members', { campaign: RUN, unmask: true }),
    ).rejects.toMatchObject({ kind: 'forbidden' });
    const shown = JSON.stringify(await members({ unmask: true, variables: true }));
    expect(shown).toContain(PERSON);
    expect(shown).toContain(CANARY);
    expect(JSON.stringify(await members({ unmask: true }))).not.toContain(CANARY);
    const lines = await db.query<{ identity: string; outcome: string }>(
      "select identity, outcome from operator_audit where action = 'reveal' order by id",
    );
    const [, reveal] = await db.query<{ details: object }>(
      "select details from operator_audit where action = 'reveal' order by id",
    );
    const shownMembers = (await members()).members.map(({ member }) => member);
    expect(reveal?.details).toMatchObject({ run: RUN, 'members.member': shownMembers });
    expect(lines.map(({ identity, outcome }) => [identity, outcome])).toEqual([
      ['user:eve', 'denied'],
      ['unix:tester', 'ok'],
      ['unix:tester', 'ok'],
    ]);
  });

  it('without a valid number show who their row is about, masked, to be found by it', async () => {
    await db.query(
      `insert into campaign_members (run_id, part, row_no, state, code, row_name, row_email, row_number)
       values ($1, 0, 7, 'excluded', 'NUMBER_INVALID', 'Ana Lima', 'ana@mail.example', '52 81 921 99351')`,
      [RUN],
    );
    const masked = {
      row: 7,
      person: null,
      number: '52 8• ••• •••51',
      name: 'A… L…',
      email: 'a•••@mail.example',
    };
    expect((await members({ search: 'ana@mail' })).members).toMatchObject([masked]);
    expect((await members({ search: 'lima', unmask: true })).members).toMatchObject([
      { number: '52 81 921 99351', name: 'Ana Lima', email: 'ana@mail.example' },
    ]);
    const viewer = operator.as({ role: 'viewer', identity: 'user:eve' });
    const find = async (search: string) =>
      (await viewer.call('POST /campaigns/{campaign}/members', { campaign: RUN, search })).members;
    for (const part of ['ana', 'ana@mail', '921 99351']) expect(await find(part)).toEqual([]);
    for (const whole of ['lima ana', 'ana@mail.example', '52 8192199351'])
      expect(await find(whole)).toMatchObject([masked]);
  });

  it.each<[string, Members, readonly string[]]>([
    ['states', { states: ['failed', 'excluded'] }, ['excluded', 'failed']],
    ['a code', { codes: ['OPTED_OUT'] }, ['excluded']],
    ['a wave', { waves: [2] }, ['failed']],
    ['a state and a code of others', { states: ['failed'], codes: ['OPTED_OUT'] }, []],
    ['a number', { search: PERSON }, ['triggered']],
    ['a number as people write it', { search: '+55 (11) 98765-0003' }, ['failed']],
    ['the end of a number', { search: '98765-0009' }, ['excluded']],
    ['too short an end', { search: '0009' }, []],
    ['a name', { search: `${CANARY} 5511987650001` }, []],
    ['a pattern', { search: '%' }, []],
    ['a number that is too long', { search: '9'.repeat(100) }, []],
    ['nothing', { search: ' ' }, ['excluded', 'triggered', 'failed']],
  ])('are found by %s', async (_, filter, states) => {
    expect((await members(filter)).members.map(({ state }) => state)).toEqual(states);
  });

  it.each<[string, object]>([
    ['a page that is too long', { limit: 2001 }],
    ['a state that is none', { states: ['happy'] }],
    ['what it does not know', { names: true }],
    ['an empty list', { codes: [] }],
  ])('refuse %s', async (_, input) => {
    await expect(members(input as Members)).rejects.toMatchObject({ kind: 'invalid', code: 'INPUT' });
  });
});

it('a sample hides variables until they are revealed, and never shows a number', async () => {
  await rows.run();
  await rows.member({ state: 'waiting', place: 2, key: '5511987650002', wave: null });
  await rows.member({ state: 'waiting', place: 1, variables: { name: CANARY }, wave: null });
  await rows.member({ state: 'holdout', key: '5511987650003', wave: null });
  const sample = (unmask: boolean) =>
    operator.client.call('POST /campaigns/{campaign}/sample', { campaign: RUN, limit: 5, unmask });
  expect((await sample(false)).members).toMatchObject([{ variables: { name: '•••' } }, { variables: {} }]);
  expect((await sample(true)).members).toMatchObject([{ variables: { name: CANARY } }, { variables: {} }]);
  expect(JSON.stringify(await sample(true))).not.toContain(PERSON);
});

describe('what viewers read', () => {
  it('is of the newest run of a campaign or of a run, with results as of now, and has no personal data', async () => {
    await rows.run();
    await rows.member({ variables: { name: CANARY }, touchedAt: t(0) });
    await rows.message(await rows.conversation(), t(60));
    const viewer = operator.as({ role: 'viewer' });
    const read = await Promise.all([
      viewer.call('GET /campaigns/{campaign}/report', { campaign: 'spring' }),
      viewer.call('GET /campaign-runs', {}),
      viewer.call('GET /campaigns/{campaign}/progress', { campaign: 'spring' }),
      viewer.call('GET /campaigns/{campaign}/plan', { campaign: RUN }),
      viewer.call('GET /campaigns/{campaign}/burn-down', { campaign: RUN }),
      viewer.call('GET /campaigns/{campaign}/audit', { campaign: RUN }),
      viewer.call('GET /campaigns/{campaign}/replies', { campaign: 'spring' }),
    ]);
    expect(read[0]).toMatchObject({ run: RUN, total: { replied: 1 } });
    expect(read[2]).toMatchObject({ state: 'running', isOver: false, progress: null, failure: null });
    expect(JSON.stringify(read)).not.toMatch(new RegExp(`${CANARY}|${PERSON}`));
  });

  it('replies are by weekday and hour of the account’s time zone', async () => {
    await rows.run();
    await rows.member();
    // 10:30 of Monday in UTC is 7 o'clock in São Paulo.
    await db.query('update campaign_members set replied_at = $1', [t(1800)]);
    for (const campaign of ['spring', RUN])
      expect(await operator.client.call('GET /campaigns/{campaign}/replies', { campaign })).toMatchObject({
        replies: 1,
        cells: [{ weekday: 1, hour: 7, replies: 1 }],
      });
  });

  it('runs come newest first, page by page', async () => {
    for (let n = 1; n <= 3; n++) await rows.run(`acme/+spring/${n}`);
    const page = await operator.client.call('GET /campaign-runs', { limit: 2 });
    expect(page.runs.map(({ run }) => run)).toEqual(['acme/+spring/3', 'acme/+spring/2']);
    const rest = await operator.client.call('GET /campaign-runs', {
      limit: 2,
      before: page.next ?? undefined,
    });
    expect(rest).toMatchObject({ runs: [{ run: RUN }], next: null });
    await expect(operator.client.call('GET /campaign-runs', { before: 'x' })).rejects.toMatchObject({
      kind: 'invalid',
    });
  });

  it.each(['report', 'progress', 'plan', 'burn-down', 'replies', 'audit'] as const)(
    'an empty ledger has no %s',
    async (what) => {
      for (const campaign of ['spring', 'acme/+spring/9', "x'; drop table runs; --", '<script>'])
        await expect(
          operator.client.call(`GET /campaigns/{campaign}/${what}`, { campaign }),
        ).rejects.toMatchObject({ kind: 'notFound', code: 'NO_SUCH_RUN' });
    },
  );
});

describe('a second person', () => {
  const plan = async (by: string) => {
    await rows.run(RUN, { state: 'planned' });
    await db.query("update campaigns set planned_by = $1, digest = $2, plan = '{}'", [
      by,
      digestOfSpec(SPEC as never),
    ]);
  };
  const approve = (caller: Partial<Caller>) =>
    operator.as({ role: 'approver', ...caller }).call('POST /campaigns/{campaign}/approve', {
      campaign: RUN,
      run: RUN,
    });

  it('approves, and is named by the identity that was established', async () => {
    await plan('user:ana');
    expect(await approve({ identity: 'user:bia', via: 'token' })).toMatchObject({ approvedBy: 'user:bia' });
    expect(await db.query('select approved_by from campaigns')).toEqual([{ approved_by: 'user:bia' }]);
  });

  it.each<[string, string, Partial<Caller>, object]>([
    ['in the console', 'user:ana', { identity: 'user:ana', via: 'session' }, { code: 'SAME_PERSON' }],
    ['with a token', 'user:ana', { identity: 'user:ana', via: 'token' }, { code: 'SAME_PERSON' }],
    ['on the socket', 'user:ana', { identity: 'user:ana', via: 'socket' }, { code: 'SAME_PERSON' }],
    [
      'under another display name',
      'user:ana',
      { identity: 'user:ana', name: 'Bia', via: 'session' },
      { code: 'SAME_PERSON' },
    ],
    [
      'of a plan of an earlier version',
      'ana',
      { identity: 'unix:ana', via: 'socket' },
      { code: 'SAME_PERSON' },
    ],
    [
      'with the database of all under any name',
      'user:ana',
      { identity: 'user:bia', via: 'local', isClaimed: true },
      { kind: 'forbidden', code: 'IDENTITY_UNPROVEN', message: expect.stringContaining('--server') },
    ],
    [
      'as an operator',
      'user:ana',
      { identity: 'user:bia', via: 'session', role: 'operator' },
      { kind: 'forbidden', code: 'ROLE_REQUIRED' },
    ],
  ])('nobody approves their own plan: %s', async (_, author, caller, refusal) => {
    await plan(author);
    await expect(approve(caller)).rejects.toMatchObject(refusal);
    expect(await db.query('select approved_by from campaigns')).toEqual([{ approved_by: null }]);
  });

  it('nobody approves as a user what they planned as a Unix user, even if the link came later', async () => {
    await plan('unix:root');
    await addUser(db, 'ana', 'admin');
    await changeUser(db, 'ana', { unixUser: 'root' });
    await expect(approve({ identity: 'user:ana', via: 'session' })).rejects.toMatchObject({
      code: 'SAME_PERSON',
    });
    expect(await approve({ identity: 'user:bia', via: 'session' })).toMatchObject({ approvedBy: 'user:bia' });
  });

  it('of a plan that nobody can prove to have made is not possible: it is not planned', async () => {
    const claimed = operator.as({ identity: 'user:bia', via: 'local', isClaimed: true });
    await expect(
      claimed.call('POST /campaigns/{campaign}/plan', { campaign: 'spring' }),
    ).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'IDENTITY_UNPROVEN',
    });
  });

  it('cannot be named by the request', async () => {
    await plan('user:ana');
    const client = operator.as({ identity: 'user:ana', role: 'admin', via: 'session' });
    const input = { campaign: RUN, run: RUN, by: 'user:bia', identity: 'user:bia' };
    await expect(client.call('POST /campaigns/{campaign}/approve', input)).rejects.toMatchObject({
      kind: 'invalid',
    });
  });
});

describe('commands without Temporal', () => {
  it('a plan is cancelled in the ledger alone', async () => {
    await rows.run(RUN, { state: 'planned' });
    await rows.member({ state: 'waiting', wave: null });
    const ana = operator.as({ identity: 'user:ana', role: 'operator', via: 'token' });
    expect(await ana.call('POST /campaigns/{campaign}/cancel', { campaign: RUN, reason: 'why' })).toEqual({
      account: 'acme',
      campaign: 'spring',
      run: RUN,
      members: 1,
    });
    expect(await db.query('select by, action, reason from campaign_audit')).toEqual([
      { by: 'user:ana', action: 'cancel', reason: 'why' },
    ]);
  });

  it.each([
    ['pause', {}],
    ['skip-wave', {}],
    ['retry', { codes: ['X'] }],
    ['resolve', { members: null, as: 'notTriggered' }],
  ] as const)('%s of a plan is refused with the way out', async (verb, input) => {
    await rows.run(RUN, { state: 'planned' });
    await expect(
      operator.client.call(`POST /campaigns/{campaign}/${verb}`, { campaign: RUN, ...input } as never),
    ).rejects.toMatchObject({ kind: 'conflict', code: 'NOT_RUNNING' });
  });
});
