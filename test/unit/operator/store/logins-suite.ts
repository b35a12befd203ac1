// Users, sessions, access tokens, one-time links and slowed logins, as the ledger stores them.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { shortHash } from '../../../../src/core/sql/short-hash.ts';
import { addAudit, completeAudit, listAudit } from '../../../../src/operator/store/audit.ts';
import { beginLogin } from '../../../../src/operator/store/identity/login-attempts.ts';
import {
  createLoginLink,
  readLoginLink,
  takeLoginLink,
} from '../../../../src/operator/store/identity/login-links.ts';
import {
  createAccessToken,
  createSession,
  deleteAccessToken,
  deleteEndedSessions,
  listAccessTokens,
  useAccessToken,
  useSession,
} from '../../../../src/operator/store/identity/sessions.ts';
import {
  changeUser,
  createUser,
  findUser,
  passwordHashOf,
  setPassword,
  type UserRow,
} from '../../../../src/operator/store/identity/users.ts';
import type { OpenDatabase } from '../../core/sql/support.ts';

const fresh = (what: string) => `${what}-${randomBytes(6).toString('hex')}`;
const HOUR_MS = 3_600_000;
const USE = { idleMs: HOUR_MS, absoluteMs: 12 * HOUR_MS, isActive: true };

async function newUser(db: Database, over: Partial<Parameters<typeof createUser>[1]> = {}): Promise<UserRow> {
  const name = fresh('ana');
  const user = { name, displayName: 'Ana', role: 'viewer', passwordHash: 'h', oidc: null, unixUser: null };
  return (await createUser(db, { ...(user as Parameters<typeof createUser>[1]), ...over })) as UserRow;
}

async function newSession(db: Database, user: UserRow): Promise<string> {
  const hash = fresh('hash');
  await createSession(db, { hash, user, via: 'password', agent: 'test' });
  return hash;
}

/** The database's clock decides, so the rows move instead of the clock. */
async function age(db: Database, hash: string, { seen, created }: { seen: string; created: string }) {
  await db.query(
    `update user_sessions set seen_at = now() - $2::text::interval, created_at = now() - $3::text::interval where hash = $1`,
    [hash, seen, created],
  );
}

export function loginsSuite(database: OpenDatabase): void {
  describe('users', () => {
    it.each(['name', 'unixUser', 'oidc'] as const)('with the same %s are refused', async (key) => {
      const db = database();
      const oidc = { issuer: 'https://id.example.com', subject: fresh('s') };
      const first = await newUser(db, { oidc, unixUser: fresh('u') });
      const same = { name: first.name, unixUser: first.unixUser, oidc };
      const next = { name: fresh('bia'), displayName: 'B', role: 'viewer' as const, passwordHash: null };
      expect(await createUser(db, { ...next, oidc: null, unixUser: null, [key]: same[key] })).toBeNull();
    });

    it('with the same subject of another issuer are two', async () => {
      const db = database();
      const subject = fresh('s');
      const a = await newUser(db, { oidc: { issuer: 'https://a.example.com', subject } });
      const b = await newUser(db, { oidc: { issuer: 'https://b.example.com', subject } });
      expect(a.id).not.toBe(b.id);
    });

    it('who are disabled have no password to check', async () => {
      const db = database();
      const { name } = await newUser(db);
      expect(await passwordHashOf(db, name)).toBe('h');
      await changeUser(db, name, { disabled: true });
      expect(await passwordHashOf(db, name)).toBeNull();
      expect((await findUser(db, name))?.disabledAt).toMatch(/Z$/);
    });
  });

  describe('a session', () => {
    it.each([
      ['lives before both limits', { seen: '59 min', created: '11 hours 59 min' }, true],
      ['ends after the idle time', { seen: '60 min 1 s', created: '2 hours' }, false],
      ['ends after the absolute time, however busy', { seen: '1 s', created: '12 hours 1 s' }, false],
    ])('%s', async (_, times, lives) => {
      const db = database();
      const user = await newUser(db);
      const hash = await newSession(db, user);
      await age(db, hash, times);
      expect((await useSession(db, hash, USE))?.name ?? null).toBe(lives ? user.name : null);
      await deleteEndedSessions(db, USE);
      expect(await db.query('select 1 from user_sessions where hash = $1', [hash])).toHaveLength(
        lives ? 1 : 0,
      );
    });

    it('is prolonged by activity only', async () => {
      const db = database();
      const hash = await newSession(db, await newUser(db));
      const idle = async () =>
        (
          await db.query<{ s: number }>(
            'select extract(epoch from now() - seen_at)::float8 as s from user_sessions where hash = $1',
            [hash],
          )
        )[0]?.s ?? Number.NaN;
      await age(db, hash, { seen: '50 min', created: '50 min' });
      await useSession(db, hash, { ...USE, isActive: false });
      expect(await idle()).toBeGreaterThan(2999);
      await useSession(db, hash, USE);
      expect(await idle()).toBeLessThan(60);
    });

    it.each<[string, (db: Database, name: string) => Promise<unknown>]>([
      ['a disabled user', (db, name) => changeUser(db, name, { disabled: true })],
      ['a higher role', (db, name) => changeUser(db, name, { role: 'admin' })],
      ['a new password', (db, name) => setPassword(db, name, 'other')],
      [
        'a role that was changed elsewhere',
        (db, name) => db.query("update users set role = 'admin' where name = $1", [name]),
      ],
    ])('ends with %s', async (_, change) => {
      const db = database();
      const user = await newUser(db);
      const hash = await newSession(db, user);
      await change(db, user.name);
      expect(await useSession(db, hash, USE)).toBeNull();
    });

    it('goes on when only the display name changes', async () => {
      const db = database();
      const user = await newUser(db);
      const hash = await newSession(db, user);
      await changeUser(db, user.name, { displayName: 'Ana Maria' });
      expect((await useSession(db, hash, USE))?.displayName).toBe('Ana Maria');
    });
  });

  describe('an access token', () => {
    const token = async (db: Database, user: UserRow) => {
      const hash = fresh('token');
      return {
        hash,
        row: await createAccessToken(db, { hash, user: user.id, name: 'laptop', days: 30 }),
      };
    };

    it('has the role that its user has now', async () => {
      const db = database();
      const user = await newUser(db);
      const { hash } = await token(db, user);
      await changeUser(db, user.name, { role: 'operator' });
      expect((await useAccessToken(db, hash))?.role).toBe('operator');
    });

    it('ends with its time, with its user and when it is revoked', async () => {
      const db = database();
      const user = await newUser(db);
      const [old, disabled, revoked] = [await token(db, user), await token(db, user), await token(db, user)];
      await db.query('update access_tokens set expires_at = now() where hash = $1', [old.hash]);
      expect(await useAccessToken(db, old.hash)).toBeNull();
      expect(await deleteAccessToken(db, revoked.row.id, 'somebody else')).toBe(false);
      expect(await deleteAccessToken(db, revoked.row.id, user.name)).toBe(true);
      expect(await useAccessToken(db, revoked.hash)).toBeNull();
      expect(await useAccessToken(db, disabled.hash)).not.toBeNull();
      expect(await listAccessTokens(db, { user: user.name, after: 0, limit: 9 })).toMatchObject([
        { id: disabled.row.id, user: user.name, name: 'laptop' },
      ]);
      await changeUser(db, user.name, { disabled: true });
      expect(await useAccessToken(db, disabled.hash)).toBeNull();
    });
  });

  describe('a one-time link', () => {
    it('works once, even for two at the same time', async () => {
      const db = database();
      const hash = fresh('link');
      const user = await newUser(db);
      await createLoginLink(db, { hash, user: user.id, unixUser: null, minutes: 15 });
      expect(await readLoginLink(db, hash)).toBe(user.name);
      const taken = await Promise.all([1, 2, 3].map(() => db.transaction((tx) => takeLoginLink(tx, hash))));
      expect(taken.filter(Boolean)).toHaveLength(1);
      expect(await readLoginLink(db, hash)).toBeUndefined();
    });

    it('expires, and a newer one replaces it', async () => {
      const db = database();
      const user = (await newUser(db)).id;
      const [first, second] = [fresh('link'), fresh('link')];
      await createLoginLink(db, { hash: first, user, unixUser: null, minutes: 15 });
      await createLoginLink(db, { hash: second, user, unixUser: null, minutes: 15 });
      expect(await readLoginLink(db, first)).toBeUndefined();
      await db.query("update login_links set expires_at = now() - interval '1 s' where hash = $1", [second]);
      expect(await readLoginLink(db, second)).toBeUndefined();
      expect(await takeLoginLink(db, second)).toBeNull();
    });
  });

  attemptsSuite(database);
  auditSuite(database);
}

function attemptsSuite(database: OpenDatabase): void {
  describe('failed logins', () => {
    const fail = async (db: Database, name: string, address: string) => {
      const attempt = await beginLogin(db, name, address);
      return 'retryAfterMs' in attempt ? attempt.retryAfterMs : 0;
    };
    const failTimes = async (db: Database, times: number, name: string, address: string) => {
      for (let n = 0; n < times; n++) expect(await fail(db, name, address)).toBe(0);
    };
    /** As if this time had passed. */
    const pass = (db: Database, seconds: number) =>
      db.query(
        `update login_attempts set blocked_until = blocked_until - $1 * interval '1 s', failed_at = failed_at - $1 * interval '1 s'`,
        [seconds],
      );

    it('of one name and address wait after five, twice as long each time, 15 min at most', async () => {
      const db = database();
      const [name, address] = [fresh('n'), fresh('a')];
      await failTimes(db, 5, name, address);
      const waits: number[] = [];
      for (let n = 0; n < 13; n++) {
        const wait = await fail(db, name, address);
        waits.push(Math.ceil(wait / 1000));
        await pass(db, wait / 1000 + 0.01);
        expect(await fail(db, name, address)).toBe(0);
      }
      expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
    });

    it('at the same time are not all let through', async () => {
      const db = database();
      const [name, address] = [fresh('n'), fresh('a')];
      const all = await Promise.all(Array.from({ length: 20 }, () => beginLogin(db, name, address)));
      expect(all.filter((each) => !('retryAfterMs' in each))).toHaveLength(5);
    });

    it('of one name from everywhere slow down strangers, and not an address that the user knows', async () => {
      const db = database();
      const name = fresh('n');
      const home = fresh('home');
      const attempt = await beginLogin(db, name, home);
      await ('succeeded' in attempt ? attempt.succeeded() : undefined);
      for (let n = 0; n < 10; n++) await failTimes(db, 1, name, fresh('bot'));
      expect(await fail(db, name, fresh('bot'))).toBeGreaterThan(0);
      expect(await fail(db, name, home)).toBe(0);
      for (let n = 0; n < 9; n++) {
        await pass(db, 61);
        await failTimes(db, 1, name, fresh('bot'));
      }
      // Nobody is locked out for ever: a stranger waits a minute at most.
      expect(await fail(db, name, fresh('new'))).toBeLessThanOrEqual(60_000);
    });

    it('of one address with many names wait after twenty, and one right login clears only itself', async () => {
      const db = database();
      const address = fresh('a');
      for (let n = 0; n < 19; n++) await failTimes(db, 1, fresh('n'), address);
      const own = await beginLogin(db, fresh('n'), address);
      await ('succeeded' in own ? own.succeeded() : undefined);
      await failTimes(db, 1, fresh('n'), address);
      expect(await fail(db, fresh('n'), address)).toBeGreaterThan(0);
    });

    it('of one address leave right logins alone: they block nobody afterwards, and known users never wait', async () => {
      const db = database();
      const [address, own] = [fresh('a'), fresh('own')];
      for (let n = 0; n < 26; n++) {
        await pass(db, 901);
        await failTimes(db, 1, fresh('n'), address);
      }
      await pass(db, 901);
      const right = await beginLogin(db, own, address);
      await ('succeeded' in right ? right.succeeded() : undefined);
      const colleague = await beginLogin(db, fresh('n'), address);
      expect(colleague).toHaveProperty('succeeded');
      // The colleague was wrong: strangers wait now, and whoever logged in from here before does not.
      expect(await fail(db, fresh('n'), address)).toBeGreaterThan(60_000);
      for (let n = 0; n < 3; n++) {
        const again = await beginLogin(db, own, address);
        expect(again).toHaveProperty('succeeded');
        await ('succeeded' in again ? again.succeeded() : undefined);
      }
      // An account of one's own does not undo the wait of its address.
      expect(await fail(db, fresh('n'), address)).toBeGreaterThan(60_000);
      await failTimes(db, 5, own, address);
      expect(await fail(db, own, address)).toBeGreaterThan(0);
    });

    it('are forgotten after a right login and after a day', async () => {
      const db = database();
      const [name, address] = [fresh('n'), fresh('a')];
      await failTimes(db, 4, name, address);
      const right = await beginLogin(db, name, address);
      await ('succeeded' in right ? right.succeeded() : undefined);
      await failTimes(db, 5, name, address);
      expect(await fail(db, name, address)).toBeGreaterThan(0);
      await pass(db, 86_401);
      await failTimes(db, 5, name, address);
    });

    it('leave neither names nor addresses in the ledger', async () => {
      const db = database();
      const [name, address] = [fresh('n'), fresh('a')];
      await fail(db, name, address);
      const rows = await db.query<{ key: string }>('select key from login_attempts');
      const text = JSON.stringify(rows);
      expect(text).toContain(shortHash(name));
      expect(text).not.toContain(name);
      expect(text).not.toContain(address);
    });
  });
}

function auditSuite(database: OpenDatabase): void {
  describe('the audit log', () => {
    it('keeps lines with hostile text as they are, and lists them newest first by page', async () => {
      const db = database();
      const identity = fresh('user:ana');
      const caller = { identity, name: '<script>', role: 'admin' as const, via: 'session' };
      const add = (action: string, target: string) =>
        addAudit(db, { caller, action, target, details: { reason: '=HYPERLINK("x")\0' } }, 'started');
      const first = await add('POST /a', '/a%_\0');
      await completeAudit(db, first, 'failed', { kind: 'conflict' });
      await add('POST /b', '/b');
      const page = (filter: object) => listAudit(db, { identity, limit: 9, ...filter });
      expect((await page({})).map(({ action }) => action)).toEqual(['POST /b', 'POST /a']);
      const [line] = await page({ outcome: 'failed' });
      expect(line).toMatchObject({
        name: '<script>',
        target: '/a%_',
        details: { reason: '=HYPERLINK("x")', kind: 'conflict' },
      });
      expect(await page({ target: '%' })).toHaveLength(1);
      expect(await page({ before: first })).toEqual([]);
      expect(await page({ action: 'POST /b', limit: 1 })).toHaveLength(1);
      expect(await page({ from: '2999-01-01T00:00:00.000Z' })).toEqual([]);
      expect(await page({ to: '2000-01-01T00:00:00.000Z' })).toEqual([]);
    });
  });
}
