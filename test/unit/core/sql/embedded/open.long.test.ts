// A ledger that can't be opened says why and what to do, whatever the database's own error is.
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeError } from '../../../../../src/cli/lib/describe-error.ts';
import { LedgerError, openPglite, openPostgres } from '../../../../../src/core/sql/database.ts';
import { layCluster } from '../../../../support/postgres/cluster.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-open-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('the embedded ledger', () => {
  it('may be behind a symbolic link', async () => {
    await layCluster(join(dir, 'disk'));
    await symlink(join(dir, 'disk'), join(dir, 'ledger'));
    const db = await openPglite(join(dir, 'ledger'));
    expect(await db.query('select 1 as one')).toEqual([{ one: 1 }]);
    await db.close();
  });

  it.each([
    ['a damaged database', async () => await writeFile(join(dir, 'PG_VERSION'), '')],
    [
      'a file in its place',
      async () => {
        await rm(dir, { recursive: true });
        await writeFile(dir, '');
      },
    ],
  ])('that is %s names the folder and the fix', async (_case, make) => {
    await make();
    await expect(openPglite(dir)).rejects.toThrow(
      /^the ledger in .* can't be opened: .+move that folder away/,
    );
  });
});

// Linux only: a device on which every write finds a full disk.
describe.runIf(existsSync('/dev/full'))('the embedded ledger on a full disk', () => {
  it('says to free space, and not to move its files away', async () => {
    await symlink('/dev/full', join(dir, 'postgresql.conf'));
    const error: unknown = await openPglite(dir).catch((reason: unknown) => reason);
    const { message } = describeError(error);
    expect(message).toContain(`the ledger in ${dir} can't be opened: ENOSPC`);
    expect(message).toContain('Free some space there');
    expect(message).not.toContain('move');
  });

  it('that was opened before names the disk with each refused statement', () => {
    const cause = Object.assign(new Error('could not extend file: No space left on device'), {
      code: '53100',
    });
    expect(new LedgerError(cause, dir).message).toBe(
      `the ledger's database: could not extend file: No space left on device [53100]; free space on the disk of ${dir}`,
    );
  });
});

describe('DATABASE_URL', () => {
  it.each(['nonsense', 'mysql://h/x', 'http://h/x', 'postgres:/x', 'postgres://user:geheim@h:port/x'])(
    '%s is wrong usage, and is not shown',
    async (url) => {
      const error: unknown = await openPostgres(url, () => undefined).catch((reason: unknown) => reason);
      expect(describeError(error)).toEqual({
        exitCode: 2,
        message: 'DATABASE_URL is not a PostgreSQL address; use postgres://user:password@host:5432/database',
      });
    },
  );
});
