// The list of a user's sessions: who sees and ends which.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import {
  addUser,
  type Browser,
  codeOf,
  me,
  openBrowser,
  openLogin,
  type TestServer,
} from './http-context.ts';

let db: Database;
let server: TestServer;
let browser: Browser;
let COOKIE: string;
beforeEach(async () => {
  ({ db, server, browser, cookie: COOKIE } = await openLogin());
});
afterEach(() => server.close());

describe('open sessions', () => {
  type Listed = { id: number; agent: string; isCurrent: boolean; user: string };
  const list = async (one: Browser, query = '') =>
    ((await one.send('GET', `/api/v1/sessions${query}`)).body as { sessions: Listed[] }).sessions;
  const end = (one: Browser, id: number) => one.send('POST', `/api/v1/sessions/${id}/end`, {});
  const openThree = async () => {
    await addUser(db, 'bia');
    const [there, bia] = [openBrowser(server), openBrowser(server)];
    await there.login('ana');
    await browser.login('ana');
    await bia.login('bia');
    return { there, bia };
  };

  it('show the own ones only, newest first, and no secret', async () => {
    await openThree();
    const { text } = await browser.send('GET', '/api/v1/sessions');
    const own = await list(browser);
    expect(own.map(({ isCurrent, user }) => [isCurrent, user])).toEqual([
      [true, 'ana'],
      [false, 'ana'],
    ]);
    const [row] = await db.query<{ hash: string; csrf: string }>(
      'select hash, csrf_token as csrf from user_sessions order by id desc limit 1',
    );
    for (const secret of [row?.hash, row?.csrf, browser.cookies.get(COOKIE)])
      expect(text).not.toContain(secret);
  });

  it('that have ended are not shown', async () => {
    const { there } = await openThree();
    await db.query("update user_sessions set seen_at = now() - interval '61 min' where id = 1");
    expect(await me(there)).toBeNull();
    expect((await list(browser)).map(({ isCurrent }) => isCurrent)).toEqual([true]);
  });

  it('end one by one at once, and the audit log names the session', async () => {
    const { there, bia } = await openThree();
    const other = (await list(browser)).find(({ isCurrent }) => !isCurrent) as Listed;
    expect((await end(browser, other.id)).status).toBe(200);
    expect(await Promise.all([me(browser), me(there), me(bia)])).toEqual([
      expect.anything(),
      null,
      expect.anything(),
    ]);
    expect(codeOf(await end(browser, other.id))).toBe('UNKNOWN_SESSION');
    const lines = await db.query(
      "select identity, target, outcome from operator_audit where action like '%/end' order by id",
    );
    expect(lines).toEqual([
      { identity: 'user:ana', target: `/sessions/${other.id}/end`, outcome: 'ok' },
      { identity: 'user:ana', target: `/sessions/${other.id}/end`, outcome: 'failed' },
    ]);
  });

  it('end all but this one, and none of others', async () => {
    const { there, bia } = await openThree();
    const answer = await browser.send('POST', '/api/v1/sessions/end-others', {});
    expect(answer.body).toEqual({ ended: 1 });
    expect(await Promise.all([me(browser), me(there), me(bia)])).toEqual([
      expect.anything(),
      null,
      expect.anything(),
    ]);
  });

  it('of others are out of reach for a viewer, and an admin ends them', async () => {
    const { bia } = await openThree();
    const [anas] = await list(browser);
    expect(codeOf(await end(bia, (anas as Listed).id))).toBe('UNKNOWN_SESSION');
    expect(codeOf(await bia.send('GET', '/api/v1/sessions?user=ana'))).toBe('ROLE_REQUIRED');
    expect(await me(browser)).not.toBeNull();
    const [bias] = await list(browser, '?user=bia');
    expect((await end(browser, (bias as Listed).id)).status).toBe(200);
    expect(await me(bia)).toBeNull();
    expect(codeOf(await browser.send('GET', '/api/v1/sessions?user=eve'))).toBe('UNKNOWN_USER');
  });

  it.each(['0', '-1', '1.5', 'x', '1e9', "1' or 1=1"])('have no id %j', async (id) => {
    await browser.login('ana');
    const answer = await browser.send('POST', `/api/v1/sessions/${encodeURIComponent(id)}/end`, {});
    expect([400, 404]).toContain(answer.status);
    expect(await me(browser)).not.toBeNull();
  });

  it('end here too, and take the cookie along', async () => {
    await browser.login('ana');
    const [own] = await list(browser);
    expect((await end(browser, (own as Listed).id)).status).toBe(200);
    expect(browser.cookies.has(COOKIE)).toBe(false);
  });
});
