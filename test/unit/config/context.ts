// A folder of its own for each test, and the configuration that most of them begin with.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { ConfigError, formatProblem, type LoadOptions, loadConfig } from '../../../src/config/index.ts';

export const GOOD = `version: 1
accounts:
  acme:
    baseUrl: http://127.0.0.1:4010/wapi
    tokens: [env:ACME_TOKEN]
sources:
  crm: { type: csv, path: data/leads.csv }
mappings:
  people:
    contact: { number: phone, name: [nickname, name] }
syncs:
  leads:
    account: acme
    source: crm
    mapping: people
`;

/** Call it once, at the top of a test file. */
export function configContext() {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sluice-config-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  async function load(text: string, checks: Partial<LoadOptions> = {}) {
    const file = join(dir, 'sluice.yaml');
    await writeFile(file, text);
    return loadConfig(file, { env: { ACME_TOKEN: 'svc_test_a' }, ...checks });
  }

  async function problemsOf(text: string, checks: Omit<LoadOptions, 'env'> = {}): Promise<string[]> {
    const error = await load(text, checks).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(error).toBeInstanceOf(ConfigError);
    const { problems } = error as ConfigError;
    return problems.map((problem) => formatProblem(problem).replaceAll(`${dir}/`, ''));
  }

  return {
    get dir() {
      return dir;
    },
    load,
    problemsOf,
  };
}
