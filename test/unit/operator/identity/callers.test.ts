// Which caller the Unix user of the process is.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createUnixCaller, unixUserOf } from '../../../../src/operator/identity/callers.ts';
import { changeUser } from '../../../../src/operator/store/identity/users.ts';
import { emptyLedger, testLedger } from '../../../support/postgres/ledger.ts';
import { addUser } from './http-context.ts';

const db = await testLedger();
beforeEach(async () => {
  await emptyLedger(db);
  await addUser(db, 'bia-lima', 'approver');
});

describe('the Unix user of the process', () => {
  it('is an admin under its own name while no user is linked to it', async () => {
    const sluice = createUnixCaller(db, () => 'sluice');
    expect(await sluice()).toEqual({ identity: 'unix:sluice', name: 'sluice', role: 'admin', via: 'socket' });
    await changeUser(db, 'bia-lima', { unixUser: 'bia' });
    expect(await sluice()).toMatchObject({ identity: 'unix:sluice' });
  });

  it('keeps the identity of the user who is linked to it, so that it approves no plan of its own', async () => {
    const sluice = createUnixCaller(db, () => 'sluice');
    await changeUser(db, 'bia-lima', { unixUser: 'sluice' });
    expect(await sluice()).toMatchObject({ identity: 'user:bia-lima', role: 'admin' });
    await changeUser(db, 'bia-lima', { unixUser: null });
    expect(await sluice()).toMatchObject({ identity: 'unix:sluice' });
  });

  it('is asked for again after the user database did not answer', async () => {
    const names = vi
      .fn((): string => 'sluice')
      .mockImplementationOnce(() => {
        throw new Error('no answer');
      });
    const sluice = createUnixCaller(db, names);
    await expect(sluice()).rejects.toThrow('no answer');
    expect(await sluice()).toMatchObject({ identity: 'unix:sluice' });
    await sluice();
    expect(names).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['unix:sluice', false, 'sluice'],
    ['unix:sluice', true, null],
    ['user:ana', false, null],
  ])('%s, claimed: %s, is linked as %s', (identity, isClaimed, name) => {
    expect(unixUserOf({ identity, isClaimed, name: 'x', role: 'admin', via: 'local' })).toBe(name);
  });

  it.runIf(process.getuid?.() === 0).each([
    ['root', 0],
    // In a container, users often have a number and no name.
    ['987654', 987_654],
  ])('has the name that the system gives it: %s', async (name, uid) => {
    process.seteuid?.(uid);
    try {
      expect((await createUnixCaller(db)()).identity).toBe(`unix:${name}`);
    } finally {
      process.seteuid?.(0);
    }
  });
});
