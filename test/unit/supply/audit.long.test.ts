// Vulnerability data: npm itself asks a registry of the test, and what it answers decides.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AuditReport, judge, Reviews, staleReviews } from '../../../scripts/supply/audit.ts';
import { readLock } from '../../../scripts/supply/lock.ts';
import { askNpm, NoAuditDataError } from '../../../scripts/supply/npm-audit.ts';
import { shippedPackages } from '../../../scripts/supply/shipped.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const TODAY = '2026-11-23';
const NONE: Reviews = { why: '', reviews: [] };

const open: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function registry(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  open.push(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return `--registry=http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const advisory = (id: string, severity: string) => ({
  id: 1,
  url: `https://github.com/advisories/${id}`,
  title: 'a fault',
  severity,
  vulnerable_versions: '*',
  cwe: [],
  cvss: { score: 0, vectorString: null },
});

const review = (over: Partial<Reviews['reviews'][number]> = {}): Reviews => ({
  why: '',
  reviews: [
    {
      advisory: 'GHSA-high',
      package: 'express',
      reason: 'Sluice does not use this function',
      reviewed: '2026-10-01',
      until: TODAY,
      ...over,
    },
  ],
});

const report = (severity = 'high', nodes = ['node_modules/express']): AuditReport =>
  AuditReport.parse({
    auditReportVersion: 2,
    vulnerabilities: {
      express: {
        via: [{ title: 't', url: 'https://github.com/advisories/GHSA-high', severity, range: '<9' }],
        nodes,
      },
      'express-rate-limit': { via: ['express'], nodes: ['node_modules/express-rate-limit'] },
    },
  });
const SHIPPED = new Set(['node_modules/express', 'node_modules/express-rate-limit']);
const verdicts = (of: AuditReport, reviews = NONE) =>
  judge(of, reviews, SHIPPED, TODAY).map(({ package: name, verdict }) => [name, verdict]);

describe('npm asks a registry', () => {
  it('an advisory in what ships fails; one in a test tool, or a mild one, does not', async () => {
    const option = await registry((req, res) => {
      res.setHeader('content-type', 'application/json');
      if (!req.url?.endsWith('/advisories/bulk')) return void res.writeHead(404).end('{}');
      const answer = {
        express: [advisory('GHSA-high', 'high')],
        react: [advisory('GHSA-console', 'critical')],
        vitest: [advisory('GHSA-tests', 'critical')],
        zod: [advisory('GHSA-mild', 'moderate')],
      };
      res.end(JSON.stringify(answer));
    });
    const lock = await readLock(ROOT);
    const shipped = await shippedPackages(lock, ROOT);
    const findings = judge(await askNpm(ROOT, [option]), NONE, new Set(shipped.keys()), TODAY);
    expect(Object.fromEntries(findings.map((found) => [found.advisory, found.verdict]))).toEqual({
      'GHSA-high': 'fails',
      'GHSA-console': 'fails',
      'GHSA-tests': 'noted',
      'GHSA-mild': 'noted',
    });
  });

  it.each<[string, RequestListener]>([
    ['405', (_req, res) => void res.writeHead(405).end()],
    ['404', (_req, res) => void res.writeHead(404).end('{}')],
    ['200 with a page', (_req, res) => void res.writeHead(200).end('<html>')],
  ])('%s is no vulnerability data, and never "nothing found"', async (_name, handler) => {
    const option = await registry(handler);
    await expect(askNpm(ROOT, [option, '--fetch-retries=0'])).rejects.toThrow(NoAuditDataError);
  });
});

describe('a review', () => {
  it.each<[string, Reviews, string]>([
    ['accepts its advisory up to its last day', review(), 'reviewed'],
    ['that has ended accepts nothing', review({ until: '2026-11-22' }), 'fails'],
    ['of another package accepts nothing', review({ package: 'vite' }), 'fails'],
    ['of another advisory accepts nothing', review({ advisory: 'GHSA-other' }), 'fails'],
  ])('%s', (_name, reviews, verdict) => {
    expect(verdicts(report(), reviews)).toEqual([['express', verdict]]);
  });

  it.each<[string, Reviews, RegExp]>([
    [
      'of more than 90 days is refused',
      review({ until: '2027-01-01' }),
      /at most 90 days, this one lasts 92/,
    ],
    ['that ends before it begins is refused', review({ until: '2026-09-01' }), /this one lasts -30/],
    ['of what npm no longer reports has to go', review({ package: 'vite' }), /remove the review/],
  ])('%s', (_name, reviews, message) => {
    const findings = judge(report(), NONE, SHIPPED, TODAY);
    expect(staleReviews(reviews, findings)).toEqual([expect.stringMatching(message)]);
  });

  it('needs a reason and real days', () => {
    expect(Reviews.safeParse(review({ reason: 'ok' })).success).toBe(false);
    expect(Reviews.safeParse(review({ until: '2026-02-30' })).success).toBe(false);
  });
});

it('one copy that ships is enough, and a package that only needs the faulty one is not counted again', () => {
  expect(
    verdicts(report('critical', ['node_modules/vite/node_modules/express', 'node_modules/express'])),
  ).toEqual([['express', 'fails']]);
  expect(verdicts(report('high', ['node_modules/vite/node_modules/express']))).toEqual([
    ['express', 'noted'],
  ]);
  expect(verdicts(report('low'))).toEqual([['express', 'noted']]);
});
