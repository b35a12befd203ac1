// `sluice doctor` as it is installed, and against a Temporal server and a PostgreSQL that are really there.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openPostgres } from '../../../src/core/sql/database.ts';
import { migrate } from '../../../src/core/sql/migrations/migrations.ts';
import { startPostgres, type TestPostgres } from '../../support/postgres/postgres.ts';
// Brings the type of what the setup provides.
import type {} from '../../support/runner/global-setup.ts';
import { type Clinic, linesOf, openClinic } from '../../unit/app/doctor/clinic.ts';

const MAIN = join(import.meta.dirname, '../../../dist/src/cli/main.js');

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

async function withClinic(
  env: Record<string, string>,
  work: (context: Clinic) => Promise<void>,
): Promise<void> {
  const context = await openClinic({ env });
  try {
    await work(context);
  } finally {
    await context.close();
  }
}

describe('sluice doctor', () => {
  it('asks the server for its version and namespace', async () => {
    await withClinic({ TEMPORAL_ADDRESS: inject('temporalAddress') }, async (context) => {
      const visited = await context.visit();
      expect(visited.exitCode).toBe(0);
      const ok = linesOf(visited, 'ok').join('\n');
      expect(ok).toMatch(/TEMPORAL_ADDRESS \S+ is version 1\.\d+\.\d+/);
      expect(ok).toContain('its namespace "default" answers');
    });
  });

  it('a namespace that is not there is a problem of its own, with exit code 1', async () => {
    await withClinic(
      { TEMPORAL_ADDRESS: inject('temporalAddress'), TEMPORAL_NAMESPACE: 'nowhere' },
      async (context) => {
        const visited = await context.visit();
        expect(visited.exitCode).toBe(1);
        expect(linesOf(visited, 'problem').join('\n')).toContain('TEMPORAL_NAMESPACE');
      },
    );
  });

  it('distinguishes a database without tables from one with the ledger, and creates none', async () => {
    await withClinic({ DATABASE_URL: postgres.url }, async (context) => {
      expect(linesOf(await context.visit(), 'ok').join('\n')).toMatch(
        /PostgreSQL \d+.*; its tables are made at the first/,
      );
      expect(linesOf(await context.visit(), 'ok').join('\n')).toContain(
        'its tables are made at the first start',
      );
      const db = await openPostgres(postgres.url, () => undefined);
      await migrate(db);
      await db.close();
      expect(linesOf(await context.visit(), 'ok').join('\n')).toMatch(/the ledger is at version \d+/);
    });
  });

  it('a password that the database refuses ends with 4, and is not shown', async () => {
    const url = new URL(postgres.url);
    url.password = 'SECRET';
    await withClinic({ DATABASE_URL: url.href }, async (context) => {
      const visited = await context.visit();
      // A server that trusts its own host asks for no password.
      expect([0, 4]).toContain(visited.exitCode);
      expect(visited.output).not.toContain('SECRET');
    });
  });

  it('is a command of the installed program: JSON on stdout, the exit code of what it found', async () => {
    await withClinic({ ACME_TOKEN: 'svc_test_revoked' }, async (context) => {
      const run = promisify(execFile)(
        process.execPath,
        [MAIN, 'doctor', '--config', context.file, '--state', context.dir, '--json'],
        { env: { ...process.env, ...context.env } },
      );
      const failed = (await run.catch((error: unknown) => error)) as { code: number; stdout: string };
      expect(failed.code).toBe(4);
      expect(JSON.parse(failed.stdout)).toMatchObject({ verdict: 'auth', summary: { problems: 1 } });
    });
  });
});
