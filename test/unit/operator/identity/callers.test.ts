// Which caller a Unix user is.
import { beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { createUnixCallers, unixUserOf } from '../../../../src/operator/identity/callers.ts';
import { changeUser } from '../../../../src/operator/store/users.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { addUser } from './http-context.ts';

const OWN = 1000;
const NAMES: Readonly<Record<number, string>> = { 0: 'root', 1000: 'sluice', 1001: 'bia', 1002: 'caio' };
let db: Database;
let callerOf: ReturnType<typeof createUnixCallers>;
beforeEach(async () => {
  db = await testLedger();
  callerOf = createUnixCallers({ db, ownUid: OWN, nameOf: async (uid) => NAMES[uid] ?? null });
  await addUser(db, 'bia-lima', 'approver');
  await changeUser(db, 'bia-lima', { unixUser: 'bia' });
});

describe('a Unix user', () => {
  it.each([
    [OWN, { identity: 'unix:sluice', name: 'sluice', role: 'admin', via: 'socket' }],
    [0, { identity: 'unix:root', name: 'root', role: 'admin', via: 'socket' }],
    [1001, { identity: 'user:bia-lima', name: 'bia-lima', role: 'approver', via: 'socket' }],
  ])('%i is known', async (uid, caller) => {
    expect(await callerOf(uid)).toEqual(caller);
  });

  it.each([1002, 4711])('%i is refused without a link', async (uid) => {
    await expect(callerOf(uid)).rejects.toMatchObject({ kind: 'forbidden', code: 'UNIX_USER_UNKNOWN' });
  });

  it('is refused when its user is disabled', async () => {
    await changeUser(db, 'bia-lima', { disabled: true });
    await expect(callerOf(1001)).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('that owns the process keeps the identity of its user, so that it approves no plan of its own', async () => {
    await changeUser(db, 'bia-lima', { unixUser: 'sluice' });
    expect(await callerOf(OWN)).toMatchObject({ identity: 'user:bia-lima', role: 'admin' });
  });

  it('is refused where a second factor is required, unless it owns the process or is root', async () => {
    const nameOf = async (uid: number) => (uid === 1001 ? 'bia' : null);
    const strict = createUnixCallers({ db, ownUid: OWN, nameOf, policy: () => 'required' });
    await expect(strict(1001)).rejects.toMatchObject({ code: 'SECOND_FACTOR_REQUIRED' });
    expect(await Promise.all([strict(OWN), strict(0)])).toMatchObject([{ role: 'admin' }, { role: 'admin' }]);
  });

  it('without a name, as in a container, has its number', async () => {
    const nameless = createUnixCallers({ db, ownUid: 4711, nameOf: async () => null });
    expect(await nameless(4711)).toMatchObject({ identity: 'unix:4711', role: 'admin' });
  });

  it.each([
    ['unix:sluice', false, 'sluice'],
    ['unix:sluice', true, null],
    ['user:ana', false, null],
  ])('%s, claimed: %s, is linked as %s', (identity, isClaimed, name) => {
    expect(unixUserOf({ identity, isClaimed, name: 'x', role: 'admin', via: 'local' })).toBe(name);
  });

  it('has the name that the system gives it', async () => {
    const real = createUnixCallers({ db, ownUid: process.getuid?.() ?? 0 });
    expect((await real(0)).identity).toBe('unix:root');
    await expect(real(987_654)).rejects.toThrow('the Unix user 987654 may not use Sluice');
  });
});
