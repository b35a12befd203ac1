// `sluice user`: a script finds everything in the JSON.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registerUser } from '../../../../src/cli/user/user.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { openTestOperator, type TestOperator } from '../../../support/operator/operator.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import { runHere } from '../../../support/runner/run-here.ts';

let db: Database;
let operator: TestOperator;
beforeEach(async () => {
  db = await testLedger();
  operator = await openTestOperator({ db, temporal: null });
});
afterEach(() => operator.close());

const sluice = (...args: string[]) =>
  runHere((program) => registerUser(program, {}), ['user', ...args, '--server', operator.server]);

describe('the one-time link', () => {
  it('is in the JSON of user add and of user link, and only there', async () => {
    const added = await sluice('add', 'bia', '--role', 'viewer', '--json');
    const linked = await sluice('link', 'bia', '--json');
    expect(JSON.parse(added.stdout)).toMatchObject({
      name: 'bia',
      role: 'viewer',
      link: { path: expect.stringMatching(/^\/login#link=/), expiresAt: expect.any(String), url: null },
    });
    expect(JSON.parse(linked.stdout)).toMatchObject({ name: 'bia', link: { url: null } });
    expect(added.stderr + linked.stderr).not.toContain('#link=');
  });

  it('is on stderr for people', async () => {
    const { stdout, stderr } = await sluice('add', 'bia', '--role', 'viewer');
    expect(stderr).toContain('/login#link=');
    expect(stdout).toBe('');
  });
});

describe('a lost second factor', () => {
  const RESET = ['reset-second-factor', 'bia', '--verified'] as const;

  it.each([
    ['nothing', []],
    ['a blank text', ['--verified', '  ']],
    ['a text with a direction mark', ['--verified', 'by \u202etxt']],
    ['a long text', ['--verified', 'x'.repeat(201)]],
  ])('is not reset with %s about how the person was verified', async (_, text) => {
    await sluice('add', 'bia', '--role', 'viewer');
    await db.query("update users set password_hash = 'x', second_factor_at = now() where name = 'bia'");
    const { code, stderr } = await sluice('reset-second-factor', 'bia', ...text);
    expect(code).not.toBe(0);
    expect(stderr).toContain('verified');
    expect(await db.query('select 1 from users where second_factor_at is not null')).toHaveLength(1);
  });

  it('is reset, which the list shows, and is refused when there is none', async () => {
    await sluice('add', 'bia', '--role', 'viewer');
    await db.query("update users set password_hash = 'x', second_factor_at = now() where name = 'bia'");
    expect((await sluice('list')).stdout).toContain('password and code');
    const reset = await sluice(...RESET, 'seen in person', '--json');
    expect(JSON.parse(reset.stdout)).toEqual({ name: 'bia', hasSecondFactor: false });
    expect(JSON.parse((await sluice('list', '--json')).stdout)).toMatchObject({ hasSecondFactor: false });
    const [line] = await db.query(
      "select details from operator_audit where action = 'POST /users/{name}/second-factor/reset'",
    );
    expect(line).toEqual({ details: { verified: 'seen in person' } });
    const again = await sluice(...RESET, 'seen in person');
    expect(again.stderr).toContain('the second factor of "bia" is off');
  });
});
