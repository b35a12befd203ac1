// The alert rules, as Prometheus itself reads and evaluates them.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const RULES = join(ROOT, 'deploy/prometheus/sluice-alerts.yaml');
const TESTS = join(ROOT, 'deploy/prometheus/sluice-alerts.test.yaml');
const TESTS_OF_A_WEEK = join(ROOT, 'deploy/prometheus/sluice-alerts-week.test.yaml');
const run = promisify(execFile);

describe('promtool', () => {
  let promtool = '';

  beforeAll(async () => {
    const { stdout } = await run(process.execPath, [join(ROOT, 'scripts/prometheus.mjs')]);
    promtool = join(stdout.trim(), 'promtool');
  }, 180_000);

  it('accepts the rules', async () => {
    expect((await run(promtool, ['check', 'rules', RULES])).stdout).toMatch(/SUCCESS: \d+ rules found/);
  });

  it('sees alerts fire when they should, and no others', async () => {
    const { stdout } = await run(promtool, ['test', 'rules', TESTS, TESTS_OF_A_WEEK]);
    expect(stdout.match(/SUCCESS/g)).toHaveLength(2);
  });

  it('fails when a rule changes its meaning', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sluice-promtool-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const rules = await readFile(RULES, 'utf8');
    await writeFile(join(folder, 'sluice-alerts.yaml'), rules.replaceAll('> 900', '> 9000'));
    await writeFile(join(folder, 'sluice-alerts.test.yaml'), await readFile(TESTS));
    await expect(
      run(promtool, ['test', 'rules', join(folder, 'sluice-alerts.test.yaml')]),
    ).rejects.toMatchObject({
      code: 1,
    });
  });
});
