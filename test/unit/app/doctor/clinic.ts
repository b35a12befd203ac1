// An installation for the doctor to check: a sandbox, a configuration with one sync, and the command itself.

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach } from 'vitest';
import { stringify } from 'yaml';
import type { Finding, Group } from '../../../../src/app/doctor/index.ts';
import { registerDoctor } from '../../../../src/cli/config/doctor.ts';
import { describeError } from '../../../../src/cli/lib/describe-error.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../../src/sandbox/server.ts';
import { type PanelRequest, panelOf } from '../../../support/panel.ts';

export const TOKEN = 'svc_test_CANARY';
export const PHONE = '5511987650000';
export const PERSON = 'Canaria Silva';

const READS = ['contacts:read', 'cards:read', 'connections:read', 'conversations:read', 'messages:read'];
const when = (day: number) => `2026-11-${String(day).padStart(2, '0')}T10:00:00.000Z`;

/** An account with all that the doctor checks; `over` replaces whole parts. */
export function patient(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'acme',
    tokens: [
      { value: TOKEN, scopes: READS },
      { value: 'svc_test_revoked', scopes: READS, revoked: true },
      { value: 'svc_test_expired', scopes: READS, expiresAt: '2020-01-01T00:00:00Z' },
      { value: 'svc_test_contacts', scopes: ['contacts:read'] },
    ],
    connections: [
      { id: 1, name: 'main', channel: 'waba', status: 'CONNECTED', isDefault: true },
      { id: 2, name: 'page', channel: 'facebook', status: 'CONNECTED' },
    ],
    tags: [
      { id: 1, name: 'vip' },
      { id: 2, name: 'imported' },
    ],
    sources: [{ id: 7, name: 'site' }],
    lostReasons: [{ id: 1, name: 'price' }],
    pipelines: [
      {
        id: 1,
        name: 'Sales',
        stages: [
          { id: 11, name: 'New', order: 1 },
          { id: 12, name: 'Talking', order: 2 },
        ],
      },
    ],
    users: [{ id: 1, name: 'Ana' }],
    contacts: [{ id: 1, number: PHONE, name: PERSON, email: 'canaria@example.com' }],
    cards: [
      { id: 1, contactId: 1, pipelineId: 1, stageId: 11, sourceId: 7, createdAt: when(1) },
      { id: 2, contactId: 1, pipelineId: 1, stageId: 12, createdAt: when(2) },
    ],
    conversations: [
      {
        id: 1,
        contactId: 1,
        connectionId: 1,
        messages: [
          { id: 'm1', body: `call me, ${PERSON}`, fromMe: false, at: when(3) },
          { id: 'm2', body: 'we do', fromMe: true, at: when(4) },
        ],
      },
    ],
    ...over,
  };
}

export const MAPPING = {
  defaultCountry: 'BR',
  contact: { number: ['Mobile', 'Phone'], name: 'Name' },
  tags: [{ const: 'imported' }, { path: 'Segment', map: { a: 'vip' } }],
  card: {
    pipeline: 'Sales',
    stage: { path: 'Status', map: { talking: 'Talking' }, default: 'New' },
    source: 7,
  },
};

export const CSV = `Mobile,Phone,Name,Segment,Status\n,${PHONE},${PERSON},a,talking\n`;

export interface ClinicOptions {
  readonly account?: Record<string, unknown>;
  /** Parts of the account in the configuration. */
  readonly config?: Record<string, unknown>;
  readonly campaigns?: Record<string, unknown>;
  readonly mapping?: Record<string, unknown>;
  readonly sync?: Record<string, unknown>;
  readonly source?: Record<string, unknown>;
  readonly csv?: string;
  readonly env?: Record<string, string>;
  readonly sandbox?: Partial<SandboxOptions>;
  /** Makes the base URL of the configuration out of the right one. */
  readonly baseUrl?: (right: string) => string | Promise<string>;
}

export interface Visit {
  readonly exitCode: number;
  readonly verdict: string;
  readonly groups: readonly Group[];
  readonly findings: readonly Finding[];
  /** All that stood on stdout and stderr. */
  readonly output: string;
}

export interface Clinic {
  readonly sandbox: Sandbox;
  readonly dir: string;
  readonly file: string;
  readonly env: Record<string, string>;
  readonly panel: ReturnType<typeof panelOf>;
  /** Runs `sluice doctor`, with --json unless `plain`. */
  visit(args?: readonly string[], plain?: boolean): Promise<Visit>;
  requests(): Promise<PanelRequest[]>;
  close(): Promise<void>;
}

export async function openClinic(options: ClinicOptions = {}): Promise<Clinic> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-doctor-'));
  const fixture = { accounts: [options.account ?? patient()] };
  const sandbox = await startSandbox({ port: 0, dataDir: join(dir, 'sandbox'), fixture, ...options.sandbox });
  const cli = join(dir, 'temporal');
  await writeFile(cli, '#!/bin/sh\necho "temporal version 1.9.1 (Server 1.32.0, UI 2.45.0)"\n');
  await chmod(cli, 0o755);
  await writeFile(join(dir, 'leads.csv'), options.csv ?? CSV);
  const file = join(dir, 'sluice.yaml');
  await writeFile(
    file,
    stringify({
      version: 1,
      accounts: {
        acme: {
          baseUrl: await (options.baseUrl ?? String)(sandbox.baseUrl),
          tokens: ['env:ACME_TOKEN'],
          ...options.config,
        },
      },
      sources: { leads: { type: 'csv', path: 'leads.csv', ...options.source } },
      mappings: { leads: options.mapping ?? MAPPING },
      syncs: { leads: { account: 'acme', source: 'leads', mapping: 'leads', ...options.sync } },
      ...(options.campaigns === undefined ? {} : { campaigns: options.campaigns }),
    }),
  );
  const env = { ACME_TOKEN: TOKEN, TEMPORAL_CLI_PATH: cli, ...options.env };
  const panel = panelOf(sandbox.panelUrl);
  return {
    sandbox,
    dir,
    file,
    env,
    panel,
    visit: (args = [], plain = false) => visit([...args, ...(plain ? [] : ['--json'])], { dir, file, env }),
    requests: () => panel.requests(),
    async close() {
      await sandbox.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function visit(
  args: readonly string[],
  { dir, file, env }: { dir: string; file: string; env: Record<string, string> },
): Promise<Visit> {
  const out: string[] = [];
  const err: string[] = [];
  const program = new Command('sluice').exitOverride();
  program.configureOutput({ writeOut: (text) => out.push(text), writeErr: (text) => err.push(text) });
  registerDoctor(program, env);
  const all = ['doctor', '--config', file, '--state', join(dir, 'state'), ...args];
  const failed = await program.parseAsync(all, { from: 'user' }).then(
    () => null,
    (error: unknown) => describeError(error),
  );
  const exitCode = failed?.exitCode ?? Number(process.exitCode ?? 0);
  // The command sets it for its process; here that is the test runner.
  process.exitCode = undefined;
  const stdout = out.join('');
  const { verdict = '', groups = [] } = (stdout.startsWith('{') ? JSON.parse(stdout) : {}) as Partial<Visit>;
  return {
    exitCode,
    verdict,
    groups,
    findings: groups.flatMap(({ findings }) => findings),
    output: [stdout, ...err, failed?.message ?? ''].join('\n'),
  };
}

/** Lines of one level, as `check: text; hint`. */
export function linesOf(visited: Visit, level: Finding['level']): string[] {
  return visited.findings
    .filter((finding) => finding.level === level)
    .map(({ check, reason, hint }) => `${check}: ${reason}${hint === undefined ? '' : `; ${hint.reason}`}`);
}

/** Clinics of one test file, closed after each test. `open` takes whatever else is to be closed. */
export function clinics() {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).toReversed()) await each.close();
  });
  return {
    open,
    async clinic(options: ClinicOptions = {}): Promise<Clinic> {
      const made = await openClinic(options);
      open.push(made);
      return made;
    },
  };
}

/** A row of a table: what is wrong or odd, the exit code, and what is said. */
export type Case = [name: string, options: ClinicOptions, exitCode: number, says: string[]];
