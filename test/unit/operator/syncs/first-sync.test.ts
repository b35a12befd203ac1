// The guided first sync: an export becomes a sync of the configuration, and nothing of it is lost or shown in clear.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../../../support/until.ts';
import { CSV, firstSyncContext, MAPPING, YAML } from './first-sync-context.ts';

const context = firstSyncContext();
const { upload, made } = context;

describe('an upload', () => {
  it('is recognized, and shows no value in clear', async () => {
    const { recognized, bytes } = await upload(CSV);
    expect(bytes).toBe(Buffer.byteLength(CSV));
    expect(recognized).toMatchObject({ delimiter: ';', header: true });
    expect(recognized.columns.map(({ name }) => name)).toEqual(['Telefone', 'Nome', 'E-mail', 'Etapa']);
    expect(recognized.mapping?.contact.number).toBe('Telefone');
    expect(JSON.stringify(recognized.columns)).not.toMatch(/98765-4321|Canaria|canaria|script|HYPERLINK/);
  });

  it.each([
    ['nothing', ''],
    ['a workbook', 'PK\u0003\u0004…'],
    ['a web page', '<!doctype html><html><form>'],
  ])('of %s is refused', async (_, text) => {
    await expect(upload(text)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('is a private file, deleted when it is asked for', async () => {
    const { upload: id } = await upload(CSV);
    const folder = (await readdir(context.dir)).find((name) => name.startsWith('plans-')) ?? '';
    expect(await readdir(join(context.dir, folder, 'uploads'))).toEqual([`${id}.csv`]);
    await context.operator.client.call('DELETE /uploads/{upload}', { upload: id });
    expect(await readdir(join(context.dir, folder, 'uploads'))).toEqual([]);
    await expect(
      context.operator.client.call('POST /uploads/{upload}/preview', { upload: id, mapping: MAPPING }),
    ).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('is not for viewers, but for editors', async () => {
    const upload = { name: 'x', file: Buffer.from(CSV) };
    await expect(context.operator.as({ role: 'viewer' }).call('POST /uploads', upload)).rejects.toMatchObject(
      {
        kind: 'forbidden',
      },
    );
    expect(await context.operator.as({ role: 'editor' }).call('POST /uploads', upload)).toHaveProperty(
      'upload',
    );
  });
});

describe('a preview', () => {
  it('shows the first rows masked, and counts what would be rejected', async () => {
    const { upload: id } = await upload(CSV);
    const input = { upload: id, mapping: MAPPING };
    const preview = await context.operator.client.call('POST /uploads/{upload}/preview', input);
    expect(preview).toMatchObject({ rows: 3, whole: true, mapped: 2, rejected: 1 });
    expect(preview.problems[0]).toMatchObject({ field: 'contact.number', count: 1, rows: [2] });
    expect(JSON.stringify(preview)).not.toMatch(/987654321|Canaria|canaria@|HYPERLINK|script/);
  });

  it('says the lines of the file, which count empty rows', async () => {
    const { upload: id } = await upload(CSV.replace('none;', '\n;;;\nnone;'));
    const preview = await context.operator.client.call('POST /uploads/{upload}/preview', {
      upload: id,
      mapping: MAPPING,
    });
    expect(preview.problems[0]).toMatchObject({ rows: [2] });
    expect(preview.lines).toEqual({ 1: 2, 2: 5, 3: 6 });
  });

  it('counts broken values for everybody, and shows plain values to operators only, who are audited', async () => {
    const { upload: id } = await upload(CSV.replace('Canaria Silva', 'Jo\ufffdo Canaria'));
    const input = { upload: id, mapping: MAPPING };
    const editor = context.operator.as({ role: 'editor' });
    const masked = await editor.call('POST /uploads/{upload}/preview', input);
    expect(masked).toMatchObject({ garbled: 1 });
    expect(JSON.stringify(masked)).not.toMatch(/Canaria/);
    const plain = { ...input, unmask: true };
    await expect(editor.call('POST /uploads/{upload}/preview', plain)).rejects.toMatchObject({
      kind: 'forbidden',
    });
    const shown = await context.operator
      .as({ role: 'operator' })
      .call('POST /uploads/{upload}/preview', plain);
    expect(shown.records[0]?.record).toMatchObject({ contact: { name: 'Jo\ufffdo Canaria' } });
    const audited = await context.db.query(
      "select outcome from operator_audit where action = 'reveal' order by id",
    );
    expect(audited.slice(-2)).toEqual([{ outcome: 'denied' }, { outcome: 'ok' }]);
  });

  it('of a mapping that cannot be compiled names the problem', async () => {
    const { upload: id } = await upload(CSV);
    const mapping = { contact: { number: '=$(' } };
    await expect(
      context.operator.client.call('POST /uploads/{upload}/preview', { upload: id, mapping }),
    ).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('another encoding', () => {
  // As the spreadsheets of Windows write it.
  const LATIN = Buffer.from('Número;Nome\n+55 11 98765-4321;José\n', 'latin1');
  const add = async () => {
    const { upload: id } = await context.operator.client.call('POST /uploads', {
      name: 'export.csv',
      file: LATIN,
    });
    return id;
  };

  it('is used to recognize the file again, and the file stays', async () => {
    const id = await add();
    const recognize = (encoding: string) =>
      context.operator.client.call('POST /uploads/{upload}/recognize', { upload: id, encoding });
    const found = await recognize('auto');
    expect(found).toMatchObject({ name: 'export.csv', recognized: { encoding: { name: 'windows-1252' } } });
    expect(found.recognized.columns[0]?.name).toBe('Número');
    const other = await recognize('macintosh');
    expect(other.recognized.encoding).toEqual({ name: 'macintosh', confidence: 1 });
    expect(other.recognized.columns[0]?.name).toBe('N˙mero');
    expect(JSON.stringify([found, other])).not.toMatch(/98765-4321|Jos/);
    await expect(recognize('utf-8')).rejects.toMatchObject({ kind: 'invalid', code: 'SOURCE_NO_HEADER' });
    expect((await recognize('auto')).recognized.columns[0]?.name).toBe('Número');
  });

  it.each([
    ['windows-1252', 1],
    ['macintosh', 0],
  ])('is used by the preview: %s maps %i of 1', async (encoding, mapped) => {
    const input = { upload: await add(), mapping: { contact: { number: 'Número' } }, encoding };
    const preview = await context.operator.client.call('POST /uploads/{upload}/preview', input);
    expect(preview).toMatchObject({ rows: 1, mapped });
  });

  it('is written into the source; the recognized one is not', async () => {
    const write = async (sync: string, encoding: string) => {
      const { upload: id } = await upload(CSV);
      await context.operator.client.call('POST /uploads/{upload}/sync', { ...made(id, sync), encoding });
    };
    await write('chosen', 'windows-1252');
    await write('found', 'auto');
    const text = await readFile(join(context.dir, 'sluice.yaml'), 'utf8');
    expect(text.match(/encoding: .*/g)).toEqual(['encoding: windows-1252']);
  });

  it.each(['klingon', 'utf-32'])('%s, which nobody reads, is refused', async (encoding) => {
    const { upload: id } = await upload(CSV);
    await expect(
      context.operator.client.call('POST /uploads/{upload}/recognize', { upload: id, encoding }),
    ).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining('encoding') });
  });
});

describe('a dry run of a mapping that is not in the configuration', () => {
  it('counts people, and changes nothing', async () => {
    const { upload: id } = await upload(CSV);
    const { plan } = await context.operator.client.call('POST /uploads/{upload}/plans', made(id));
    const now = await until('the dry run has ended', async () => {
      const shown = await context.operator.client.call('GET /plans/{plan}', { plan, waitMs: 1000 });
      return shown.state === 'running' ? null : shown;
    });
    expect(now).toMatchObject({ state: 'done', listed: 1, report: { read: 3, create: 2, rejected: 1 } });
    expect(JSON.stringify(now)).not.toMatch(/987654321|Canaria/);
    const { problems, lines, next } = await context.operator.client.call('GET /plans/{plan}/problems', {
      plan,
      limit: 1,
    });
    expect([problems.length, next, lines]).toEqual([1, '1', { 2: 3 }]);
    expect(await context.db.query('select 1 from runs')).toEqual([]);
    const viewer = context.operator.as({ role: 'viewer' });
    await expect(viewer.call('GET /plans/{plan}', { plan })).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

describe('writing the sync', () => {
  it('keeps comments and entries, keeps the export, and needs no restart', async () => {
    const { upload: id } = await upload(CSV);
    const written = await context.operator.client.call('POST /uploads/{upload}/sync', made(id));
    expect(written).toMatchObject({ sync: 'leads', export: 'data/leads.csv', active: true });
    const text = await readFile(join(context.dir, 'sluice.yaml'), 'utf8');
    for (const kept of ['# Accounts of the shop.', '# the main one', '# kept', 'old: { account: acme'])
      expect(text).toContain(kept);
    expect(await readFile(join(context.dir, 'data/leads.csv'), 'utf8')).toBe(CSV);
    expect((await readdir(context.dir)).filter((name) => name.startsWith('.sluice-'))).toEqual([]);
    const { syncs } = await context.operator.client.call('GET /syncs', {});
    expect(syncs.map(({ sync }) => sync)).toEqual(['leads', 'old']);
    expect(() => context.config.spec('leads')).toThrow('there is no sync "leads"');
    expect((await context.config.reload()).spec('leads').account).toBe('acme');
  });

  it.each([
    ['a name that exists', (id: string) => made(id, 'old'), 'conflict'],
    ['an unknown account', (id: string) => ({ ...made(id), account: 'other' }), 'notFound'],
    ['a name with a path', (id: string) => made(id, '../x'), 'invalid'],
    [
      'a mapping of two values',
      (id: string) => ({ ...made(id), mapping: { contact: { number: { path: 'a', const: 'b' } } } }),
      'invalid',
    ],
  ])('refuses %s and leaves every file as it is', async (_, input, kind) => {
    const { upload: id } = await upload(CSV);
    await expect(
      context.operator.client.call('POST /uploads/{upload}/sync', input(id)),
    ).rejects.toMatchObject({
      kind,
    });
    expect(await readFile(join(context.dir, 'sluice.yaml'), 'utf8')).toBe(YAML);
    expect(await readdir(join(context.dir, 'data')).catch(() => [])).toEqual([]);
  });

  it('is refused while the file has an error, and keeps an edit of somebody else', async () => {
    const { upload: id } = await upload(CSV);
    const broken = `${YAML}nonsense: true\n`;
    await writeFile(join(context.dir, 'sluice.yaml'), broken);
    await expect(context.operator.client.call('POST /uploads/{upload}/sync', made(id))).rejects.toMatchObject(
      {
        kind: 'invalid',
        message: expect.stringContaining('nonsense'),
      },
    );
    expect(await readFile(join(context.dir, 'sluice.yaml'), 'utf8')).toBe(broken);
    const edited = YAML.replace('# kept', '# edited');
    await writeFile(join(context.dir, 'sluice.yaml'), edited);
    await context.operator.client.call('POST /uploads/{upload}/sync', made(id));
    expect(await readFile(join(context.dir, 'sluice.yaml'), 'utf8')).toContain('# edited');
  });
});

describe('a file as a source alone', () => {
  const choices = async () =>
    (await context.operator.client.call('GET /campaign-drafts/choices', {})).sources;
  it('is kept beside the configuration, and its columns are offered to campaigns', async () => {
    const { upload: id } = await upload(CSV);
    const input = { upload: id, source: 'list' };
    expect(await context.operator.client.call('POST /uploads/{upload}/source', input)).toMatchObject({
      source: 'list',
      export: 'data/list.csv',
    });
    expect(await readFile(join(context.dir, 'data/list.csv'), 'utf8')).toBe(CSV);
    const { config: written } = await context.config.reload();
    expect(Object.keys(written.sources)).toEqual(['old', 'list']);
    expect(Object.keys(written.syncs)).toEqual(['old']);
    await context.reopen();
    const columns = ['Telefone', 'Nome', 'E-mail', 'Etapa'];
    expect(await choices()).toContainEqual({ source: 'list', type: 'csv', columns });
    await writeFile(join(context.dir, 'data/list.csv'), '+55 11 98765-4321;Canaria\n+55 11 98765-4322;B\n');
    expect(await choices()).toContainEqual({ source: 'list', type: 'csv', columns: [] });
    await rm(join(context.dir, 'data/list.csv'));
    expect(await choices()).toContainEqual({ source: 'list', type: 'csv', columns: [] });
  });

  it('is refused under the name of another source, and for viewers', async () => {
    const { upload: id } = await upload(CSV);
    const input = { upload: id, source: 'old' };
    await expect(context.operator.client.call('POST /uploads/{upload}/source', input)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'NAME_TAKEN',
    });
    expect(await readdir(join(context.dir, 'data'))).toEqual([]);
    await expect(
      context.operator.as({ role: 'viewer' }).call('POST /uploads/{upload}/source', input),
    ).rejects.toMatchObject({ kind: 'forbidden' });
  });
});
