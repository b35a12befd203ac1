// The metrics page and the health of every process that a company runs beside each other.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freePort } from '../../src/core/net/ports.ts';
import { createMetrics } from '../../src/observe/metrics/index.ts';
import { startSandboxProcess } from '../support/console/processes.ts';
import type { Fleet } from '../support/fleet.ts';
import { startFleetOfRun } from '../support/fleet-of-run.ts';
import { TEMPORAL_METRICS } from '../support/temporal-metrics.ts';
import { until } from '../support/until.ts';

const DIST = resolve(import.meta.dirname, '../../dist');
const TOKEN = 'svc_test_metrics_page';
/** Has no scope. */
const POOR_TOKEN = 'svc_test_metrics_poor';
const PHONE = '5511987654321';

/** Names and types of a page, as its `# TYPE` lines say. */
function familiesOf(page: string): Map<string, string> {
  return new Map([...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type] as never));
}

async function read(url: string): Promise<{ status: number; text: string }> {
  const answer = await fetch(url);
  return { status: answer.status, text: await answer.text() };
}

describe('worker, worker, ingress and console on one machine', () => {
  const stops: (() => Promise<unknown>)[] = [];
  let fleet: Fleet;

  beforeAll(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'sluice-metrics-'));
    stops.push(() => rm(dir, { recursive: true, force: true }));
    const fixture = {
      accounts: [
        {
          id: 'acme',
          tokens: [{ value: TOKEN, scopes: ['contacts:read', 'contacts:write'] }],
        },
        { id: 'globex', tokens: [{ value: POOR_TOKEN, scopes: [] }] },
      ],
    };
    const sandbox = await startSandboxProcess({ dist: DIST, dir, fixture, rate: 0 });
    stops.push(() => sandbox.stop());
    const ingressPort = await freePort();
    await writeFile(
      join(dir, 'sluice.yaml'),
      stringify({
        version: 1,
        accounts: {
          acme: { baseUrl: sandbox.baseUrl, tokens: ['env:ACME_TOKEN'] },
          globex: { baseUrl: sandbox.baseUrl, tokens: ['env:GLOBEX_TOKEN'] },
        },
        mappings: { leads: { defaultCountry: 'BR', contact: { number: 'phone', name: 'name' } } },
        routes: {
          leads: {
            account: 'acme',
            http: { path: '/leads', auth: { type: 'none' } },
            action: { type: 'lead', mapping: 'leads' },
          },
          refused: {
            account: 'globex',
            http: { path: '/refused', auth: { type: 'none' } },
            action: { type: 'lead', mapping: 'leads' },
          },
        },
        ingress: { http: { port: ingressPort } },
        operator: { http: { port: await freePort() } },
      }),
    );
    fleet = await startFleetOfRun({
      dist: DIST,
      dir,
      env: {
        ACME_TOKEN: TOKEN,
        GLOBEX_TOKEN: POOR_TOKEN,
      },
      workers: 2,
    });
    stops.push(() => fleet.stop());
    for (const route of ['leads', 'refused']) {
      const answer = await fetch(`http://127.0.0.1:${ingressPort}/${route}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ phone: PHONE, name: 'Zuleica Quaresma' }),
      });
      expect(answer.status).toBe(202);
    }
    await until('the lead has ended', async () => (await countOf(fleet, 'sluice_events_ended_total')) === 1);
  }, 180_000);

  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  async function pages(of: Fleet) {
    return await Promise.all(
      of.processes.map(async ({ name, adminUrl }) => ({
        name,
        page: (await read(`${adminUrl}/metrics`)).text,
      })),
    );
  }

  /** Sum of a counter over all processes. */
  async function countOf(of: Fleet, counter: string): Promise<number> {
    const lines = (await pages(of)).flatMap(({ page }) => page.split('\n'));
    const own = lines.filter((line) => line.startsWith(`${counter}{`));
    return own.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  it('each page has every family of the reference', async () => {
    const declared = createMetrics('worker', '')
      .registry.getMetricsAsArray()
      .map(({ name }) => name);
    for (const { name, page } of await pages(fleet)) {
      const families = familiesOf(page);
      expect(
        declared.filter((each) => !families.has(each)),
        name,
      ).toEqual([]);
      expect(page, name).toContain(`sluice_info{process="${name.replace(/-\d$/, '')}"`);
      expect(page, name).toContain('sluice_ledger_up 1');
    }
  });

  it('workers also have the families of the Temporal SDK that the dashboard uses', async () => {
    const all = await pages(fleet);
    const workers = all.filter(({ name }) => name.startsWith('worker'));
    const families = new Set(workers.flatMap(({ page }) => [...familiesOf(page).keys()]));
    const wanted = Object.keys(TEMPORAL_METRICS).map((each) => each.replace(/_(?:bucket|sum|count)$/, ''));
    // It appears with the first failure.
    const always = wanted.filter((each) => !each.includes('failed') && !each.includes('failure'));
    expect(always.filter((each) => !families.has(each))).toEqual([]);
    for (const { name, page } of all.filter((each) => !workers.includes(each)))
      expect(page, name).not.toContain('temporal_');
  });

  // Prometheus reads numbers in any case; prom-client writes "Nan" for the mean of no delay.
  it('no family is declared twice, and no line is broken', async () => {
    for (const { name, page } of await pages(fleet)) {
      const types = [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, family]) => family);
      expect(new Set(types).size, name).toBe(types.length);
      for (const line of page.split('\n'))
        expect(line, name).toMatch(
          /^$|^# (?:HELP|TYPE) |^[a-z_:][\w:]*(?:\{.*\})? (?:[-+\d.eE]+|Nan|[+-]Inf)$/,
        );
    }
  });

  it('the lead counts in the process that did the work, with the account and not with the person', async () => {
    const all = await pages(fleet);
    const ingress = all.find(({ name }) => name === 'ingress')?.page;
    expect(ingress).toContain('sluice_ingress_http_events_total{route="leads",result="accepted"} 1');
    expect(await countOf(fleet, 'sluice_api_calls_total')).toBeGreaterThan(0);
    for (const { page } of all) expect(page).not.toMatch(new RegExp(`${PHONE}|Zuleica|${TOKEN}`));
  });

  it('every process is live and ready, and says what it checked', async () => {
    const parts: Record<string, string[]> = {};
    for (const { name, adminUrl } of fleet.processes) {
      expect((await read(`${adminUrl}/healthz`)).status, name).toBe(200);
      const { status, text } = await read(`${adminUrl}/readyz`);
      expect(status, text).toBe(200);
      parts[name] = Object.keys((JSON.parse(text) as { parts: object }).parts).sort();
    }
    expect(parts).toEqual({
      'worker-1': ['ledger', 'temporal', 'worker'],
      'worker-2': ['ledger', 'temporal', 'worker'],
      ingress: ['ingress', 'ledger'],
      console: ['ledger'],
    });
  });

  it('the log names process, account, workflow and activity, and neither the person nor the token', async () => {
    const linesOf = (log: string) =>
      log
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as object);
    const workers = fleet.processes.filter(({ name }) => name.startsWith('worker'));
    const lines = () => workers.flatMap(({ log }) => linesOf(log()));
    await expect.poll(lines, { timeout: 60_000 }).toContainEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      process: 'worker',
      account: 'globex',
      workflowId: expect.stringMatching(/^lead-intake\/globex\/refused\/\S+$/),
      runId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      activityType: expect.any(String),
      attempt: 1,
      event: expect.stringMatching(/^\S+$/),
      code: 'ERR_SCOPE_MISSING',
      msg: expect.stringContaining('an event is blocked'),
    });
    for (const { name, log } of fleet.processes) {
      expect(log(), name).not.toMatch(new RegExp(`${PHONE}|Zuleica|${TOKEN}|${POOR_TOKEN}`));
      expect(log(), name).not.toContain('"omitted"');
    }
  });
});
