// The dashboard and the alert rules: every expression is valid PromQL, and names only metrics and labels that exist.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../../src/observe/metrics/index.ts';
import { TEMPORAL_METRICS } from '../../support/temporal-metrics.ts';

const DEPLOY = resolve(import.meta.dirname, '../../../deploy');

interface Alerts {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly for?: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
    readonly gridPos: { readonly x: number; readonly w: number };
  }[];
}

const alerts = parse(await readFile(join(DEPLOY, 'prometheus/sluice-alerts.yaml'), 'utf8')) as Alerts;
const rules = alerts.groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(await readFile(join(DEPLOY, 'grafana/sluice.json'), 'utf8')) as Dashboard;
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);
const expressions = [...rules.map(({ expr }) => expr), ...targets.map(({ expr }) => expr)];

/** Labels that Prometheus adds at the scrape. */
const SCRAPED = ['job', 'instance'];
const labels = labelsByName();

function labelsByName(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>([['up', new Set(SCRAPED)]]);
  const own = createMetrics('worker', '').registry.getMetricsAsArray() as unknown as {
    readonly name: string;
    readonly type: string;
    readonly labelNames: readonly string[];
  }[];
  for (const { name, type, labelNames } of own) {
    const all = [...labelNames, ...SCRAPED];
    const isHistogram = type === 'histogram';
    const names = isHistogram ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
    for (const each of names) found.set(each, new Set(each.endsWith('_bucket') ? [...all, 'le'] : all));
  }
  for (const [name, names] of Object.entries(TEMPORAL_METRICS))
    found.set(name, new Set([...names, ...SCRAPED]));
  return found;
}

/** Metrics of an expression, and all labels that it names. */
function namesOf(expression: string) {
  const metrics: string[] = [];
  const used: string[] = [];
  const errors: string[] = [];
  parser.parse(expression).iterate({
    enter({ type, from, to, node }) {
      const text = expression.slice(from, to);
      if (type.isError) errors.push(`at ${from}: ${text}`);
      if (type.name === 'Identifier' && node.parent?.type.name === 'VectorSelector') metrics.push(text);
      if (type.name === 'LabelName') used.push(text);
    },
  });
  return { metrics, used, errors };
}

it('the parser refuses what is no PromQL, and finds the names', () => {
  expect(namesOf('sum by (a (x)').errors).not.toEqual([]);
  expect(namesOf('sum by (lane) (rate(calls_total{account="a"}[5m]))')).toEqual({
    metrics: ['calls_total'],
    used: ['lane', 'account'],
    errors: [],
  });
});

it.each(expressions)('%s', (expression) => {
  const { metrics, used, errors } = namesOf(
    expression.replaceAll('$account', 'a').replaceAll('$__rate_interval', '5m'),
  );
  expect(errors).toEqual([]);
  expect(metrics.filter((name) => !labels.has(name))).toEqual([]);
  const known = new Set(metrics.flatMap((name) => [...(labels.get(name) ?? [])]));
  expect(used.filter((name) => !known.has(name))).toEqual([]);
  // A counter alone only ever grows.
  for (const name of metrics.filter((each) => /_(?:total|bucket|count|sum)$/.test(each)))
    expect(expression).toMatch(new RegExp(String.raw`(?:rate|increase)\(${name}\b`));
});

it('every alert has a unique name, a severity, a summary and a way out', () => {
  const names = rules.map(({ alert }) => alert);
  expect(new Set(names).size).toBe(names.length);
  for (const { alert, labels: given, annotations } of rules) {
    expect(alert).toMatch(/^Sluice[A-Z]\w+$/);
    expect(given.severity).toMatch(/^(?:critical|warning)$/);
    expect(annotations.summary).toBeTruthy();
    expect(annotations.description).toMatch(/\.$/);
  }
});

it('every alert has its section in the runbook and links to it, and no section is left over', async () => {
  const page = 'docs/how-to/alerts.md';
  const runbook = await readFile(join(DEPLOY, '..', page), 'utf8');
  const [, ...sections] = runbook.split(/^### /m).map((text) => text.split(/^## /m)[0] as string);
  const names = rules.map(({ alert }) => alert);
  // In the order of the rules, so that both files read alike.
  expect(sections.map((text) => text.split('\n')[0])).toEqual(names);
  for (const text of sections)
    expect([...text.matchAll(/^- \*\*(.+?):\*\* \S/gm)].map(([, part]) => part)).toEqual([
      'Means',
      'Check',
      'Do',
      'Silent when',
    ]);
  expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
    names.map((name) => `${page}#${name.toLowerCase()}`),
  );
});

it('the runbook names only metrics that exist', async () => {
  const runbook = await readFile(join(DEPLOY, '../docs/how-to/alerts.md'), 'utf8');
  const named = [...runbook.matchAll(/`((?:sluice|nodejs|temporal)_\w+)`/g)].map(
    ([, name]) => name as string,
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !labels.has(name) && !labels.has(`${name}_bucket`))).toEqual([]);
});

it('a command of the runbook for everything that matches has its --yes', async () => {
  const runbook = await readFile(join(DEPLOY, '../docs/how-to/alerts.md'), 'utf8');
  const commands = [
    ...runbook.matchAll(/`sluice ((?:events retry|outbox retry|campaign cancel) [^`]+)`/g),
  ].map(([, command]) => (command as string).replaceAll(/\s+/g, ' '));
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.filter((each) => !each.endsWith(' ID') && !each.endsWith(' --yes'))).toEqual([]);
});

it('texts of alerts and legends name only labels that their expression keeps', () => {
  const texts = [
    ...rules.map(({ expr, annotations }) => [expr, annotations.description ?? ''] as const),
    ...targets.map(({ expr, legendFormat }) => [expr, legendFormat.replaceAll('{{', '{{ $labels.')] as const),
  ];
  for (const [expr, text] of texts) {
    const named = [...text.matchAll(/\{\{ \$labels\.(\w+)/g)].map(([, name]) => name as string);
    const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ');
    for (const name of named) {
      if (kept === undefined)
        expect([...(labels.get(namesOf(expr).metrics[0] as string) ?? [])]).toContain(name);
      else expect(kept, `${expr}: ${text}`).toContain(name);
    }
  }
});

it('no panel shares its id, or stands outside of the grid', () => {
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});
