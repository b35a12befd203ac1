// Another export takes the place of the file that a sync reads.
import { readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { CSV, firstSyncContext } from './first-sync-context.ts';

const context = firstSyncContext();
const { upload, made } = context;

describe('another export for a sync', () => {
  const NEXT = `E-mail;Nome;Telefone;Cidade
d@mail.example;Dora;+55 11 98765-4329;Recife
`;
  const written = async (): Promise<void> => {
    const { upload: id } = await upload(CSV);
    await context.operator.client.call('POST /uploads/{upload}/sync', made(id));
  };
  const files = async (): Promise<string[]> => (await readdir(join(context.dir, 'data'))).toSorted();
  const replace = async (text: string, sync = 'leads') => {
    const { upload: id } = await upload(text);
    return await context.operator
      .as({ role: 'editor' })
      .call('POST /uploads/{upload}/replace', { upload: id, sync });
  };

  it('takes the place of the file, which stays under a dated name, and says what changed', async () => {
    await written();
    const { upload: id } = await upload(NEXT);
    const changes = { added: ['Cidade'], removed: ['Etapa'], missing: [] };
    expect(
      await context.operator.client.call('POST /uploads/{upload}/compare', { upload: id, sync: 'leads' }),
    ).toMatchObject(changes);
    expect(await readFile(join(context.dir, 'data/leads.csv'), 'utf8')).toBe(CSV);
    const done = await replace(NEXT);
    expect(done).toMatchObject({ export: 'data/leads.csv', columns: changes, active: true });
    expect(await readFile(join(context.dir, 'data/leads.csv'), 'utf8')).toBe(NEXT);
    expect(await files()).toEqual([done.kept, 'leads.csv']);
    expect(await readFile(join(context.dir, 'data', done.kept ?? ''), 'utf8')).toBe(CSV);
  });

  it('leaves the last five files, and files of other names', async () => {
    await written();
    const others = ['leads.2026-01-01.csv', 'leads2.2026-01-01T00-00-00-000Z.csv'];
    for (const name of others) await writeFile(join(context.dir, 'data', name), 'x');
    const kept: string[] = [];
    for (let week = 0; week < 7; week += 1) kept.push((await replace(NEXT)).kept ?? '');
    expect(await files()).toEqual([...others, 'leads.csv', ...kept.slice(-5)].toSorted());
  });

  it.each([
    [
      'without a column of the mapping',
      NEXT.replace('Nome', 'Cliente'),
      'leads',
      'COLUMNS_MISSING',
      '"Nome"; columns found: "E-mail", "Cliente", "Telefone", "Cidade"',
    ],
    [
      'without the column of the number',
      NEXT.replace('Telefone', 'Fone'),
      'leads',
      'COLUMNS_MISSING',
      '"Telefone"; columns',
    ],
    ['without a header', NEXT.split('\n')[1] ?? '', 'leads', 'SOURCE_NO_HEADER', 'looks like a row'],
    [
      'of a sync that the console did not write',
      NEXT,
      'old',
      'NOT_UPLOADED',
      'no file that was uploaded here',
    ],
  ])('%s is refused, and the file stays', async (_, text, sync, code, message) => {
    await written();
    await expect(replace(text, sync)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(await files()).toEqual(['leads.csv']);
    expect(await readFile(join(context.dir, 'data/leads.csv'), 'utf8')).toBe(CSV);
  });

  it('must have the columns of every sync that reads the file', async () => {
    await written();
    const second = `  second: { account: acme, source: leads, mapping: second }\n`;
    const text = await readFile(join(context.dir, 'sluice.yaml'), 'utf8');
    const mapping = `mappings:\n  second: { contact: { number: Telefone, document: Etapa } }\n`;
    await writeFile(
      join(context.dir, 'sluice.yaml'),
      text.replace('syncs:\n', `syncs:\n${second}`).replace('mappings:\n', mapping),
    );
    await context.operator.client.call('POST /configuration/reload', {});
    await expect(replace(NEXT)).rejects.toMatchObject({
      code: 'COLUMNS_MISSING',
      message: expect.stringContaining('"Etapa"'),
    });
  });

  it('waits for a run that reads the file, and not for one that has read it', async () => {
    await written();
    const spec = context.operator.config().spec('leads');
    const { id } = await openRun(context.db, spec);
    await expect(replace(NEXT)).rejects.toMatchObject({ kind: 'conflict', code: 'RUN_READS' });
    await context.db.query(`update runs set status = 'syncing' where id = $1`, [id]);
    expect(await replace(NEXT)).toHaveProperty('kept');
    await context.db.query('delete from runs where id = $1', [id]);
  });

  it('replaces no link, whose file is not the console’s', async () => {
    await written();
    await rename(join(context.dir, 'data/leads.csv'), join(context.dir, 'data/elsewhere.csv'));
    await symlink('elsewhere.csv', join(context.dir, 'data/leads.csv'));
    await expect(replace(NEXT)).rejects.toMatchObject({ code: 'NOT_UPLOADED' });
    expect(await readFile(join(context.dir, 'data/elsewhere.csv'), 'utf8')).toBe(CSV);
    expect(await files()).toEqual(['elsewhere.csv', 'leads.csv']);
  });
});
