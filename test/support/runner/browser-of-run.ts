// The browser of a test run, found or installed once before the tests begin.
import { findChromium } from '../tools/chromium.ts';

export default async function setup(): Promise<void> {
  const path = await findChromium();
  if (path !== null) process.env.CHROMIUM_PATH = path;
}
