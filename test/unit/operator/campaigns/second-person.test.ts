// The rule of two: one person with several identities does not approve their own plan.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/operator/service/caller.ts';
import { INDEPENDENT_AFTER_DAYS } from '../../../../src/operator/store/identity/takeovers.ts';
import { changeUser } from '../../../../src/operator/store/identity/users.ts';
import { RUN } from '../../jobs/campaigns/store/rows.ts';
import { addUser, PASSWORD } from '../identity/http-context.ts';
import { approvalContext } from './approval-context.ts';

const NEWER = 'acme/+spring/2';

const { db, operator, plan, age } = approvalContext();

/** A caller with the role admin. */
const as = (identity: string, via: Caller['via'] = 'session') => operator.as({ identity, via });
const approve = (identity: string, { run = RUN, campaign = 'spring' } = {}) =>
  as(identity).call('POST /campaigns/{campaign}/approve', { campaign, run });
const refused = async (identity: string, code: string) => {
  await expect(approve(identity)).rejects.toMatchObject({ kind: 'conflict', code });
  expect(await db.query('select approved_by from campaigns')).toEqual([{ approved_by: null }]);
  const [line] = await db.query(
    "select outcome, details ->> 'code' as code from operator_audit where action like '%/approve' order by id desc limit 1",
  );
  expect(line).toEqual({ outcome: 'failed', code });
};
const approved = async (identity: string) =>
  expect(await approve(identity)).toMatchObject({ approvedBy: identity, run: RUN });

describe('a Unix user of no known person', () => {
  it.each([
    ['unix:games', 'unix:root'],
    ['unix:root', 'unix:games'],
    ['unix:games', 'user:ana'],
    ['user:ana', 'unix:root'],
  ])('a plan of %s is not approved by %s', async (author, approver) => {
    await plan(author);
    await refused(approver, 'UNIX_USER_UNLINKED');
    await expect(approve(approver)).rejects.toMatchObject({
      message: expect.stringMatching(/linked to no user.*Settings, Users, or /),
    });
  });

  it('is known once an admin who is neither has linked it', async () => {
    await plan('unix:games');
    await addUser(db, 'gil', 'operator');
    await as('user:carl').call('PATCH /users/{name}', { name: 'gil', unixUser: 'games' });
    await refused('user:gil', 'SAME_PERSON');
    await refused('user:carl', 'NOT_INDEPENDENT');
    await approved('user:bia');
  });
});

describe('who takes the identity of an approver', () => {
  beforeEach(async () => {
    await addUser(db, 'ana', 'admin');
    await plan('user:ana');
  });

  const made = (name: string, by = 'user:ana', via: Caller['via'] = 'session') =>
    as(by, via).call('POST /users', { name, role: 'approver' });

  it.each<[string, () => Promise<unknown>]>([
    ['made it', () => made('bia')],
    [
      'set its password',
      async () => {
        await addUser(db, 'bia', 'approver');
        await as('user:ana').call('POST /users/{name}/password', { name: 'bia', password: PASSWORD });
      },
    ],
    [
      'made its link',
      async () => {
        await addUser(db, 'bia', 'approver');
        await as('user:ana').call('POST /users/{name}/link', { name: 'bia' });
      },
    ],
    [
      'reset its second factor',
      async () => {
        await addUser(db, 'bia', 'approver');
        await db.query("update users set second_factor_at = now() where name = 'bia'");
        await as('user:ana').call('POST /users/{name}/second-factor/reset', {
          name: 'bia',
          verified: 'in person',
        });
      },
    ],
    [
      'linked its Unix user',
      async () => {
        await addUser(db, 'bia', 'approver');
        await as('user:ana').call('PATCH /users/{name}', { name: 'bia', unixUser: 'games' });
      },
    ],
    [
      'made who made it',
      async () => {
        await made('eve');
        await made('bia', 'user:eve');
      },
    ],
    [
      'made it as a Unix user without a name',
      async () => {
        await made('bia', 'unix:root', 'socket');
      },
    ],
    [
      'unlinked their Unix user, and made it as that one',
      async () => {
        await changeUser(db, 'ana', { unixUser: 'ana' });
        await changeUser(db, 'ana', { unixUser: null });
        await made('bia', 'unix:ana', 'socket');
      },
    ],
    [
      'linked the Unix user who made it to somebody else',
      async () => {
        await made('bia', 'unix:games', 'socket');
        await addUser(db, 'old', 'viewer');
        await as('user:ana').call('PATCH /users/{name}', { name: 'old', unixUser: 'games' });
      },
    ],
  ])('does not approve as it: %s', async (_, takeOver) => {
    await takeOver();
    await refused('user:bia', 'NOT_INDEPENDENT');
    await age(INDEPENDENT_AFTER_DAYS - 0.01);
    await refused('user:bia', 'NOT_INDEPENDENT');
    await age(0.02);
    await approved('user:bia');
  });

  it('does not plan as one user and approve as another: an admin made both', async () => {
    await made('bia', 'user:carl');
    await approved('user:bia');
    await db.query('update campaigns set approved_by = null, planned_by = $1', ['user:eve']);
    await made('eve', 'user:carl');
    await refused('user:bia', 'NOT_INDEPENDENT');
    await refused('user:carl', 'NOT_INDEPENDENT');
  });

  it('is stopped by nothing that gives no access, and by no attempt that failed', async () => {
    await addUser(db, 'bia', 'operator');
    await as('user:ana').call('PATCH /users/{name}', { name: 'bia', role: 'approver' });
    await expect(made('bia')).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    await expect(
      operator
        .as({ identity: 'user:ana', role: 'approver' })
        .call('POST /users', { name: 'bia', role: 'admin' }),
    ).rejects.toMatchObject({ kind: 'forbidden' });
    await approved('user:bia');
  });

  it('the message names who, and until when', async () => {
    await made('bia');
    await expect(approve('user:bia')).rejects.toMatchObject({
      message: expect.stringMatching(/user:ana made user:bia, .* wait until \d{4}-\d\d-\d\d \d\d:\d\d UTC/),
    });
  });
});

describe('a plan of a schedule', () => {
  beforeEach(() => plan('schedule'));
  const done = (identity: string, action: string, target: string) =>
    db.query(
      `insert into operator_audit (identity, name, role, via, action, target, outcome)
       values ($1, 'x', 'admin', 'session', $2, $3, 'ok')`,
      [identity, action, target],
    );

  it.each([
    ['edited the campaign', 'PUT /campaigns/{campaign}/source', '/campaigns/spring/source'],
    ['triggered it', 'POST /schedules/{job}/{name}/trigger', '/schedules/campaign/spring/trigger'],
    ['ran it for the past', 'POST /schedules/{job}/{name}/backfill', '/schedules/campaign/spring/backfill'],
  ])('is not approved by who %s', async (_, action, target) => {
    await done('user:ana', action, target);
    await refused('user:ana', 'SAME_PERSON');
    await approved('user:bia');
  });

  it('is approved by who steered another one', async () => {
    await done('user:ana', 'PUT /campaigns/{campaign}/source', '/campaigns/autumn/source');
    await done('user:ana', 'POST /schedules/{job}/{name}/trigger', '/schedules/sync/spring/trigger');
    await approved('user:ana');
  });
});

describe('the run that is approved', () => {
  it('is the one that was read: a newer plan is a conflict, and nothing is approved', async () => {
    await plan('user:ana');
    await plan('user:ana', NEWER);
    for (const campaign of ['spring', RUN])
      await expect(approve('user:bia', { campaign })).rejects.toMatchObject({
        kind: 'conflict',
        code: 'PLAN_OVER',
        message: expect.stringContaining(NEWER),
      });
    expect(await db.query('select approved_by from campaigns')).toEqual([
      { approved_by: null },
      { approved_by: null },
    ]);
    await approve('user:bia', { run: NEWER });
    expect(await db.query('select approved_by from campaigns where run_id = $1', [NEWER])).toEqual([
      { approved_by: 'user:bia' },
    ]);
  });

  it.each([
    ['of another campaign', { run: 'acme/+autumn/1' }],
    ['of another account', { run: 'beta/+spring/1' }],
    ['that is none', { run: 'spring' }],
    ['other than the named one', { campaign: NEWER }],
  ])('%s is refused', async (_, given) => {
    await plan('user:ana');
    await expect(approve('user:bia', given)).rejects.toMatchObject({ kind: 'invalid', code: 'ANOTHER_RUN' });
  });

  it('must be named', async () => {
    await plan('user:ana');
    await expect(
      as('user:bia').call('POST /campaigns/{campaign}/approve', { campaign: 'spring' } as never),
    ).rejects.toMatchObject({ kind: 'invalid', code: 'INPUT' });
  });
});
