// The guided first sync: an export becomes a sync of the configuration, and nothing of it is lost or shown in clear.
import { mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_CHECKS } from '../../../../src/app/config-checks.ts';
import { type LoadedConfig, loadConfig } from '../../../../src/config/load.ts';
import { type Database, openPglite } from '../../../../src/core/sql/database.ts';
import { migrate } from '../../../../src/core/sql/migrations/migrations.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import type { Input } from '../../../../src/operator/contract/index.ts';
import { openTestOperator, type TestOperator } from '../../../support/operator.ts';
import { layCluster } from '../../../support/postgres/cluster.ts';
import { until } from '../../../support/until.ts';

const YAML = `# Accounts of the shop.
version: 1
accounts:
  acme: # the main one
    baseUrl: http://127.0.0.1:9/wapi
    tokens: [env:TOKEN]

sources:
  old: { type: csv, path: old.csv } # kept
mappings:
  old:
    contact: { number: phone }
syncs:
  old: { account: acme, source: old, mapping: old }
`;
const CSV = `Telefone;Nome;E-mail;Etapa
+55 11 98765-4321;Canaria Silva;canaria@mail.example;Novo
none;<script>alert(1)</script>;x;Novo
+55 11 98765-4322;=HYPERLINK("http://evil");b@mail.example;Ganho
`;
const MAPPING = { defaultCountry: 'BR', contact: { number: 'Telefone', name: 'Nome', email: 'E-mail' } };

let dir: string;
let db: Database;
let config: LoadedConfig;
let operator: TestOperator;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-first-'));
  await layCluster(join(dir, 'ledger'));
  db = await openPglite(join(dir, 'ledger'));
  await migrate(db);
});
beforeEach(async () => {
  await operator?.close();
  await rm(join(dir, 'data'), { recursive: true, force: true });
  await writeFile(join(dir, 'sluice.yaml'), YAML);
  config = await loadConfig(join(dir, 'sluice.yaml'), { env: {}, ...CONFIG_CHECKS });
  operator = await openTestOperator({ db, temporal: null, config, stateDir: dir });
});
afterAll(async () => {
  await operator.close();
  await db.close();
  await rm(dir, { recursive: true, force: true });
});

const upload = async (text: string, name = 'export.csv') =>
  await operator.client.call('POST /uploads', { name, file: Buffer.from(text) });
const made = (id: string, sync = 'leads'): Input<'POST /uploads/{upload}/sync'> => ({
  upload: id,
  account: 'acme',
  sync,
  mapping: MAPPING,
});

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
    const folder = (await readdir(dir)).find((name) => name.startsWith('plans-')) ?? '';
    expect(await readdir(join(dir, folder, 'uploads'))).toEqual([`${id}.csv`]);
    await operator.client.call('DELETE /uploads/{upload}', { upload: id });
    expect(await readdir(join(dir, folder, 'uploads'))).toEqual([]);
    await expect(
      operator.client.call('POST /uploads/{upload}/preview', { upload: id, mapping: MAPPING }),
    ).rejects.toMatchObject({ kind: 'notFound' });
  });

  it('is not for viewers, but for editors', async () => {
    const upload = { name: 'x', file: Buffer.from(CSV) };
    await expect(operator.as({ role: 'viewer' }).call('POST /uploads', upload)).rejects.toMatchObject({
      kind: 'forbidden',
    });
    expect(await operator.as({ role: 'editor' }).call('POST /uploads', upload)).toHaveProperty('upload');
  });
});

describe('a preview', () => {
  it('shows the first rows masked, and counts what would be rejected', async () => {
    const { upload: id } = await upload(CSV);
    const input = { upload: id, mapping: MAPPING };
    const preview = await operator.client.call('POST /uploads/{upload}/preview', input);
    expect(preview).toMatchObject({ rows: 3, whole: true, mapped: 2, rejected: 1 });
    expect(preview.problems[0]).toMatchObject({ field: 'contact.number', count: 1, rows: [2] });
    expect(JSON.stringify(preview)).not.toMatch(/987654321|Canaria|canaria@|HYPERLINK|script/);
  });

  it('counts broken values for everybody, and shows plain values to operators only, who are audited', async () => {
    const { upload: id } = await upload(CSV.replace('Canaria Silva', 'Jo\ufffdo Canaria'));
    const input = { upload: id, mapping: MAPPING };
    const editor = operator.as({ role: 'editor' });
    const masked = await editor.call('POST /uploads/{upload}/preview', input);
    expect(masked).toMatchObject({ garbled: 1 });
    expect(JSON.stringify(masked)).not.toMatch(/Canaria/);
    const plain = { ...input, unmask: true };
    await expect(editor.call('POST /uploads/{upload}/preview', plain)).rejects.toMatchObject({
      kind: 'forbidden',
    });
    const shown = await operator.as({ role: 'operator' }).call('POST /uploads/{upload}/preview', plain);
    expect(shown.records[0]?.record).toMatchObject({ contact: { name: 'Jo\ufffdo Canaria' } });
    const audited = await db.query("select outcome from operator_audit where action = 'reveal' order by id");
    expect(audited.slice(-2)).toEqual([{ outcome: 'denied' }, { outcome: 'ok' }]);
  });

  it('of a mapping that cannot be compiled names the problem', async () => {
    const { upload: id } = await upload(CSV);
    const mapping = { contact: { number: '=$(' } };
    await expect(
      operator.client.call('POST /uploads/{upload}/preview', { upload: id, mapping }),
    ).rejects.toMatchObject({ kind: 'invalid' });
  });
});

describe('another encoding', () => {
  // As the spreadsheets of Windows write it.
  const LATIN = Buffer.from('Número;Nome\n+55 11 98765-4321;José\n', 'latin1');
  const add = async () => {
    const { upload: id } = await operator.client.call('POST /uploads', { name: 'export.csv', file: LATIN });
    return id;
  };

  it('is used to recognize the file again, and the file stays', async () => {
    const id = await add();
    const recognize = (encoding: string) =>
      operator.client.call('POST /uploads/{upload}/recognize', { upload: id, encoding });
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
    const preview = await operator.client.call('POST /uploads/{upload}/preview', input);
    expect(preview).toMatchObject({ rows: 1, mapped });
  });

  it('is written into the source; the recognized one is not', async () => {
    const write = async (sync: string, encoding: string) => {
      const { upload: id } = await upload(CSV);
      await operator.client.call('POST /uploads/{upload}/sync', { ...made(id, sync), encoding });
    };
    await write('chosen', 'windows-1252');
    await write('found', 'auto');
    const text = await readFile(join(dir, 'sluice.yaml'), 'utf8');
    expect(text.match(/encoding: .*/g)).toEqual(['encoding: windows-1252']);
  });

  it.each(['klingon', 'utf-32'])('%s, which nobody reads, is refused', async (encoding) => {
    const { upload: id } = await upload(CSV);
    await expect(
      operator.client.call('POST /uploads/{upload}/recognize', { upload: id, encoding }),
    ).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining('encoding') });
  });
});

describe('a dry run of a mapping that is not in the configuration', () => {
  it('counts people, and changes nothing', async () => {
    const { upload: id } = await upload(CSV);
    const { plan } = await operator.client.call('POST /uploads/{upload}/plans', made(id));
    const now = await until('the dry run has ended', async () => {
      const shown = await operator.client.call('GET /plans/{plan}', { plan, waitMs: 1000 });
      return shown.state === 'running' ? null : shown;
    });
    expect(now).toMatchObject({ state: 'done', listed: 1, report: { read: 3, create: 2, rejected: 1 } });
    expect(JSON.stringify(now)).not.toMatch(/987654321|Canaria/);
    const { problems, next } = await operator.client.call('GET /plans/{plan}/problems', { plan, limit: 1 });
    expect([problems.length, next]).toEqual([1, '1']);
    expect(await db.query('select 1 from runs')).toEqual([]);
    const viewer = operator.as({ role: 'viewer' });
    await expect(viewer.call('GET /plans/{plan}', { plan })).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

describe('writing the sync', () => {
  it('keeps comments and entries, keeps the export, and needs no restart', async () => {
    const { upload: id } = await upload(CSV);
    const written = await operator.client.call('POST /uploads/{upload}/sync', made(id));
    expect(written).toMatchObject({ sync: 'leads', export: 'data/leads.csv', active: true });
    const text = await readFile(join(dir, 'sluice.yaml'), 'utf8');
    for (const kept of ['# Accounts of the shop.', '# the main one', '# kept', 'old: { account: acme'])
      expect(text).toContain(kept);
    expect(await readFile(join(dir, 'data/leads.csv'), 'utf8')).toBe(CSV);
    expect((await readdir(dir)).filter((name) => name.startsWith('.sluice-'))).toEqual([]);
    const { syncs } = await operator.client.call('GET /syncs', {});
    expect(syncs.map(({ sync }) => sync)).toEqual(['leads', 'old']);
    expect(() => config.spec('leads')).toThrow('there is no sync "leads"');
    expect((await config.reload()).spec('leads').account).toBe('acme');
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
    await expect(operator.client.call('POST /uploads/{upload}/sync', input(id))).rejects.toMatchObject({
      kind,
    });
    expect(await readFile(join(dir, 'sluice.yaml'), 'utf8')).toBe(YAML);
    expect(await readdir(join(dir, 'data')).catch(() => [])).toEqual([]);
  });

  it('is refused while the file has an error, and keeps an edit of somebody else', async () => {
    const { upload: id } = await upload(CSV);
    const broken = `${YAML}nonsense: true\n`;
    await writeFile(join(dir, 'sluice.yaml'), broken);
    await expect(operator.client.call('POST /uploads/{upload}/sync', made(id))).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('nonsense'),
    });
    expect(await readFile(join(dir, 'sluice.yaml'), 'utf8')).toBe(broken);
    const edited = YAML.replace('# kept', '# edited');
    await writeFile(join(dir, 'sluice.yaml'), edited);
    await operator.client.call('POST /uploads/{upload}/sync', made(id));
    expect(await readFile(join(dir, 'sluice.yaml'), 'utf8')).toContain('# edited');
  });
});

describe('a file as a source alone', () => {
  const choices = async () => (await operator.client.call('GET /campaign-drafts/choices', {})).sources;
  it('is kept beside the configuration, and its columns are offered to campaigns', async () => {
    const { upload: id } = await upload(CSV);
    const input = { upload: id, source: 'list' };
    expect(await operator.client.call('POST /uploads/{upload}/source', input)).toMatchObject({
      source: 'list',
      export: 'data/list.csv',
    });
    expect(await readFile(join(dir, 'data/list.csv'), 'utf8')).toBe(CSV);
    const { config: written } = await config.reload();
    expect(Object.keys(written.sources)).toEqual(['old', 'list']);
    expect(Object.keys(written.syncs)).toEqual(['old']);
    config = await config.reload();
    await operator.close();
    operator = await openTestOperator({ db, temporal: null, config, stateDir: dir });
    const columns = ['Telefone', 'Nome', 'E-mail', 'Etapa'];
    expect(await choices()).toContainEqual({ source: 'list', type: 'csv', columns });
    await writeFile(join(dir, 'data/list.csv'), '+55 11 98765-4321;Canaria\n+55 11 98765-4322;B\n');
    expect(await choices()).toContainEqual({ source: 'list', type: 'csv', columns: [] });
    await rm(join(dir, 'data/list.csv'));
    expect(await choices()).toContainEqual({ source: 'list', type: 'csv', columns: [] });
  });

  it('is refused under the name of another source, and for viewers', async () => {
    const { upload: id } = await upload(CSV);
    const input = { upload: id, source: 'old' };
    await expect(operator.client.call('POST /uploads/{upload}/source', input)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'NAME_TAKEN',
    });
    expect(await readdir(join(dir, 'data'))).toEqual([]);
    await expect(
      operator.as({ role: 'viewer' }).call('POST /uploads/{upload}/source', input),
    ).rejects.toMatchObject({ kind: 'forbidden' });
  });
});

describe('another export for a sync', () => {
  const NEXT = `E-mail;Nome;Telefone;Cidade
d@mail.example;Dora;+55 11 98765-4329;Recife
`;
  const written = async (): Promise<void> => {
    const { upload: id } = await upload(CSV);
    await operator.client.call('POST /uploads/{upload}/sync', made(id));
  };
  const files = async (): Promise<string[]> => (await readdir(join(dir, 'data'))).toSorted();
  const replace = async (text: string, sync = 'leads') => {
    const { upload: id } = await upload(text);
    return await operator.as({ role: 'editor' }).call('POST /uploads/{upload}/replace', { upload: id, sync });
  };

  it('takes the place of the file, which stays under a dated name, and says what changed', async () => {
    await written();
    const { upload: id } = await upload(NEXT);
    const changes = { added: ['Cidade'], removed: ['Etapa'], missing: [] };
    expect(
      await operator.client.call('POST /uploads/{upload}/compare', { upload: id, sync: 'leads' }),
    ).toMatchObject(changes);
    expect(await readFile(join(dir, 'data/leads.csv'), 'utf8')).toBe(CSV);
    const done = await replace(NEXT);
    expect(done).toMatchObject({ export: 'data/leads.csv', columns: changes, active: true });
    expect(await readFile(join(dir, 'data/leads.csv'), 'utf8')).toBe(NEXT);
    expect(await files()).toEqual([done.kept, 'leads.csv']);
    expect(await readFile(join(dir, 'data', done.kept ?? ''), 'utf8')).toBe(CSV);
  });

  it('leaves the last five files, and files of other names', async () => {
    await written();
    const others = ['leads.2026-01-01.csv', 'leads2.2026-01-01T00-00-00-000Z.csv'];
    for (const name of others) await writeFile(join(dir, 'data', name), 'x');
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
    expect(await readFile(join(dir, 'data/leads.csv'), 'utf8')).toBe(CSV);
  });

  it('must have the columns of every sync that reads the file', async () => {
    await written();
    const second = `  second: { account: acme, source: leads, mapping: second }\n`;
    const text = await readFile(join(dir, 'sluice.yaml'), 'utf8');
    const mapping = `mappings:\n  second: { contact: { number: Telefone, document: Etapa } }\n`;
    await writeFile(
      join(dir, 'sluice.yaml'),
      text.replace('syncs:\n', `syncs:\n${second}`).replace('mappings:\n', mapping),
    );
    await operator.client.call('POST /configuration/reload', {});
    await expect(replace(NEXT)).rejects.toMatchObject({
      code: 'COLUMNS_MISSING',
      message: expect.stringContaining('"Etapa"'),
    });
  });

  it('waits for a run that reads the file, and not for one that has read it', async () => {
    await written();
    const spec = operator.config().spec('leads');
    const { id } = await openRun(db, spec);
    await expect(replace(NEXT)).rejects.toMatchObject({ kind: 'conflict', code: 'RUN_READS' });
    await db.query(`update runs set status = 'syncing' where id = $1`, [id]);
    expect(await replace(NEXT)).toHaveProperty('kept');
    await db.query('delete from runs where id = $1', [id]);
  });

  it('replaces no link, whose file is not the console’s', async () => {
    await written();
    await rename(join(dir, 'data/leads.csv'), join(dir, 'data/elsewhere.csv'));
    await symlink('elsewhere.csv', join(dir, 'data/leads.csv'));
    await expect(replace(NEXT)).rejects.toMatchObject({ code: 'NOT_UPLOADED' });
    expect(await readFile(join(dir, 'data/elsewhere.csv'), 'utf8')).toBe(CSV);
    expect(await files()).toEqual(['elsewhere.csv', 'leads.csv']);
  });
});
