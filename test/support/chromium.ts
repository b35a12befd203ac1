// The system's Chromium for tests of the console.
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

/** From the root of the package, so that a built script finds it too. */
const ROOT = dirname(createRequire(import.meta.url).resolve('sluice/package.json'));
const SCRIPT = join(ROOT, 'scripts/chromium.mjs');

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launchChromium(): Promise<Browser> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT]);
  // Many processes may start at once.
  return await chromium.launch({ executablePath: stdout.trim(), args: FLAGS, timeout: 120_000 });
}
