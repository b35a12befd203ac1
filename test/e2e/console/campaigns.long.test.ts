// The screen of campaigns in Chromium, over the real handlers and a ledger: every view in light and dark, on a desktop and
// on a phone, and the commands of an operator.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createOperator } from '../../../src/app/operator.ts';
import type { Database } from '../../../src/core/sql/database.ts';
import { createApi } from '../../../src/operator/http/api.ts';
import { consoleRouter } from '../../../src/operator/http/console.ts';
import { type Listener, listen } from '../../../src/operator/http/listen.ts';
import type { Caller } from '../../../src/operator/service/caller.ts';
import { checkView, type OpenOptions, openPage } from '../../support/console/pages.ts';
import { testLedger } from '../../support/postgres/ledger.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { launchChromium } from '../../support/tools/chromium.ts';
import { fillCampaigns, LOADED, PLANNED, RAW, RUN } from './campaigns-context.ts';

let browser: Browser;
let dist: string;
let db: Database;
let listener: Listener;
let caller: Caller;

beforeAll(async () => {
  [dist, browser] = [await buildOnce(), await launchChromium()];
  // Both are one object, so that the second is an alias of the first.
  await writeFile(LOADED.file, stringify({ version: 1, campaigns: { spring: RAW, autumn: RAW } }));
}, 240_000);
afterAll(async () => {
  await browser?.close();
  await rm(LOADED.file, { force: true });
});

beforeEach(async () => {
  db = await testLedger();
  caller = { identity: 'user:bia', name: 'Bia', role: 'admin', via: 'session' };
  await fillCampaigns(db);
  listener = await serve();
});
afterEach(() => listener.close());

/** The console over the real handlers; the caller is chosen by the test. */
async function serve(): Promise<Listener> {
  const operator = createOperator({
    db,
    config: () => LOADED,
    live: null,
    temporal: () => Promise.reject(new Error('this test has no Temporal server')),
    runningTemporal: async () => null,
    env: {},
    stateDir: '/nonexistent',
    log: { info: () => undefined, warn: () => undefined, error: (...line) => console.error(...line) },
  });
  const app = express();
  app.use((_req, res, next) => {
    res.locals.nonce = 'nonce';
    res.locals.caller = caller;
    next();
  });
  app.get('/api/v1/session', (_req, res) => {
    const { identity, name: displayName, role, via } = caller;
    const user = { identity, name: identity.slice('user:'.length), displayName, role, via };
    res.json({ user, csrfToken: 'csrf', oidc: null, needsFirstAdmin: false });
  });
  app.get('/api/v1/changes', (_req, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    res.write('event: open\ndata: {}\n\n');
  });
  app.use(createApi(operator.dispatch));
  app.use(consoleRouter(join(dist, 'console'), (res) => String(res.locals.nonce)));
  return await listen(app, { host: '127.0.0.1', port: 0, log: console });
}

async function withPage(options: OpenOptions, test: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, complaints } = await openPage(browser, listener.url, options);
  try {
    await test(page);
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

const VIEWS = [
  ['list', '/campaigns'],
  ['run', '/campaigns?campaign=spring'],
  ['members', '/campaigns?campaign=spring&tab=members'],
  ['unknown', '/campaigns?campaign=spring&tab=members&state=unknown'],
  ['plan', '/campaigns?campaign=autumn&tab=plan'],
  ['replies', '/campaigns?campaign=spring&tab=replies'],
  ['rules', '/campaigns?campaign=spring&tab=rules'],
  ['rules-alias', '/campaigns?campaign=autumn&tab=rules'],
  ['history', '/campaigns?campaign=spring&tab=history'],
  ['none', `/campaigns?campaign=${encodeURIComponent('<script>alert(1)</script>')}`],
] as const;

describe.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'phone' },
  { scheme: 'dark', size: 'desktop', locale: 'pt-BR' },
  { scheme: 'light', size: 'phone', locale: 'pt-BR' },
] as const)('in $scheme on a $size', (options) => {
  it('no view has a serious barrier, and none is wider than the window', { timeout: 180_000 }, async () => {
    await withPage(options, async (page) => {
      for (const [name, path] of VIEWS) {
        await page.goto(listener.url + path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle').catch(() => undefined);
        if (name === 'run') await page.locator('.uplot canvas').waitFor();
        if (name === 'members') await page.getByText('+55').first().waitFor();
        if (name.startsWith('rules')) await page.getByRole('tab', { name: 'YAML' }).waitFor();
        await checkView(page, `campaigns-${name}`, options);
      }
    });
  });
});

it.each(['light', 'dark'] as const)(
  'a run that was resumed and blocked again says so, with the times, in %s on a phone',
  { timeout: 60_000 },
  async (scheme) => {
    const at = new Date();
    const resumed = new Date(at.getTime() - 1000);
    const paused = {
      by: 'sluice',
      code: 'ERR_TOKEN_REVOKED',
      reason: 'ERR_TOKEN_REVOKED: the token was revoked',
      at: at.toISOString(),
      again: { by: 'user:ana', at: resumed.toISOString() },
    };
    await db.query('update campaigns set paused = $2 where run_id = $1', [RUN, JSON.stringify(paused)]);
    const options = { scheme, size: 'phone' } as const;
    await withPage(options, async (page) => {
      await page.goto(`${listener.url}/campaigns?campaign=spring`);
      await page
        .getByText(/^Resumed by ana at .*\d:\d\d.*, and blocked again at .*\d:\d\d.* for the same reason:/)
        .waitFor();
      await page.getByText('ERR_TOKEN_REVOKED', { exact: true }).waitFor();
      await checkView(page, 'campaign-blocked-again', options);
    });
  },
);

it('a second person approves; the author cannot', { timeout: 60_000 }, async () => {
  caller = { ...caller, identity: 'user:ana' };
  await withPage({}, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=autumn`);
    const approve = page.getByRole('button', { name: 'Approve' });
    await approve.waitFor();
    const own = page.getByText('You made this plan, or what it is made of. Another person must approve it.');
    await own.waitFor();
    expect(await approve.getAttribute('aria-disabled')).toBe('true');
    expect(await approve.getAttribute('aria-describedby')).toBe(await own.getAttribute('id'));
    await approve.focus();
    expect(await page.locator(':focus').textContent()).toBe('Approve');
    expect(await page.getByRole('button', { name: 'Start' }).isDisabled()).toBe(true);
  });
  caller = { ...caller, identity: 'user:bia' };
  await withPage({}, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=autumn`);
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`${PLANNED} reaches 1,300 people. ana made the plan on`).waitFor();
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The plan is approved.').waitFor();
  });
  const [plan] = await db.query('select approved_by from campaigns where run_id = $1', [PLANNED]);
  expect(plan).toEqual({ approved_by: 'user:bia' });
});

it('a user added by the author reads from when they may approve, in all looks', {
  timeout: 90_000,
}, async () => {
  await db.query(
    `insert into operator_audit (identity, name, role, via, action, target, details, outcome)
     values ('user:ana', 'Ana', 'admin', 'session', 'POST /users', '/users', '{"name":"carl"}', 'ok')`,
  );
  caller = { ...caller, identity: 'user:carl' };
  for (const look of [{}, { scheme: 'dark' }, { size: 'phone' }] as const)
    await withPage(look, async (page) => {
      await page.goto(`${listener.url}/campaigns?campaign=autumn`);
      await page
        .getByText(/^You may approve it from .*, \d\d:\d\d America\/Sao_Paulo\. Until then/)
        .waitFor();
      const approve = page.getByRole('button', { name: 'Approve' });
      expect(await approve.getAttribute('aria-disabled')).toBe('true');
      await checkView(page, 'approval-wait', look);
    });
});

it('a lost trigger says what each answer does, and a failed member why and who', {
  timeout: 60_000,
}, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=spring`);
    const choices = page.getByRole('list', { name: 'What happened to these members?' });
    await choices.getByText('They count as triggered. Sluice sends nothing.').waitFor();
    await choices.getByRole('button', { name: 'Trigger again' }).click();
    await page.getByRole('dialog').getByText('may get it a second time').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Decide one by one' }).click();
    await page.getByText('Conversation 4711 changed right after the call').waitFor();
    await page
      .getByRole('checkbox', { name: /^Choose \d/ })
      .first()
      .check();
    await page.getByRole('button', { name: 'The flow ran' }).click();
    await page.getByRole('dialog').getByText('The answer to 1 trigger was lost').waitFor();
    await page.goto(`${listener.url}/campaigns?campaign=spring&tab=members&state=skipped`);
    await page.getByRole('table').getByText('In human service').first().waitFor();
    const link = page.getByRole('link', { name: /open the person/ }).first();
    expect(await link.getAttribute('href')).toMatch(/^\/people\/acme\/m\d+$/);
  });
});

it('a member is found by a number, which is not in the address, and revealed', {
  timeout: 60_000,
}, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${listener.url}/campaigns?campaign=spring&tab=members&state=failed`);
    await page.getByText('+55').first().waitFor();
    await page.getByRole('searchbox', { name: 'Number, name, e-mail or id' }).fill('5511987663000');
    await page.getByText('1 row').waitFor();
    expect(page.url()).not.toContain('5511987663');
    await page.getByRole('button', { name: /number, name and e-mail/i }).click();
    await page.getByText('5511987663000').waitFor();
  });
  const reveals = await db.query("select identity from operator_audit where action = 'reveal'");
  expect(reveals).toEqual([{ identity: 'user:bia' }]);
});
