// What somebody finds who reads the files of an embedded ledger.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLedger } from '../../../../src/app/ledger/ledger-database.ts';
import {
  createLedgerCipher,
  type LedgerCipher,
  UnknownLedgerKeyError,
} from '../../../../src/core/encryption/cipher.ts';
import { WrongLedgerKeyError } from '../../../../src/core/encryption/known-keys.ts';
import { layCluster } from '../../../support/postgres/cluster.ts';
import { fill, readAll } from './filled.ts';
import { cipherOf, ledgerKey } from './keys.ts';

const CANARY = 'canary-of-a-person';

let stateDir: string;
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'sluice-encrypted-'));
  await layCluster(join(stateDir, 'ledger'));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

const open = (cipher: LedgerCipher | null) => openLedger({ stateDir, cipher, onError: () => undefined });

/** Files of the ledger, its log of writes included, that contain the text. */
async function filesWith(text: string): Promise<string[]> {
  const entries = await readdir(stateDir, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}

describe('the files of an embedded ledger', () => {
  it('contain the content without a key', async () => {
    const db = await open(null);
    await fill(db, CANARY);
    await db.close();
    expect(await filesWith(CANARY)).not.toEqual([]);
  });

  it('do not contain it with a key, and the next process reads it', async () => {
    const db = await open(cipherOf('2026-11'));
    const filled = await fill(db, CANARY);
    await db.close();
    expect(await filesWith(CANARY)).toEqual([]);
    // What the search needs is there.
    expect(await filesWith('Bia')).not.toEqual([]);
    const again = await open(cipherOf('2027-01', '2026-11'));
    expect(await readAll(again, filled)).toMatchObject({ lastMessage: CANARY, file: CANARY });
    await again.close();
    await expect(open(null)).rejects.toThrow(UnknownLedgerKeyError);
    await expect(open(cipherOf('2027-01'))).rejects.toThrow(UnknownLedgerKeyError);
    const wrong = createLedgerCipher([ledgerKey('2027-01'), ledgerKey('2026-11', 'another value')]);
    await expect(open(wrong)).rejects.toThrow(WrongLedgerKeyError);
  });
});
