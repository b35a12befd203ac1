// The built console in Chromium over answers of a stub. All tests of a file share the build and the browser.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { launchChromium } from '../chromium.ts';
import { buildOnce } from '../runner/build.ts';
import { logIn, type OpenOptions, type OpenPage, openPage } from './pages.ts';
import { type Answer, type Stub, startStub } from './stub.ts';

export interface ConsoleTest extends OpenPage {
  readonly stub: Stub;
}

/**
 * Call it once per file, outside of the tests.
 * @returns what opens an address, logs in, runs the test and fails for whatever the browser complains about
 */
export function prepareConsole() {
  let browser: Browser;
  let dist: string;
  beforeAll(async () => {
    dist = await buildOnce();
    browser = await launchChromium();
  }, 180_000);
  afterAll(() => browser?.close());

  return async function withConsole(
    answers: Readonly<Record<string, Answer>>,
    path: string,
    options: OpenOptions,
    test: (opened: ConsoleTest) => Promise<void>,
  ): Promise<void> {
    const stub = await startStub(answers, dist);
    const { page, context, complaints } = await openPage(browser, stub.url, options);
    try {
      await page.goto(stub.url + path);
      await logIn(page);
      await test({ page, context, complaints, stub });
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
      await stub.close();
    }
  };
}
