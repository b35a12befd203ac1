// A server whose users turn on a second factor, and the steps that its tests share.
import { Secret, TOTP } from 'otpauth';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import type { Database } from '../../../../src/core/sql/database.ts';
import { testLedger } from '../../../support/postgres/ledger.ts';
import {
  type Answer,
  addUser,
  type Browser,
  openBrowser,
  PASSWORD,
  startServer,
  type TestServer,
} from './http-context.ts';

const STEP_MS = 30_000;
export const NEW_PASSWORD = 'seven purple otters sing';

export const later = (steps = 1) => vi.setSystemTime(Date.now() + steps * STEP_MS);
export const post = (browser: Browser, path: string, body: object = {}, headers = {}): Promise<Answer> =>
  browser.send('POST', `/api/v1${path}`, body, headers);
export const pendingOf = ({ body }: Answer): string => (body as { pending: string }).pending;

export interface Enrolled {
  readonly browser: Browser;
  /** The code of the present step. */
  code(): string;
  /** What is no code of now, the steps beside it, or the next ones. */
  wrong(): string;
  readonly recoveryCodes: readonly string[];
}

/** Call it once, at the top of a test file. The user "ana" is an admin. */
export function secondFactorContext() {
  let db: Database;
  let server: TestServer;
  beforeEach(async () => {
    // Only the clock that codes are made by; the middle of a step.
    vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / STEP_MS) * STEP_MS + STEP_MS / 2 });
    db = await testLedger();
    server = await startServer(db);
    await addUser(db, 'ana', 'admin');
  });
  afterEach(async () => {
    await server.close();
    vi.useRealTimers();
  });

  const newBrowser = () => openBrowser(server);

  /** Turns the second factor of a user on. The code of the present step is used up. */
  async function enrol(name: string): Promise<Enrolled> {
    const browser = newBrowser();
    await browser.login(name);
    const { secret } = (await post(browser, '/second-factor/secret')).body as { secret: string };
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const code = () => totp.generate({ timestamp: Date.now() });
    const answer = await post(browser, '/second-factor', { password: PASSWORD, code: code() });
    expect(answer.status).toBe(200);
    const near = () =>
      new Set(
        [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((step) =>
          totp.generate({ timestamp: Date.now() + step * STEP_MS }),
        ),
      );
    const wrong = () => ['000000', '111111', '222222', '333333'].find((each) => !near().has(each)) as string;
    return {
      browser,
      code,
      wrong,
      recoveryCodes: (answer.body as { recoveryCodes: string[] }).recoveryCodes,
    };
  }

  /** Password and code, in a browser of its own. */
  async function loginWith(name: string, code: string): Promise<{ answer: Answer; browser: Browser }> {
    const browser = newBrowser();
    const answer = await post(browser, '/login/code', {
      pending: pendingOf(await browser.login(name)),
      code,
    });
    return { answer, browser };
  }

  const audit = async (action: string) =>
    await db.query<{ identity: string | null; outcome: string; details: object; target: string }>(
      'select identity, outcome, details, target from operator_audit where action = $1 order by id',
      [action],
    );

  return {
    newBrowser,
    enrol,
    loginWith,
    audit,
    /** Changes what `operator` of sluice.yaml says. */
    configure: (operator: object) => server.configure(operator),
    get url() {
      return server.url;
    },
    get db() {
      return db;
    },
  };
}
