// The system's Chromium for tests of the console.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Browser, chromium } from 'playwright-core';

/** From the root of the package, so that a built script finds it too. */
const ROOT = dirname(createRequire(import.meta.url).resolve('sluice/package.json'));
const SCRIPT = join(ROOT, 'scripts/chromium.mjs');

/** Exit code of the script when there is no way to a Chromium. */
const NONE = 3;

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

/** Path of a Chromium, which is installed if there is none; null, with a line on stderr, if there is no way to one. */
export async function findChromium(): Promise<string | null> {
  const child = spawn(process.execPath, [SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code === NONE) return null;
  if (code !== 0) throw new Error(`scripts/chromium.mjs ended with exit code ${code}`);
  return output.trim();
}

/** @throws Error when there is no Chromium */
export async function launchChromium(): Promise<Browser> {
  const path = await findChromium();
  if (path === null) throw new Error('there is no Chromium; install one, or set CHROMIUM_PATH');
  // Many processes may start at once.
  return await chromium.launch({ executablePath: path, args: FLAGS, timeout: 120_000 });
}
