// A real Prometheus that scrapes the processes of a fleet, and the panels of the dashboard as it answers them.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { request } from 'undici';
import { stringify } from 'yaml';
import { freePort } from '../../src/core/net/ports.ts';

const SCRAPE_SECONDS = 5;
/** Of a line in a panel. */
const POINTS = 240;

/** As `/api/v1/alerts` answers it. */
export interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

export interface PrometheusOptions {
  /** File with alert rules. */
  readonly rules: string;
  /** Between two scrapes, and between two evaluations of the rules; a scrape may take as long. */
  readonly scrape: string;
}

export interface Prometheus {
  readonly version: string;
  /** Alerts that are pending or firing now. */
  alerts(): Promise<readonly Alert[]>;
  /** Answers of every panel for this time, in milliseconds. */
  readPanels(dashboard: Dashboard, fromMs: number, toMs: number): Promise<readonly AnsweredPanel[]>;
  stop(): Promise<void>;
}

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

interface Panel {
  readonly type: 'row' | 'stat' | 'timeseries';
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly Target[];
  readonly fieldConfig?: { readonly defaults: { readonly unit: string } };
}

export interface Dashboard {
  readonly panels: readonly Panel[];
}

export interface AnsweredPanel {
  readonly type: Panel['type'];
  readonly title: string;
  readonly unit: string;
  readonly gridPos: Panel['gridPos'];
  /** Seconds since 1970, the same for all series. */
  readonly times: readonly number[];
  readonly series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
}

/**
 * @param root of the project
 * @param dir gets its data
 * @param targets host:port by name of the process
 */
export async function startPrometheus(
  root: string,
  dir: string,
  targets: Readonly<Record<string, string>>,
  { rules, scrape }: PrometheusOptions = {
    rules: join(root, 'deploy/prometheus/sluice-alerts.yaml'),
    scrape: `${SCRAPE_SECONDS}s`,
  },
): Promise<Prometheus> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'scripts/prometheus.mjs')]);
  const program = join(stdout.trim(), 'prometheus');
  const version = /version (\S+)/.exec((await promisify(execFile)(program, ['--version'])).stdout)?.[1] ?? '';
  const file = join(dir, 'prometheus.yml');
  const statics = Object.entries(targets).map(([instance, target]) => ({
    targets: [target],
    labels: { instance },
  }));
  await writeFile(
    file,
    stringify({
      global: { scrape_interval: scrape, scrape_timeout: scrape, evaluation_interval: scrape },
      rule_files: [rules],
      scrape_configs: [{ job_name: 'sluice', static_configs: statics }],
    }),
  );
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn(
    program,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(dir, 'prometheus')}`,
      `--web.listen-address=${address}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const closed = once(child, 'close');
  await new Promise<void>((ready, failed) => {
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      if (line.includes('Server is ready')) ready();
    });
    child.once('close', () => failed(new Error(`Prometheus ended:\n${lines.slice(-5).join('\n')}`)));
  });
  return {
    version,
    async alerts() {
      const { body } = await request(`http://${address}/api/v1/alerts`);
      const { data } = (await body.json()) as { data: { alerts: Alert[] } };
      return data.alerts;
    },
    async readPanels(dashboard, fromMs, toMs) {
      const answered: AnsweredPanel[] = [];
      for (const panel of dashboard.panels)
        answered.push(await readPanel(`http://${address}`, panel, fromMs, toMs));
      return answered;
    },
    async stop() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

export async function readDashboard(root: string): Promise<Dashboard> {
  return JSON.parse(await readFile(join(root, 'deploy/grafana/sluice.json'), 'utf8')) as Dashboard;
}

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}

async function readPanel(url: string, panel: Panel, fromMs: number, toMs: number): Promise<AnsweredPanel> {
  const start = Math.floor(fromMs / 1000);
  const seconds = toMs / 1000 - start;
  const step = Math.max(SCRAPE_SECONDS, Math.ceil(seconds / POINTS));
  const count = Math.floor(seconds / step);
  const times = Array.from({ length: count }, (_, at) => start + at * step);
  // As Grafana does: a point covers its step, and four scrapes at least.
  const interval = Math.max(step, 4 * SCRAPE_SECONDS);
  const series: { label: string; values: (number | null)[] }[] = [];
  for (const { expr, legendFormat } of panel.targets ?? []) {
    const query = new URLSearchParams({
      query: expr.replaceAll('$account', '.*').replaceAll('$__rate_interval', `${interval}s`),
      start: String(start),
      end: String(start + (count - 1) * step),
      step: String(step),
    });
    const { statusCode, body } = await request(`${url}/api/v1/query_range?${query}`);
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${panel.title}: ${text}`);
    for (const { metric, values } of (JSON.parse(text) as Answer).data.result) {
      const byTime = new Map(values.map(([time, value]) => [time, Number(value)]));
      const label = legendFormat.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => metric[name] ?? '');
      series.push({
        label: label || panel.title,
        values: times.map((time) => {
          const value = byTime.get(time);
          return value === undefined || Number.isNaN(value) ? null : value;
        }),
      });
    }
  }
  const { type, title, gridPos } = panel;
  return { type, title, gridPos, unit: panel.fieldConfig?.defaults.unit ?? 'short', times, series };
}
