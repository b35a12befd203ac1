// A sync is changed and deleted in sluice.yaml: comments stay, nothing invalid is written, and nothing that others use goes.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Role } from '../../../../src/core/endpoint.ts';
import { openRun } from '../../../../src/jobs/sync/store/runs.ts';
import { operatorContext } from '../../../support/operator/context.ts';

const FILE = `# Who we sync.
version: 1
accounts:
  acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: [env:TOKEN] }
sources:
  leads: { type: csv, path: data/leads.csv } # from the console
  crm: { type: csv, path: crm.csv }
mappings:
  leads: # as recognized
    contact: { number: Telefone }
    tags: [{ const: lead }, Etapa]
  shared:
    contact: { number: phone }
syncs:
  leads: { account: acme, source: leads, mapping: leads } # weekly
  one: { account: acme, source: crm, mapping: shared }
  two: { account: acme, source: crm, mapping: shared, schedule: { cron: "0 6 * * *" } }
`;
const CSV = 'Telefone;Nome;Etapa\n+55 11 98765-4321;Canaria Silva;Novo\nnone;Bia;Novo\n';
const LEADS = 'account: acme\nsource: leads\nmapping: leads\n';

const { db, operator, path, file } = operatorContext({
  yaml: FILE,
  files: { 'data/leads.csv': CSV },
  checks: true,
});
const read = (sync: string) => operator.client.call('GET /syncs/{sync}/definition', { sync });
const as = (role: Role) => operator.as({ role });

it('is read with its mapping, its columns, and what a deletion takes along', async () => {
  const found = await read('leads');
  expect(parse(found.yaml ?? '')).toEqual(parse(LEADS));
  expect(found).toMatchObject({
    mapping: { name: 'leads', usedBy: [] },
    columns: ['Telefone', 'Nome', 'Etapa'],
    removal: { entries: ['syncs.leads', 'mappings.leads', 'sources.leads'], export: 'data/leads.csv' },
  });
  expect((await read('one')).mapping?.usedBy).toEqual([{ kind: 'sync', name: 'two' }]);
});

describe('a change', () => {
  const MAPPING = 'contact: { number: Telefone, name: Nome } # with names\n';

  it('of mapping and schedule is in use at once, and comments stay', async () => {
    const { hash } = await read('leads');
    const yaml = `${LEADS}schedule: { cron: "0 6 * * 1" }\n`;
    const input = { sync: 'leads', yaml, mapping: MAPPING, hash };
    const written = await operator.client.call('PUT /syncs/{sync}/definition', input);
    const changed = ['schedule.cron', 'mapping.contact.name', 'mapping.tags'];
    expect(written).toMatchObject({ rescheduled: true, changed });
    const { lines } = await operator.client.call('GET /audit', { action: 'PUT /syncs/{sync}/definition' });
    expect(lines[0]?.details).toEqual({ changed });
    const text = await readFile(file(), 'utf8');
    for (const comment of ['# Who we sync.', '# from the console', '# with names'])
      expect(text).toContain(comment);
    expect(operator.config().spec('leads')).toMatchObject({
      mapping: { contact: { name: 'Nome' } },
      options: { schedule: { cron: '0 6 * * 1' } },
    });
    expect((await read('leads')).hash).toBe(written.hash);
    const again = { ...input, hash: written.hash };
    expect(await operator.client.call('PUT /syncs/{sync}/definition', again)).toMatchObject({
      rescheduled: false,
      changed: [],
    });
  });

  it.each<[string, string, string | null, object]>([
    [
      'a sync that names no mapping',
      LEADS.replace('mapping: leads', 'mapping: nope'),
      null,
      { code: 'CONFIG' },
    ],
    ['a schedule that never comes', `${LEADS}schedule: { cron: "0 0 30 2 *" }`, null, { code: 'CONFIG' }],
    ['a mapping without a number', LEADS, 'contact: { name: Nome }', { code: 'CONFIG' }],
    ['an expression that does not compile', LEADS, 'contact: { number: "=$(" }', { code: 'CONFIG' }],
    ['no YAML', LEADS, 'contact: [', { code: 'YAML', message: expect.stringContaining('the mapping') }],
    ['a list', '- a', null, { code: 'YAML', message: expect.stringContaining('the sync') }],
  ])('to %s is refused, and nothing is written', async (_, yaml, mapping, refusal) => {
    const { hash } = await read('leads');
    const input = { sync: 'leads', yaml, mapping, hash };
    await expect(operator.client.call('PUT /syncs/{sync}/definition', input)).rejects.toMatchObject({
      kind: 'invalid',
      ...refusal,
    });
    expect(await readFile(file(), 'utf8')).toBe(FILE);
  });

  it('of what somebody else changed meanwhile is refused, of the mapping too', async () => {
    const { hash } = await read('leads');
    await writeFile(file(), FILE.replace('number: Telefone', 'number: Nome'));
    const input = { sync: 'leads', yaml: LEADS, mapping: null, hash };
    await expect(operator.client.call('PUT /syncs/{sync}/definition', input)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'CONFIG_CHANGED',
    });
  });

  it.each<[string, Role, string, string, string | null]>([
    ['mapping of a sync', 'editor', 'leads', LEADS, MAPPING],
    ['mapping of a sync with a schedule', 'editor', 'two', '', 'contact: { number: tel }'],
    ['schedule', 'operator', 'leads', `${LEADS}schedule: { cron: "@daily" }`, null],
  ])('of the %s is for the role %s', async (_, role, sync, yaml, mapping) => {
    const { hash, yaml: now } = await read(sync);
    const input = { sync, yaml: yaml || (now ?? ''), mapping, hash };
    expect(await as(role).call('PUT /syncs/{sync}/definition', input)).toHaveProperty('hash');
  });

  it.each<[string, string, string]>([
    ['adds a schedule', 'leads', `${LEADS}schedule: { cron: "@daily" }`],
    ['takes one away', 'two', 'account: acme\nsource: crm\nmapping: shared'],
    [
      'sends a scheduled sync elsewhere',
      'two',
      'account: acme\nsource: crm\nmapping: leads\nschedule: { cron: "0 6 * * *" }',
    ],
  ])('of an editor that %s is refused', async (_, sync, yaml) => {
    const { hash } = await read(sync);
    const input = { sync, yaml, mapping: null, hash };
    await expect(as('editor').call('PUT /syncs/{sync}/definition', input)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'SCHEDULE_STARTS',
    });
    expect(await readFile(file(), 'utf8')).toBe(FILE);
  });

  it('is not for viewers', async () => {
    await expect(as('viewer').call('GET /syncs/{sync}/definition', { sync: 'leads' })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });
});

describe('a deletion', () => {
  const remove = async (sync: string) =>
    await as('editor').call('DELETE /syncs/{sync}/definition', { sync, hash: (await read(sync)).hash });

  it('takes source and mapping of its own along, and sets the file aside', async () => {
    const done = await remove('leads');
    expect(done.removed).toEqual(['syncs.leads', 'mappings.leads', 'sources.leads']);
    const text = await readFile(file(), 'utf8');
    expect(parse(text)).toMatchObject({ sources: { crm: {} }, mappings: { shared: {} }, syncs: { one: {} } });
    expect(text).not.toMatch(/leads/);
    expect(await readdir(path('data'))).toEqual([done.kept]);
    expect(await readFile(join(path('data'), done.kept ?? ''), 'utf8')).toBe(CSV);
    const { taken } = await operator.client.call('GET /sync-names', {});
    expect(taken.map(({ name }) => name)).not.toContain('leads');
  });

  it('leaves what others use', async () => {
    expect((await remove('one')).removed).toEqual(['syncs.one']);
    expect(operator.config().spec('two')).toMatchObject({ mapping: { contact: { number: 'phone' } } });
  });

  it('leaves a file that a campaign reads', async () => {
    const account = 'tokens: [env:TOKEN], timeZone: UTC';
    const campaign = `campaigns:
  spring: { account: acme, flow: 1, connection: 1, audience: [{ from: source, source: leads, number: Telefone }], windows: { days: { mon: ["09:00-18:00"] } } }
`;
    await writeFile(file(), FILE.replace('tokens: [env:TOKEN]', account) + campaign);
    expect((await remove('leads')).removed).toEqual(['syncs.leads', 'mappings.leads']);
    expect(await readdir(path('data'))).toEqual(['leads.csv']);
  });

  it('is refused while a run is open, and its history stays afterwards', async () => {
    const spec = operator.config().spec('leads');
    const { id } = await openRun(db, spec);
    await expect(remove('leads')).rejects.toMatchObject({ kind: 'conflict', code: 'RUN_ACTIVE' });
    expect(await readFile(file(), 'utf8')).toBe(FILE);
    await db.query(`update runs set status = 'finished', finished_at = now() where id = $1`, [id]);
    await remove('leads');
    expect(await db.query('select id from runs where sync = $1', ['leads'])).toEqual([{ id }]);
  });

  it('is refused while the sync has a schedule', async () => {
    await expect(remove('two')).rejects.toMatchObject({ kind: 'conflict', code: 'SCHEDULED' });
    expect(await readFile(file(), 'utf8')).toBe(FILE);
  });

  it('of a sync that others count on by name is refused', async () => {
    const account = 'tokens: [env:TOKEN], timeZone: UTC';
    const campaign = `campaigns:
  spring: { account: acme, flow: 1, connection: 1, audience: [{ from: contacts, createdBy: leads }], windows: { days: { mon: ["09:00-18:00"] } } }
`;
    await writeFile(file(), FILE.replace('tokens: [env:TOKEN]', account) + campaign);
    await expect(remove('leads')).rejects.toMatchObject({ kind: 'invalid', code: 'CONFIG' });
    expect(await readdir(path('data'))).toEqual(['leads.csv']);
  });
});

it('the preview of a mapping reads the file of the sync, and is masked', async () => {
  const mapping = { contact: { number: 'Telefone', name: 'Nome' } };
  const shown = await as('editor').call('POST /syncs/{sync}/preview', { sync: 'leads', mapping });
  expect(shown).toMatchObject({ rows: 2, mapped: 1, rejected: 1 });
  expect(JSON.stringify(shown)).not.toMatch(/987654321|Canaria/);
  await expect(
    as('editor').call('POST /syncs/{sync}/preview', { sync: 'one', mapping }),
  ).rejects.toMatchObject({ kind: 'conflict', code: 'NOT_UPLOADED' });
});

it('names of syncs, sources, mappings and files are taken', async () => {
  await writeFile(join(path('data'), 'left.csv'), CSV);
  await writeFile(join(path('data'), 'left.2026-03-09T07-30-00-000Z.csv'), CSV);
  const { taken } = await as('editor').call('GET /sync-names', {});
  expect(taken).toEqual(
    expect.arrayContaining([
      { name: 'one', kind: 'sync' },
      { name: 'crm', kind: 'source' },
      { name: 'shared', kind: 'mapping' },
      { name: 'left', kind: 'file' },
    ]),
  );
  expect(taken.some(({ name }) => name.includes('.'))).toBe(false);
});
