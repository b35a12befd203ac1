// The system's Chromium for tests of the console.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const SCRIPT = join(import.meta.dirname, '../../scripts/chromium.mjs');

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
  return await chromium.launch({ executablePath: stdout.trim(), args: FLAGS });
}
