// The chart without helm: its values have a schema, and it names only variables, ports and commands that Sluice has.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { VARIABLES } from '../../../scripts/reference/cli.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { AdminConfig } from '../../../src/config/schema/admin.ts';
import { OperatorHttp } from '../../../src/config/schema/operator.ts';
import { IngressHttp } from '../../../src/jobs/events/ingress/config.ts';

const CHART = resolve(import.meta.dirname, '../../../deploy/helm/sluice');
const read = (path: string) => readFileSync(join(CHART, path), 'utf8');
// oxlint-disable-next-line typescript/no-explicit-any
const values = () => parse(read('values.yaml')) as any;
const check = new Ajv({ strict: false }).compile(JSON.parse(read('values.schema.json')) as object);
const templates = readdirSync(join(CHART, 'templates')).map((name) => read(`templates/${name}`));

describe('the schema of the values', () => {
  it('accepts the defaults and names each of them', () => {
    expect(check(values())).toBe(true);
    const { properties } = JSON.parse(read('values.schema.json')) as { properties: object };
    expect(Object.keys(properties).filter((key) => key !== 'global')).toEqual(Object.keys(values()));
  });

  const REFUSED: [string, (all: ReturnType<typeof values>) => void][] = [
    ['a key that does not exist', (all) => (all.wroker = {})],
    ['a key of a component that does not exist', (all) => (all.worker.replica = 3)],
    ['a digest that is none', (all) => (all.image.digest = 'sha256:latest')],
    ['a time that cuts calls in progress off', (all) => (all.worker.terminationGracePeriodSeconds = 30)],
    ['a port out of range', (all) => (all.admin.port = 70_000)],
    ['a level that does not exist', (all) => (all.logLevel = 'loud')],
    ['a component that is null', (all) => (all.worker = null)],
    ['a variable that is a secret in plain text', (all) => (all.secretEnv.ACME_TOKEN = 'svc_live_1')],
    ['a name of a variable with a space', (all) => (all.env['A B'] = 'x')],
    // Helm would write 1000000 as 1e+06.
    ['a variable that is a number', (all) => (all.env.LIMIT = 1_000_000)],
    ['an address with a scheme', (all) => (all.temporal.address = 'https://temporal:7233')],
    ['the name of a Secret with a path', (all) => (all.secretFiles = ['../etc'])],
    ['a secret of a component in plain text', (all) => (all.ingress.secretEnv.SECRET = 'whsec_1')],
    ['the name of a Secret of a component with a path', (all) => (all.console.secretFiles = ['../etc'])],
    ['a label that is a number', (all) => (all.commonLabels.team = 7)],
    ['an address of the documents without a scheme', (all) => (all.prometheusRule.docsUrl = 'git/main')],
    ['an address that would end the line', (all) => (all.prometheusRule.docsUrl = 'https://a\nx: y')],
    ['an address with a comment', (all) => (all.prometheusRule.docsUrl = 'https://a #')],
    ['a ledger of no size', (all) => (all.prometheusRule.ledgerGigabytes = 0)],
    ['a size with its unit', (all) => (all.prometheusRule.ledgerGigabytes = '50Gi')],
    ['a disruption budget of none', (all) => (all.worker.podDisruptionBudget.maxUnavailable = 0)],
  ];
  it.each(REFUSED)('refuses %s', (_name, change) => {
    const changed = values();
    change(changed);
    expect(check(changed)).toBe(false);
  });
});

it('every variable of the templates is documented for the program', () => {
  const named = templates.flatMap((text) =>
    [...text.matchAll(/name: ([A-Z][A-Z_]+)\b/g)].map(([, name]) => name),
  );
  expect(new Set(named).size).toBeGreaterThan(10);
  const known = new Set(
    VARIABLES.flatMap((text) => [...text.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name]) => name)),
  );
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it('ports are the defaults of the program', () => {
  const { admin, ingress, console: page } = values();
  expect(admin.port).toBe(AdminConfig.parse({}).port);
  expect(ingress.port).toBe(IngressHttp.parse({}).port);
  expect(page.port).toBe(OperatorHttp.parse({}).port);
});

it('every command that a container runs exists', async () => {
  const job = /args: \[([a-z, ]+)\]/.exec(templates.join('\n'))?.[1]?.split(', ');
  expect(job).toEqual(['ledger', 'migrate']);
  const inNotes = [...read('templates/NOTES.txt').matchAll(/main\.js (.+)/g)].map(
    ([, words]) => words?.split(' ') ?? [],
  );
  expect(inNotes.length).toBe(3);
  for (const path of [job ?? [], ['worker'], ['ingress'], ['console'], ...inNotes]) {
    let at: Command | undefined = await createProgram({ version: '', json: false }, {}, path[0]);
    for (const word of path) at = at?.commands.find((command) => command.name() === word);
    expect(at?.name()).toBe(path.at(-1));
  }
});

it('the alert rules of the chart are those of deploy/prometheus', () => {
  expect(read('files/sluice-alerts.yaml')).toBe(
    readFileSync(join(CHART, '../../prometheus/sluice-alerts.yaml'), 'utf8'),
  );
});

it('what the chart replaces in the alert rules is in them', () => {
  const rules = read('files/sluice-alerts.yaml');
  const replaced = [...read('templates/prometheus.yaml').matchAll(/replace "([^"]+)"/g)].map(
    ([, text]) => text,
  );
  expect(replaced).toEqual(['runbook_url: docs/', '50e9']);
  for (const text of replaced) expect(rules).toContain(text);
  // The default of the chart is the number in the file.
  expect(`${values().prometheusRule.ledgerGigabytes}e9`).toBe('50e9');
});
