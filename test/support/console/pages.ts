// Pages of the console in Chromium, which fail the test for whatever the browser complains about.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Set it to a folder to keep a picture of every view. */
const SHOTS = process.env.SLUICE_SCREENSHOTS;

export const SIZES = {
  desktop: { width: 1360, height: 900 },
  phone: { width: 390, height: 844 },
} as const;

export interface OpenOptions {
  readonly scheme?: 'light' | 'dark';
  readonly size?: keyof typeof SIZES;
  readonly locale?: string;
}

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: errors of scripts, refusals by the policy, requests to elsewhere. */
  readonly complaints: readonly string[];
}

export async function openPage(browser: Browser, url: string, options: OpenOptions = {}): Promise<OpenPage> {
  const { scheme = 'light', size = 'desktop', locale = 'en-US' } = options;
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: scheme,
    locale,
    timezoneId: 'America/Sao_Paulo',
    reducedMotion: 'reduce',
    hasTouch: size === 'phone',
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // Chromium reports every answer above 399 here; a test that provokes one checks what the page shows.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:'))
      complaints.push(`request to elsewhere: ${request.url()}`);
  });
  return { page, context, complaints };
}

export async function logIn(page: Page, name = 'ana', password = 'correct horse battery'): Promise<void> {
  await page.locator('input[name=username]:visible').fill(name);
  await page.locator('input[name=password]:visible').fill(password);
  await page.locator('button[type=submit]:visible').click();
}

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Serious and critical findings of axe, one a line. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  // Through the debugger: the policy of the page allows no inline script.
  await page.evaluate(axe.source);
  const violations: readonly Violation[] = await page.evaluate(
    'axe.run().then(({ violations }) => violations)',
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    );
}

/** Tabs that lie behind an edge, and choices whose text does not fit. */
const CUT = `[
  ...[...document.querySelectorAll('[role=tab]')]
    .filter((tab) => tab.checkVisibility() && (tab.getBoundingClientRect().right > innerWidth || tab.getBoundingClientRect().left < 0)),
  ...[...document.querySelectorAll('dd select')].filter((select) => {
    const style = getComputedStyle(select);
    const text = document.createElement('canvas').getContext('2d');
    text.font = style.font;
    const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return select.checkVisibility() && text.measureText(select.selectedOptions[0].text).width > room + 1;
  }),
].map((element) => element.outerHTML.slice(0, 200))`;

/** Expects no serious barrier and nothing wider than the window. Keeps a picture of the view if asked to. */
export async function checkView(
  page: Page,
  name: string,
  { scheme = 'light', size = 'desktop' }: OpenOptions,
  { fullPage = true } = {},
): Promise<void> {
  if (SHOTS !== undefined) {
    await mkdir(SHOTS, { recursive: true });
    await page.screenshot({ path: join(SHOTS, `${name}-${scheme}-${size}.png`), fullPage });
  }
  expect(await findBarriers(page), name).toEqual([]);
  expect(await page.evaluate(CUT), `${name}: cut`).toEqual([]);
  const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
  expect(wider, `${name} is wider than the window by`).toBeLessThanOrEqual(0);
}
