// The built console in Chromium over answers of a stub. All tests of a file share the build and the browser.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { buildOnce } from '../runner/build.ts';
import { launchChromium } from '../tools/chromium.ts';
import { logIn, type OpenOptions, type OpenPage, openPage } from './pages.ts';
import { type Answer, type Stub, startStub } from './stub.ts';

export interface ConsoleTest extends OpenPage {
  readonly stub: Stub;
}

/**
 * Call it once per file, outside of the tests.
 * @returns what opens a page that nobody has logged in to, runs the test and fails for whatever the browser complains about
 */
export function prepareBrowser() {
  let browser: Browser;
  let dist: string;
  beforeAll(async () => {
    dist = await buildOnce();
    browser = await launchChromium();
  }, 180_000);
  afterAll(() => browser?.close());

  return async function withPage(
    answers: Readonly<Record<string, Answer>>,
    options: OpenOptions,
    test: (opened: ConsoleTest) => Promise<void>,
  ): Promise<void> {
    const stub = await startStub(answers, dist);
    const opened = await openPage(browser, stub.url, options);
    try {
      await test({ ...opened, stub });
      expect(opened.complaints).toEqual([]);
    } finally {
      await opened.context.close();
      await stub.close();
    }
  };
}

/** As `prepareBrowser`: what it returns opens an address and logs in before the test. */
export function prepareConsole() {
  const withPage = prepareBrowser();
  return async function withConsole(
    answers: Readonly<Record<string, Answer>>,
    path: string,
    options: OpenOptions,
    test: (opened: ConsoleTest) => Promise<void>,
  ): Promise<void> {
    await withPage(answers, options, async (opened) => {
      await opened.page.goto(opened.stub.url + path);
      await logIn(opened.page);
      await test(opened);
    });
  };
}
