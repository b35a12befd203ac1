// What people do in the console: they open pages, press buttons that ask first, choose passwords, and save files.
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { checkView, type OpenOptions, type OpenPage, openPage } from './pages.ts';

export const PASSWORD = 'correct horse battery';

export const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
export const screen = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name }).click();

/** Several people at once, each in a browser context of their own. */
export function openPeople(browser: Browser) {
  const opened: OpenPage[] = [];

  /** @param origin of the console; a request to elsewhere is a complaint */
  async function open(origin: string, url: string, options: OpenOptions = {}): Promise<Page> {
    const made = await openPage(browser, origin, options);
    opened.push(made);
    await made.page.goto(url);
    return made.page;
  }

  /** No serious barrier, nothing wider than the window, and nothing that a browser complains about. */
  async function check(page: Page, state: string): Promise<void> {
    await checkView(page, state, {});
    const complaints = opened.flatMap((each) => each.complaints);
    expect(complaints, state).toEqual([]);
  }

  /** Presses a button that asks first, gives the reason if there is a field for one, and says yes. */
  async function command(page: Page, name: string, reason?: string): Promise<void> {
    await button(page, name).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name, exact: true }).waitFor();
    await check(page, `asks ${name}`);
    if (reason !== undefined) await dialog.getByRole('textbox', { name: /^Reason/ }).fill(reason);
    await dialog.getByRole('button', { name, exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
  }

  /** Chooses a password on the page of a one-time link. */
  async function claim(page: Page, verb: string, name?: string): Promise<void> {
    await button(page, verb).waitFor();
    await check(page, `one-time link, ${verb}`);
    if (name !== undefined) await page.getByLabel('User name').fill(name);
    await page.getByLabel('New password', { exact: false }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  }

  /** What each person has before them, for a test that failed. */
  async function describe(): Promise<string> {
    const views = opened.map(async ({ page }) => {
      const [address] = page.url().split('#');
      return `\n${address}\n${await page.locator('body').ariaSnapshot()}\n`;
    });
    return (await Promise.all(views)).join('');
  }

  return { open, check, command, claim, describe };
}

/** Does what makes the page save a file, and returns the file's text. */
export async function saved(page: Page, save: () => Promise<void>): Promise<string> {
  const download = page.waitForEvent('download');
  await save();
  return await readFile(await (await download).path(), 'utf8');
}

/** The cells of a CSV that begins with a byte order mark. */
export function readCsv(text: string): string[][] {
  expect(text.startsWith('\uFEFF')).toBe(true);
  return parse(text, { bom: true });
}
