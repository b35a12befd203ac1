// The shared parts of the console in Chromium: no barriers, a table of 100,000 rows by keyboard, dialogs, masked values.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBarriers, type OpenOptions, openPage } from '../../support/console/pages.ts';
import { loginAnswers, type Stub, startStub } from '../../support/console/stub.ts';
import { launchChromium } from '../../support/tools/chromium.ts';

const SCRIPT = join(import.meta.dirname, '../../../scripts/build/console.mjs');
const SHOTS = process.env.SLUICE_SCREENSHOTS;

let browser: Browser;
let dist: string;
let stub: Stub;

beforeAll(async () => {
  dist = await mkdtemp(join(tmpdir(), 'sluice-gallery-'));
  await promisify(execFile)(process.execPath, [SCRIPT, 'gallery', join(dist, 'console')]);
  browser = await launchChromium();
  const logins = loginAnswers('operator');
  stub = await startStub(
    {
      'GET /session': () => ({
        user: { identity: 'user:ana', name: 'ana', displayName: 'Ana', role: 'operator', via: 'session' },
        csrfToken: 'csrf',
        oidc: null,
        needsFirstAdmin: false,
      }),
      'POST /logout': logins['POST /logout'] ?? (() => ({})),
    },
    dist,
  );
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await stub?.close();
  await rm(dist, { recursive: true, force: true });
});

async function withParts(options: OpenOptions, test: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, complaints } = await openPage(browser, stub.url, options);
  try {
    await page.goto(stub.url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('.uplot canvas').waitFor();
    await test(page);
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

it.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'desktop' },
  { scheme: 'light', size: 'phone' },
  { scheme: 'dark', size: 'phone' },
] as const)('no part has a serious barrier in $scheme on a $size', { timeout: 60_000 }, async (options) => {
  await withParts(options, async (page) => {
    if (SHOTS !== undefined) {
      await mkdir(SHOTS, { recursive: true });
      await page.screenshot({
        path: join(SHOTS, `parts-${options.scheme}-${options.size}.png`),
        fullPage: true,
      });
    }
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  });
});

it('a table of 100,000 rows has few of them in the page; keys go to any row, and Enter opens it', {
  timeout: 60_000,
}, async () => {
  await withParts({}, async (page) => {
    const rows = page.getByRole('table', { name: 'Members' }).getByRole('row');
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    await button('Person 0').focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Person 1');
    // Each End loads what follows, until all are there.
    for (const last of ['Person 999', 'Person 33999', 'Person 66999', 'Person 99999']) {
      await page.keyboard.press('End');
      await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe(last);
      if (last !== 'Person 99999')
        await page.getByText(/rows loaded; scroll for more|^100,000 rows$/).waitFor();
    }
    expect(await rows.count()).toBeLessThan(80);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URL(page.url()).search).toBe('?row=m99999');
    await page.keyboard.press('Home');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Person 0');
  });
});

it('sorting and filters are in the address, and come back with it', async () => {
  await withParts({}, async (page) => {
    await page.getByRole('button', { name: 'Wave' }).click();
    await page.getByLabel('State', { exact: true }).selectOption('failed');
    await page.getByLabel('Code', { exact: true }).fill('ERR_X');
    await expect
      .poll(() =>
        [...new URL(page.url()).searchParams]
          .map((pair) => pair.join())
          .sort()
          .join(),
      )
      .toMatch(/^code,ERR_X,sort,-?wave,state,failed$/);
    await page.reload();
    expect(await page.getByLabel('State', { exact: true }).inputValue()).toBe('failed');
    expect(await page.getByLabel('Code', { exact: true }).inputValue()).toBe('ERR_X');
    expect(await page.locator('[role=columnheader][aria-sort]').textContent()).toBe('Wave');
  });
});

it('a dialog asks for the reason that it requires, and Escape keeps everything as it is', async () => {
  await withParts({}, async (page) => {
    const open = page.getByRole('button', { name: 'Cancel campaign' });
    await open.click();
    const dialog = page.getByRole('dialog', { name: 'Cancel the campaign “spring”?' });
    const confirm = dialog.getByRole('button', { name: 'Cancel campaign' });
    expect(await confirm.isDisabled()).toBe(true);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByText('kept', { exact: true }).waitFor();
    await open.click();
    await dialog.getByRole('textbox').fill('wrong flow');
    await confirm.click();
    await page.getByText('wrong flow', { exact: true }).waitFor();
  });
});

it('a masked value shows only after a click; a chart is a table on request', async () => {
  await withParts({}, async (page) => {
    expect(await page.getByText('91234').count()).toBe(0);
    await page.getByRole('button', { name: 'Show phone number in plain text' }).click();
    await page.getByText('+55 11 91234-5601').waitFor();
    await page.getByRole('button', { name: 'Show as table' }).click();
    await page.getByRole('region', { name: 'Members left' }).getByRole('cell', { name: '97,500' }).waitFor();
    expect(await page.locator('figure:has(table) canvas').count()).toBe(0);
    await page.getByRole('button', { name: 'Show as chart' }).click();
    await page.locator('figure', { hasText: 'Show as table' }).locator('canvas').first().waitFor();
    expect(await page.getByRole('region', { name: 'Members left' }).count()).toBe(0);
  });
});
