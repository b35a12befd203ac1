// `sluice dev` prints the link of the first admin: who opens it is one identity with the Unix user who started it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createOperator, type Operator } from '../../../src/app/operator.ts';
import { serveConsole } from '../../../src/cli/console.ts';
import { OperatorConfig } from '../../../src/config/schema/operator.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import { OperatorError } from '../../../src/operator/error.ts';
import { claimLink } from '../../../src/operator/identity/logins.ts';
import { createPasswords } from '../../../src/operator/identity/passwords.ts';
import { findUser } from '../../../src/operator/store/identity/users.ts';
import { testLedger } from '../../support/postgres/ledger.ts';
import { PASSWORD } from '../operator/identity/http-context.ts';

const never = async () => await Promise.reject(new Error('no Temporal server runs'));

let db: Database;
let dir: string;
let operator: Operator;
let ends: (() => Promise<unknown>)[];

beforeEach(async () => {
  db = await testLedger();
  dir = await mkdtemp(join(tmpdir(), 'sluice-console-'));
  ends = [];
  operator = createOperator({
    db,
    config: () => ({ config: { operator: OperatorConfig.parse({}), campaigns: {} } }) as never,
    live: null,
    temporal: never,
    runningTemporal: async () => null,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    env: {},
    stateDir: dir,
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const end of ends) await end();
  await operator.close();
  await rm(dir, { recursive: true, force: true });
});

/** The Unix user of whoever opens the link that is printed. */
async function linked(serving: Operator, env: NodeJS.ProcessEnv): Promise<string | null | undefined> {
  const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  await serveConsole(serving, env, {
    add: (_: string, end: () => Promise<unknown>) => ends.push(end),
  } as never);
  const [, link = ''] = /#link=(\S+)/.exec(printed.mock.calls.join('')) ?? [];
  await claimLink(db, createPasswords(), { link, name: 'ana', password: PASSWORD });
  return (await findUser(db, 'ana'))?.unixUser;
}

it('is the one who started it, and so cannot approve in the console what was planned on the machine', async () => {
  expect(await linked(operator, {})).toBe(userInfo().username);
  expect((await operator.unixCaller()).identity).toBe('user:ana');
});

it('is nobody where the ledger is shared: users of other machines have the same names', async () => {
  expect(await linked(operator, { DATABASE_URL: 'postgresql://elsewhere' })).toBeNull();
});

it('is nobody while the directory of users does not answer; it starts all the same', async () => {
  const unixCaller = async () =>
    await Promise.reject(new OperatorError('unavailable', 'no answer', { code: 'UNIX_USER_NAME' }));
  expect(await linked({ ...operator, unixCaller }, {})).toBeNull();
});
