// A campaign is written into sluice.yaml: comments stay, nothing invalid is written, and no edit of another is lost.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { OperatorClient } from '../../../../src/operator/client/client.ts';
import type { OperatorError } from '../../../../src/operator/error.ts';
import { operatorContext } from '../../../support/operator/context.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';
import { until } from '../../../support/until.ts';
import { campaignRows, RUN } from '../../jobs/campaigns/store/rows.ts';

const FILE = `# Who we write to.
version: 1
accounts:
  acme: { baseUrl: "http://127.0.0.1:9/wapi", tokens: [env:TOKEN], timeZone: America/Sao_Paulo } # production
campaigns:
  # The old one.
  spring:
    account: acme
    flow: 1 # reactivation
    connection: 1
    audience: [{ from: contacts, tags: [lead] }]
    windows: { days: { mon: ["09:00-18:00"] } }
`;
const NEW = `account: acme
flow: 2 # autumn
connection: 1
audience: [{ from: contacts, tags: [lead] }]
windows: { days: { tue: ["09:00-18:00"] } }
`;

const { db, operator, path, file, reopen } = operatorContext({ yaml: FILE });
const read = (campaign: string) => operator.client.call('GET /campaigns/{campaign}/source', { campaign });
const write = (campaign: string, yaml: string, hash: string) =>
  operator.client.call('PUT /campaigns/{campaign}/source', { campaign, yaml, hash });

it('a new campaign is added, comments stay, and the next plan sees it', async () => {
  const { yaml, hash } = await read('autumn');
  expect(yaml).toBeNull();
  await write('autumn', NEW, hash);
  const text = await readFile(file(), 'utf8');
  for (const comment of [
    '# Who we write to.',
    '# production',
    '# The old one.',
    '# reactivation',
    '# autumn',
  ])
    expect(text).toContain(comment);
  expect(operator.config().campaign('autumn').config.flow).toBe(2);
  expect((await read('autumn')).yaml).toContain('flow: 2 # autumn');
});

it('an edit replaces the campaign alone', async () => {
  const { yaml, hash } = await read('spring');
  await write('spring', (yaml ?? '').replace('flow: 1', 'flow: 9'), hash);
  expect(operator.config().campaign('spring').config.flow).toBe(9);
  const text = await readFile(file(), 'utf8');
  expect(text).toContain('flow: 9 # reactivation');
  expect(text.split('\n').slice(0, 3)).toEqual(FILE.split('\n').slice(0, 3));
});

it('the audit log says which keys an edit changed, and never to what', async () => {
  const logged = async () => {
    const { lines } = await operator.client.call('GET /audit', {
      action: 'PUT /campaigns/{campaign}/source',
    });
    return lines[0]?.details;
  };
  const { yaml, hash } = await read('spring');
  const exclusion = 'exclude: { numbers: ["+5511987654321"] }';
  const edited = `${(yaml ?? '').replace('flow: 1', 'flow: 90210').replace('mon:', 'tue:')}${exclusion}\n`;
  const { hash: next, changed } = await write('spring', edited, hash);
  expect(changed).toEqual(['flow', 'windows.days', 'exclude.numbers']);
  expect((await logged())?.['changed']).toEqual(changed);
  expect(JSON.stringify(await logged())).not.toMatch(/90210|98765|09:00/);

  // A comment, and another order of the keys, change nothing.
  const { account, ...rest } = parse(edited) as Record<string, unknown>;
  await write('spring', `# as JSON\n${JSON.stringify({ ...rest, account })}`, next);
  expect(await logged()).not.toHaveProperty('changed');

  const { hash: none } = await read('autumn');
  expect(await write('autumn', NEW, none)).toMatchObject({ changed: [] });
});

it('of edits at once, by one person and by another, one is written and each other one is refused with its reason', async () => {
  const { hash } = await read('autumn');
  const edit = async (client: OperatorClient) => {
    const written = client.call('PUT /campaigns/{campaign}/source', { campaign: 'autumn', yaml: NEW, hash });
    return await written.then(
      () => 'written',
      ({ kind, code }: OperatorError) => `${kind} ${code}`,
    );
  };
  const bia = operator.as({ identity: 'user:bia', role: 'editor' });
  const mine = Array.from({ length: 15 }, () => edit(operator.client));
  const hers = edit(bia);
  const outcomes = await Promise.all([...mine, hers]);
  expect(outcomes.filter((one) => one === 'written')).toHaveLength(1);
  const reasons = new Set(['written', 'conflict CONFIG_CHANGED', 'tooMany PREVIEWS_LIMITED']);
  expect(outcomes.filter((one) => !reasons.has(one))).toEqual([]);
  // Who sends too many takes no place of others.
  expect(await hers).not.toBe('tooMany PREVIEWS_LIMITED');
  expect((await read('autumn')).yaml).toContain('flow: 2 # autumn');
});

it('edits of six people at once, repeated where they are refused, are all in the file', async () => {
  const edit = async (campaign: string): Promise<void> => {
    const call = operator.as({ identity: `user:${campaign}`, role: 'editor' });
    for (;;) {
      const written = await call
        .call('PUT /campaigns/{campaign}/source', { campaign, yaml: NEW, hash: '', isNew: true })
        .then(
          () => true,
          (error: OperatorError) => {
            if (error.code !== 'CONFIG_CHANGED') throw error;
            return false;
          },
        );
      if (written) return;
    }
  };
  const campaigns = Array.from({ length: 6 }, (_, index) => `wave-${index}`);
  await Promise.all(campaigns.map(edit));
  const { campaigns: kept } = parse(await readFile(file(), 'utf8')) as { campaigns: object };
  expect(Object.keys(kept).sort()).toEqual(['spring', ...campaigns]);
});

it('an edit reads no secret and runs no command: it changes none', async () => {
  const text = FILE.replace('[env:TOKEN]', '["command:touch command-ran"]');
  await writeFile(file(), text);
  await reopen({ env: {}, secretsOf: [] });
  const { hash } = await read('autumn');
  await write('autumn', NEW, hash);
  await expect(stat(path('command-ran'))).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('a campaign with a second person', () => {
  const APPROVAL = 'approval: second-person';
  const careful = FILE.replace('    flow: 1 #', `    ${APPROVAL}\n    flow: 1 #`);
  const refusal = {
    kind: 'forbidden',
    code: 'APPROVAL_LOWERED',
    message: expect.stringContaining('on the machine'),
  };
  /** As the file is on the disk; the process has not loaded it. */
  const save = (text: string) => writeFile(file(), text);
  const load = async () => {
    await emptyLedger(db);
    await reopen();
  };

  it.each<[string, string, (yaml: string) => string]>([
    ['by leaving it out', 'spring', (yaml) => yaml.replace(`${APPROVAL}\n`, '')],
    ['by none', 'spring', (yaml) => yaml.replace(APPROVAL, 'approval: none')],
    [
      'by an alias',
      'spring',
      (yaml) => yaml.replace(APPROVAL, 'approval: &a none').replace('flow: 1', 'flow: 2'),
    ],
    ['by a campaign beside it', 'autumn', () => NEW],
    ['by a campaign that had none, with the same audience', 'winter', () => NEW],
  ])('is not taken away by one person: %s', async (_, name, change) => {
    const text = `${careful}  winter:\n${NEW.replace(/^/gm, '    ').trimEnd()}\n`;
    await save(text);
    await load();
    const { yaml } = await read('spring');
    const { hash } = await read(name);
    await expect(write(name, change(yaml ?? ''), hash)).rejects.toMatchObject(refusal);
    expect(await readFile(file(), 'utf8')).toBe(text);
    expect(operator.config().campaign('spring').config.approval).toBe('second-person');
  });

  it('counts as the file has it, even before the process has loaded it', async () => {
    await save(careful);
    const { yaml, hash } = await read('spring');
    await expect(write('spring', (yaml ?? '').replace(APPROVAL, ''), hash)).rejects.toMatchObject(refusal);
    const { hash: none } = await read('autumn');
    await expect(write('autumn', NEW, none)).rejects.toMatchObject(refusal);
  });

  it('counts as the process has it, even after the file lost it', async () => {
    await save(careful);
    await load();
    await save(FILE);
    const { hash } = await read('autumn');
    await expect(write('autumn', NEW, hash)).rejects.toMatchObject(refusal);
  });

  it('changes in everything else, and campaigns with a second person are added', async () => {
    await save(careful);
    await load();
    const { yaml, hash } = await read('spring');
    const { hash: none } = await read('autumn');
    await write('spring', (yaml ?? '').replace('flow: 1', 'flow: 9'), hash);
    await write('autumn', `${NEW}${APPROVAL}\n`, none);
    expect(operator.config().campaign('autumn').config.approval).toBe('second-person');
  });

  it('is taken away by the file on the machine, and the audit log says so', async () => {
    await save(careful);
    await load();
    await save(FILE);
    await operator.client.call('POST /configuration/reload', {});
    const audit = () => operator.client.call('GET /audit', { action: 'approval removed' });
    await until('the line is written', async () => (await audit()).lines.length > 0);
    expect((await audit()).lines).toMatchObject([
      { identity: null, target: '/campaigns/spring', details: { file: file() }, outcome: 'ok' },
    ]);
  });
});

it('a change elsewhere in the file does not stand in the way', async () => {
  const { yaml, hash } = await read('spring');
  await writeFile(file(), `${FILE}# changed\n`);
  await write('spring', (yaml ?? '').replace('flow: 1', 'flow: 9'), hash);
  const text = await readFile(file(), 'utf8');
  expect(text).toContain('flow: 9');
  expect(text).toContain('# changed');
});

it('a file that is no YAML is named, and not written', async () => {
  const { hash } = await read('spring');
  await writeFile(file(), `${FILE}x: [\n`);
  await expect(read('spring')).rejects.toMatchObject({ kind: 'invalid', code: 'YAML' });
  await expect(write('spring', NEW, hash)).rejects.toMatchObject({ kind: 'invalid', code: 'YAML' });
  expect(await readFile(file(), 'utf8')).toBe(`${FILE}x: [\n`);
});

describe('a copy', () => {
  const add = (campaign: string, yaml: string, hash: string) =>
    operator.client.call('PUT /campaigns/{campaign}/source', { campaign, yaml, hash, isNew: true });

  it('is a campaign of its own, with what the form does not know', async () => {
    const { yaml, hash } = await read('spring');
    await add('copy', yaml ?? '', hash);
    expect(operator.config().campaign('copy').config).toEqual(operator.config().campaign('spring').config);
    expect((await read('copy')).yaml).toContain('# reactivation');
  });

  it('never replaces a campaign', async () => {
    const { hash } = await read('spring');
    await expect(add('spring', NEW, hash)).rejects.toMatchObject({ kind: 'conflict', code: 'NAME_TAKEN' });
    expect(await readFile(file(), 'utf8')).toBe(FILE);
  });
});

describe('a campaign with a schedule', () => {
  const SCHEDULED = `schedule: { cron: "* * * * *" }\n${NEW}`;
  it('is written by operators alone, because the schedule starts it', async () => {
    const { hash } = await read('autumn');
    const put = (role: 'editor' | 'operator', yaml: string) =>
      operator.as({ role }).call('PUT /campaigns/{campaign}/source', { campaign: 'autumn', yaml, hash });
    await expect(put('editor', SCHEDULED)).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'SCHEDULE_STARTS',
    });
    expect(await readFile(file(), 'utf8')).toBe(FILE);
    await put('operator', SCHEDULED);
    expect(operator.config().campaign('autumn')).toMatchObject({
      config: { schedule: { cron: '* * * * *' } },
    });
  });
});

describe('a campaign is deleted', () => {
  const remove = (campaign: string, hash: string, as = operator.client) =>
    as.call('DELETE /campaigns/{campaign}/source', { campaign, hash, reason: 'over' });
  const rows = campaignRows(() => db);
  const load = async (text: string) => {
    await writeFile(file(), text);
    await reopen();
  };

  it('and everything else of the file stays', async () => {
    const { hash } = await read('autumn');
    const { hash: next } = await write('autumn', NEW, hash);
    await remove('autumn', next);
    const text = await readFile(file(), 'utf8');
    expect(parse(text)).toEqual(parse(FILE));
    for (const comment of ['# Who we write to.', '# production', '# The old one.', '# reactivation'])
      expect(text).toContain(comment);
    expect(() => operator.config().campaign('autumn')).toThrow('autumn');
    expect((await operator.client.call('GET /audit', {})).lines).toContainEqual(
      expect.objectContaining({
        action: 'DELETE /campaigns/{campaign}/source',
        target: '/campaigns/autumn/source',
        outcome: 'ok',
        details: { reason: 'over' },
      }),
    );
  });

  it('and its ended runs stay visible', async () => {
    await rows.run(RUN, { state: 'finished' });
    await remove('spring', (await read('spring')).hash);
    const { runs } = await operator.client.call('GET /campaign-runs', {});
    expect(runs).toMatchObject([{ run: RUN, campaign: 'spring' }]);
    expect((await read('spring')).yaml).toBeNull();
  });

  it.each(['planning', 'planned', 'running'] as const)('but not while a run is %s', async (state) => {
    await rows.run(RUN, { state });
    const { hash } = await read('spring');
    await expect(remove('spring', hash)).rejects.toMatchObject({ kind: 'conflict', code: 'RUN_OPEN' });
    expect(await readFile(file(), 'utf8')).toBe(FILE);
  });

  it.each<[string, string, object]>([
    [
      'while it has a schedule',
      FILE.replace('    flow: 1 #', '    schedule: { cron: "0 9 * * 1" }\n    flow: 1 #'),
      { kind: 'conflict', code: 'SCHEDULED' },
    ],
    [
      'if it is the last one with a second person',
      FILE.replace('    flow: 1 #', '    approval: second-person\n    flow: 1 #'),
      { kind: 'forbidden', code: 'APPROVAL_LOWERED' },
    ],
    [
      'while another campaign names it',
      `${FILE}  other:\n${NEW.replace(/^/gm, '    ').trimEnd()}\n    exclude: { campaigns: [spring] }\n`,
      { kind: 'invalid', code: 'CONFIG' },
    ],
  ])('but not %s', async (_, text, refusal) => {
    await load(text);
    await expect(remove('spring', (await read('spring')).hash)).rejects.toMatchObject(refusal);
    expect(await readFile(file(), 'utf8')).toBe(text);
  });

  it('but not over a change of somebody else, one that is missing, or by a viewer', async () => {
    const { hash } = await read('spring');
    await expect(remove('autumn', (await read('autumn')).hash)).rejects.toMatchObject({
      kind: 'notFound',
      code: 'NO_SUCH_CAMPAIGN',
    });
    await expect(remove('spring', hash, operator.as({ role: 'viewer' }))).rejects.toMatchObject({
      kind: 'forbidden',
    });
    await writeFile(file(), FILE.replace('flow: 1', 'flow: 3'));
    await expect(remove('spring', hash)).rejects.toMatchObject({ code: 'CONFIG_CHANGED' });
  });
});

describe('nothing is written', () => {
  afterEach(async () => expect((await readFile(file(), 'utf8')).replace('flow: 3', 'flow: 1')).toBe(FILE));

  it.each<[string, string, string, object]>([
    [
      'that the schema refuses',
      'autumn',
      NEW.replace('connection: 1', 'connection: none'),
      { kind: 'invalid' },
    ],
    ['of an unknown account', 'autumn', NEW.replace('acme', 'nobody'), { kind: 'invalid', code: 'CONFIG' }],
    ['that is no YAML', 'autumn', 'flow: [', { kind: 'invalid', code: 'YAML' }],
    ['that is no mapping', 'autumn', '- 1', { kind: 'invalid', code: 'YAML' }],
    ['under a name that is none', '__proto__', NEW, { kind: 'invalid', code: 'INPUT' }],
    ['under a path', '../x', NEW, { kind: 'invalid', code: 'INPUT' }],
  ])('%s', async (_, name, yaml, refusal) => {
    const { hash } = await read('autumn');
    await expect(write(name, yaml, hash)).rejects.toMatchObject(refusal);
  });

  it('over a change of somebody else', async () => {
    const { hash } = await read('spring');
    await writeFile(file(), FILE.replace('flow: 1', 'flow: 3'));
    await expect(write('spring', NEW, hash)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'CONFIG_CHANGED',
    });
  });

  it('by a viewer', async () => {
    const { hash } = await read('spring');
    const viewer = operator.as({ role: 'viewer' });
    await expect(
      viewer.call('PUT /campaigns/{campaign}/source', { campaign: 'autumn', yaml: NEW, hash }),
    ).rejects.toMatchObject({ kind: 'forbidden' });
  });
});
