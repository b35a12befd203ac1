// Who may approve whose plans, before anybody tries: the same rules as for the approval itself.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Role } from '../../../../src/core/endpoint.ts';
import type { Caller } from '../../../../src/operator/service/caller.ts';
import { INDEPENDENT_AFTER_DAYS } from '../../../../src/operator/store/identity/takeovers.ts';
import { RUN } from '../../jobs/campaigns/store/rows.ts';
import { addUser } from '../identity/http-context.ts';
import { approvalContext } from './approval-context.ts';

const { db, operator, plan, age } = approvalContext();

beforeEach(async () => {
  await addUser(db, 'ana', 'admin');
});

const as = (identity: string, role: Role = 'admin', rest: Partial<Caller> = {}) =>
  operator.as({ identity, via: 'session', role, ...rest });
const added = (name: string, role: Role, by = 'user:ana') => as(by).call('POST /users', { name, role });
const approval = (identity: string, role?: Role, rest?: Partial<Caller>) =>
  as(identity, role, rest).call('GET /campaigns/{campaign}/approval', { campaign: RUN });
const waitsOf = async (name: string) => {
  const { users } = await as('user:ana').call('GET /users', {});
  return users.find((user) => user.name === name)?.approvalWaits;
};
/** In days from now. */
const daysTo = (at: string | null | undefined) => (Date.parse(at ?? '') - Date.now()) / 86_400_000;

describe('a user who was added', () => {
  it('answers from when they may approve whose plans: of who added them, and of who was added with them', async () => {
    await addUser(db, 'old', 'operator');
    await added('bia', 'operator');
    const { approvalWaits } = await added('carl', 'approver');
    expect(approvalWaits.flatMap(({ plansOf }) => plansOf).sort()).toEqual(['ana', 'bia']);
    for (const { from } of approvalWaits) {
      expect(daysTo(from)).toBeCloseTo(INDEPENDENT_AFTER_DAYS, 2);
      expect(from).toMatch(/:00\.000Z$/);
    }
    expect(await waitsOf('carl')).toEqual(approvalWaits);
    await age(INDEPENDENT_AFTER_DAYS);
    expect(await waitsOf('carl')).toEqual([]);
  });

  it('waits again after a new link, and its answer says so', async () => {
    await added('carl', 'approver');
    await age(INDEPENDENT_AFTER_DAYS);
    const { approvalWaits } = await as('user:ana').call('POST /users/{name}/link', { name: 'carl' });
    expect(approvalWaits).toEqual([{ from: expect.any(String), plansOf: ['ana'] }]);
  });

  it('waits for nothing when the role approves nothing, and when the role changes the answer says it', async () => {
    expect((await added('bia', 'operator')).approvalWaits).toEqual([]);
    const changed = await as('user:ana').call('PATCH /users/{name}', { name: 'bia', role: 'approver' });
    expect(changed.approvalWaits).toEqual([{ from: expect.any(String), plansOf: ['ana'] }]);
  });

  it('who added them waits, too, with plans of theirs', async () => {
    await added('bia', 'operator');
    expect(await waitsOf('ana')).toEqual([{ from: expect.any(String), plansOf: ['bia'] }]);
  });
});

describe('whether the reader may approve a plan', () => {
  beforeEach(async () => {
    await addUser(db, 'old', 'approver');
    await added('carl', 'approver');
    await plan('user:ana');
  });

  it.each<[string, string, Role, Partial<Caller>, string]>([
    ['their own', 'user:ana', 'admin', {}, 'SAME_PERSON'],
    ['a new user', 'user:carl', 'approver', {}, 'NOT_INDEPENDENT'],
    ['an operator', 'user:old', 'operator', {}, 'ROLE_REQUIRED'],
    ['a Unix user of nobody', 'unix:games', 'admin', {}, 'UNIX_USER_UNLINKED'],
    ['a claimed name', 'user:old', 'approver', { isClaimed: true }, 'IDENTITY_UNPROVEN'],
  ])('no: %s, and the answer names who may', async (_, identity, role, rest, code) => {
    const { refusal, approvers, from } = await approval(identity, role, rest);
    expect(refusal).toMatchObject({ code, reason: expect.stringMatching(/\w/) });
    expect(approvers).toEqual(['old']);
    expect(daysTo(from)).toBeCloseTo(INDEPENDENT_AFTER_DAYS, 2);
    const approve = as(identity, role, rest).call('POST /campaigns/{campaign}/approve', {
      campaign: 'spring',
      run: RUN,
    });
    await expect(approve).rejects.toMatchObject({ code });
  });

  it('a new user reads from when, and may then', async () => {
    const { refusal } = await approval('user:carl', 'approver');
    expect(daysTo(refusal?.from)).toBeCloseTo(INDEPENDENT_AFTER_DAYS, 2);
    await age(INDEPENDENT_AFTER_DAYS);
    expect(await approval('user:carl', 'approver')).toMatchObject({
      refusal: null,
      approvers: ['carl', 'old'],
      from: null,
    });
  });

  it('says the end of the last takeover, not of the first', async () => {
    await age(3);
    await as('user:ana').call('POST /users/{name}/link', { name: 'carl' });
    const { refusal } = await approval('user:carl', 'approver');
    expect(daysTo(refusal?.from)).toBeCloseTo(INDEPENDENT_AFTER_DAYS, 2);
  });
});

describe('whoever chooses the second person in the form of a campaign', () => {
  it('reads that nobody may approve today, and from when somebody may', async () => {
    const ask = () => as('user:ana', 'editor').call('GET /campaign-approvers', {});
    expect(await ask()).toEqual({ approvers: [], from: null });
    await added('carl', 'approver');
    const { approvers, from } = await ask();
    expect(approvers).toEqual([]);
    expect(daysTo(from)).toBeCloseTo(INDEPENDENT_AFTER_DAYS, 2);
    await age(INDEPENDENT_AFTER_DAYS);
    expect(await ask()).toEqual({ approvers: ['carl'], from: null });
  });

  it('counts nobody who is disabled', async () => {
    await addUser(db, 'carl', 'approver');
    await as('user:ana').call('PATCH /users/{name}', { name: 'carl', disabled: true });
    expect(await as('user:ana').call('GET /campaign-approvers', {})).toEqual({ approvers: [], from: null });
  });
});
