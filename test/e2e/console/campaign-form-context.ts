// The form of a campaign in Chromium, over the real handlers, a configuration file and a ledger.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { createOperator } from '../../../src/app/operator.ts';
import { createLiveConfig } from '../../../src/config/live-config.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { createApi, refuseWith } from '../../../src/operator/http/api.ts';
import { consoleRouter } from '../../../src/operator/http/console.ts';
import { type Listener, listen } from '../../../src/operator/http/listen.ts';
import { type OpenOptions, openPage } from '../../support/console/pages.ts';
import { testLedger } from '../../support/postgres/ledger.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { launchChromium } from '../../support/tools/chromium.ts';

const FILE = `version: 1
accounts:
  acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: [env:TOKEN], timeZone: America/Sao_Paulo }
sources:
  leads: { type: csv, path: leads.csv }
campaigns:
  spring:
    account: acme
    flow: 7 # reactivation
    connection: 1
    defaultCountry: BR
    variables: { name: name }
    audience:
      - { from: source, source: leads, number: phone } # from the shop
    exclude: { numbers: ["+5511987650004"] }
    windows: { days: { mon: ["09:00-18:00"], tue: ["09:00-12:00", "13:00-18:00"] } }
    waves: { canary: 20, size: [50, 100] }
    humanService: { retryAfter: 2h } # the form does not know it
`;

/** Opens the form over a new folder before each test of the file. */
export function campaignForm() {
  let browser: Browser;
  let dist: string;
  let dir: string;
  let listener: Listener;

  beforeAll(async () => {
    [dist, browser] = [await buildOnce(), await launchChromium()];
    await testLedger();
  }, 240_000);
  afterAll(() => browser?.close());

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sluice-form-'));
    await writeFile(join(dir, 'sluice.yaml'), FILE);
    const rows = [
      '5511987650001,Ana',
      '5511987650002,Bia',
      '5511987650003,',
      '5511987650004,Caio',
      'none,Davi',
    ];
    await writeFile(join(dir, 'leads.csv'), `phone,name\n${rows.join('\n')}\n`);
    const config = await loadConfig(join(dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_form' } });
    const live = createLiveConfig(config, { log: console });
    const operator = createOperator({
      db: await testLedger(),
      config: live.current,
      live,
      temporal: () => Promise.reject(new Error('this test has no Temporal server')),
      runningTemporal: async () => null,
      env: { TOKEN: 'svc_test_form' },
      stateDir: join(dir, 'state'),
      log: { info: () => undefined, warn: () => undefined, error: (...line) => console.error(...line) },
    });
    const user = {
      identity: 'user:bia',
      name: 'bia',
      displayName: 'Bia',
      role: 'admin',
      via: 'session',
    } as const;
    const app = express();
    app.use((_req, res, next) => {
      res.locals.nonce = 'nonce';
      res.locals.caller = user;
      next();
    });
    app.get('/api/v1/session', (_req, res) => {
      res.json({ user, csrfToken: 'csrf', oidc: null, needsFirstAdmin: false });
    });
    app.get('/api/v1/changes', (_req, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      res.write('event: open\ndata: {}\n\n');
    });
    app.use(createApi(operator.dispatch));
    app.use(consoleRouter(join(dist, 'console'), (res) => String(res.locals.nonce)));
    app.use(refuseWith(console));
    listener = await listen(app, { host: '127.0.0.1', port: 0, log: console });
  });
  afterEach(async () => {
    await listener.close();
    await rm(dir, { recursive: true, force: true });
  });

  async function withPage(options: OpenOptions, test: (page: Page) => Promise<void>): Promise<void> {
    const { page, context, complaints } = await openPage(browser, listener.url, options);
    try {
      await test(page);
      expect(complaints).toEqual([]);
    } finally {
      await context.close();
    }
  }

  return {
    withPage,
    get dir() {
      return dir;
    },
    get url() {
      return listener.url;
    },
  };
}
