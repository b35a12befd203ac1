// The second factor in Chromium: its enrolment at the login, in the place of every screen, and its reset by an admin.
import { expect, it } from 'vitest';
import { checkView } from '../../support/console/pages.ts';
import { type Answer, loginAnswers } from '../../support/console/stub.ts';
import { prepareConsole } from '../../support/console/with-console.ts';

const withConsole = prepareConsole();
const CODES = ['AAAA-BBBB', 'CCCC-DDDD'];

interface Enrolment {
  readonly answers: Readonly<Record<string, Answer>>;
  /** Bodies of `POST /second-factor`. */
  readonly proofs: unknown[];
  /** Routes that a user without a second factor asked for. */
  readonly early: string[];
}

/** A server on which Ana has to turn a second factor on. */
function enrolment(): Enrolment {
  let isOn = false;
  const early: string[] = [];
  const proofs: unknown[] = [];
  const login = loginAnswers();
  const answers: Record<string, Answer> = {
    ...login,
    'GET /session': (req, res) => {
      const session = login['GET /session']?.(req, res) as { user: object | null };
      return { ...session, user: session.user && { ...session.user, needsSecondFactor: !isOn } };
    },
    'POST /second-factor/secret': () => ({
      secret: 'JBSWY3DPEHPK3PXP',
      uri: 'otpauth://totp/Sluice:ana?secret=JBSWY3DPEHPK3PXP',
    }),
    'POST /second-factor': ({ body }) => {
      proofs.push(body);
      isOn = true;
      return { recoveryCodes: CODES };
    },
    'GET /accounts': (req) => {
      if (!isOn) early.push(req.path);
      return { accounts: [] };
    },
  };
  return { answers, proofs, early };
}

it.each([
  { scheme: 'light', size: 'desktop', locale: 'en-US' },
  { scheme: 'dark', size: 'phone', locale: 'pt-BR' },
] as const)(
  'has no barrier in $scheme on a $size, and ends where the viewer wanted to go',
  {
    timeout: 120_000,
  },
  async (options) => {
    const isEnglish = options.locale === 'en-US';
    const { answers, proofs, early } = enrolment();
    await withConsole(answers, '/settings?tab=accounts', options, async ({ page }) => {
      const turnOn = page.getByRole('button', { name: isEnglish ? 'Turn on' : 'Ativar' });
      await turnOn.waitFor();
      const check = (name: string) => checkView(page, `second-factor-${name}`, options);
      await check('required');
      expect(await page.getByRole('navigation').count()).toBe(0);
      await turnOn.click();
      await page.getByText('JBSWY3DPEHPK3PXP').waitFor();
      await check('scan');
      await page.locator('input[autocomplete=current-password]').fill('correct horse battery');
      await page.locator('input[autocomplete=one-time-code]').fill('123456');
      await turnOn.click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(CODES[1] as string).waitFor();
      // The session needs nothing any more, and the codes stay.
      await page.waitForLoadState('networkidle');
      await check('recovery');
      expect(await page.getByRole('navigation').count()).toBe(0);
      await dialog.getByRole('button', { name: isEnglish ? 'Close' : 'Fechar' }).click();
      await page.getByRole('tabpanel').waitFor();
      expect(new URL(page.url()).search).toBe('?tab=accounts');
      expect(proofs).toEqual([{ password: 'correct horse battery', code: '123456', keepTokens: false }]);
      expect(early).toEqual([]);
    });
  },
);

it('is reset only with how the person was verified, which the audit log says in words', {
  timeout: 60_000,
}, async () => {
  const at = '2026-11-23T11:00:00.000Z';
  const verified = 'called back on the number of the contract';
  const bia = {
    name: 'bia',
    displayName: 'Bia Lima',
    role: 'viewer',
    hasPassword: true,
    hasSecondFactor: true,
    oidcIssuer: null,
    unixUser: null,
    createdAt: at,
    lastLoginAt: null,
    disabledAt: null,
    approvalWaits: [],
  };
  const line = {
    id: 9,
    at,
    identity: 'user:ana',
    name: 'Ana',
    role: 'admin',
    via: 'session',
    action: 'POST /users/{name}/second-factor/reset',
    target: '/users/bia/second-factor/reset',
    details: { verified },
    outcome: 'ok',
  };
  const asked: unknown[] = [];
  const answers: Readonly<Record<string, Answer>> = {
    ...loginAnswers(),
    'GET /users': () => ({ users: [bia], next: null }),
    'GET /sessions': () => ({ sessions: [], next: null }),
    'GET /audit': () => ({ lines: [line], next: null }),
    'POST /users/bia/second-factor/reset': ({ body }) => {
      asked.push(body);
      return {};
    },
  };
  await withConsole(answers, '/settings?tab=users&user=bia', {}, async ({ page, stub: { url } }) => {
    await page.getByRole('button', { name: 'Reset second factor' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reset the second factor of Bia Lima?' });
    const verb = dialog.getByRole('button', { name: 'Reset second factor' });
    const how = dialog.getByLabel('How did you verify who asks for it?');
    await how.fill('  ');
    expect(await verb.isDisabled()).toBe(true);
    await how.fill(verified);
    await checkView(page, 'second-factor-reset', {});
    await verb.click();
    await page.getByText('The second factor of Bia Lima is reset').waitFor();
    expect(asked).toEqual([{ verified }]);
    await page.goto(`${url}/settings?tab=audit`);
    await page.getByText('reset the second factor of bia').waitFor();
    await page.getByText(`identity verified by: ${verified}`).waitFor();
  });
});
