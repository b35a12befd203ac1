// `npm run docs:screenshots`: starts Sluice with a company's data and writes a picture of every screen to docs/console.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import UPNG from 'upng-js';
import { freePort } from '../src/core/net/ports.ts';
import { openPage } from '../test/support/console/pages.ts';
import { startDevProcess, startSandboxProcess } from '../test/support/console/processes.ts';
import { startBroker } from '../test/support/kafka/kafka-broker.ts';
import { launchChromium } from '../test/support/tools/chromium.ts';
import { configuration, crmExport, ENV, fixture, LEFT_OUT } from './screenshots/data.ts';
import { bringToLife, callAs, makeTopics } from './screenshots/living.ts';
import { pageOf } from './screenshots/page.ts';
import { SCREENS, type Screen } from './screenshots/screens.ts';

const DIST = resolve(import.meta.dirname, '..');
const PICTURES = resolve(DIST, '../docs/console');
const PASSWORD = 'a picture of a password';
/** Calls per minute that the sandbox allows: at 120, the data of the pictures would take an hour. */
const RATE = 3000;
/** A picture has at most this many colors, which the eye does not miss and halves its size. */
const COLORS = 128;
/** Shown instead of the temporary folder that the project lives in. */
const PROJECT = '/srv/sluice';
const SIZES = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;

const say = (text: string) => process.stderr.write(`${text}\n`);
const stops: (() => Promise<unknown>)[] = [];
try {
  await main();
} finally {
  for (const stop of stops.toReversed()) await stop();
}

async function main(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-pictures-'));
  stops.push(() => rm(dir, { recursive: true, force: true }));
  const browser = await launchChromium();
  stops.push(() => browser.close());
  const kafka = await startBroker();
  if (kafka !== null) stops.push(() => kafka.stop());
  const brokers = kafka?.brokers ?? null;
  if (brokers !== null) await makeTopics(brokers);
  const sandbox = await startSandboxProcess({ dist: DIST, dir, fixture: fixture(), rate: RATE });
  stops.push(() => sandbox.stop());
  const [consolePort, ingressPort] = [await freePort(), await freePort()];
  await writeFile(join(dir, 'crm.csv'), crmExport());
  const { baseUrl, panel } = sandbox;
  await writeFile(join(dir, 'sluice.yaml'), configuration({ baseUrl, consolePort, ingressPort, brokers }));
  const dev = await startDevProcess(DIST, dir, ENV);
  stops.push(() => dev.stop());

  const { page, context } = await openPage(browser, dev.url);
  await page.goto(dev.adminLink as string);
  await page.getByLabel('User name').fill('marina');
  await page.getByLabel('New password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  say('the company comes to life');
  const call = callAs(page);
  await bringToLife({ call, panel, brokers, ingress: `http://127.0.0.1:${ingressPort}` });
  const { people } = await call<{ people: { account: string; person: string }[] }>('POST', '/people/search', {
    query: `+${LEFT_OUT}`,
  });
  const [found] = people;
  if (found === undefined) throw new Error('the search found nobody');
  const places = { person: `/people/${found.account}/${encodeURIComponent(found.person)}` };

  await mkdir(PICTURES, { recursive: true });
  await writeFile(join(PICTURES, 'README.md'), pageOf());
  const storage = await context.storageState();
  for (const size of ['desktop', 'phone'] as const)
    for (const scheme of ['light', 'dark'] as const)
      for (const locale of ['en-US', 'pt-BR'] as const) {
        const opened = await browser.newContext({
          viewport: SIZES[size],
          colorScheme: scheme,
          locale,
          timezoneId: 'America/Sao_Paulo',
          reducedMotion: 'reduce',
          storageState: storage,
        });
        await showProject(opened, dir);
        const shown = await opened.newPage();
        for (const screen of SCREENS.filter(({ languages }) => languages.includes(locale))) {
          const name = [screen.name, ...(locale === 'en-US' ? [] : [locale]), size, scheme].join('-');
          await picture(shown, dev.url, screen, places, join(PICTURES, `${name}.png`));
        }
        // An answer may be under way, and nobody needs it any more.
        await opened.unrouteAll({ behavior: 'ignoreErrors' });
        await opened.close();
      }
}

/** No other answer has a path in it. */
async function showProject(context: BrowserContext, dir: string) {
  await context.route(/\/api\/v1\/configuration$/, async (route) => {
    const response = await route.fetch({ maxRetries: 3 });
    await route.fulfill({ response, body: (await response.text()).replaceAll(dir, PROJECT) });
  });
}

async function picture(
  page: Page,
  url: string,
  screen: Screen,
  places: { readonly person: string },
  file: string,
) {
  if (screen.isLoggedOut) await page.context().clearCookies();
  await page.goto(url + (screen.path === 'person' ? places.person : screen.path));
  await screen.ready(page);
  // Fonts, charts and what the server answered last.
  await page.waitForLoadState('load');
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 400)))');
  const shot = UPNG.decode(new Uint8Array(await page.screenshot()).buffer);
  const [frame] = UPNG.toRGBA8(shot);
  const bytes = Buffer.from(UPNG.encode([frame as ArrayBuffer], shot.width, shot.height, COLORS));
  await writeFile(file, bytes);
  say(`${file.slice(PICTURES.length + 1)} ${Math.round(bytes.length / 1000)} kB`);
}
