// The screen of a person and the settings in Chromium: every kind of entry, reveals, erasure, roles, and no barriers.
import { describe, expect, it } from 'vitest';
import { checkView } from '../../support/console/pages.ts';
import { HOSTILE_NAME } from '../../support/console/sample.ts';
import { person, timeline } from '../../support/console/sample-people.ts';
import { type Answer, loginAnswers } from '../../support/console/stub.ts';
import { prepareConsole } from '../../support/console/with-console.ts';

const PERSON = '/people/acme/p3';

const withConsole = prepareConsole();

const user = {
  name: 'ana',
  displayName: HOSTILE_NAME,
  role: 'admin',
  hasPassword: true,
  hasSecondFactor: false,
  oidcIssuer: null,
  unixUser: null,
  createdAt: '2026-11-01T12:00:00.000Z',
  lastLoginAt: null,
  disabledAt: null,
  approvalWaits: [],
};
const line = {
  id: 9,
  at: '2026-11-23T11:00:00.000Z',
  identity: 'user:ana',
  name: 'ana',
  role: 'admin',
  via: 'session',
  action: 'reveal',
  target: '/people/acme/p3',
  details: { reason: HOSTILE_NAME },
  outcome: 'ok',
};

const ERASED = {
  deleted: { people: 1, calls: 7 },
  anonymized: { campaign_members: 2 },
  optOutKept: true,
  sinkFiles: [{ sink: 'archive', events: 3 }],
  histories: { deleted: 2, left: 1 },
  elsewhere: [
    { place: 'contacts', name: 'acme', ids: [7, 8], note: '' },
    { place: 'kafkaSink', name: HOSTILE_NAME, ids: [], note: '' },
    { place: 'backup', name: null, ids: [], note: '' },
  ],
};

const RETENTION = ['calls', 'events', 'a-kind-of-a-newer-server'].map((kind, n) => ({
  kind,
  setting: `retention.${kind}`,
  keeps: '90d',
  tables: [{ table: kind, bytes: 12_345_678, rows: null }],
  active: n === 1,
  startedAt: line.at,
  endedAt: n === 1 ? null : line.at,
  deleted: n,
  deletedEver: 1234,
  error: n === 2 ? '57014' : null,
}));

const answers = (role: string, more: Readonly<Record<string, Answer>> = {}) =>
  ({
    ...loginAnswers(role),
    'GET /people/acme/p3': ({ query }) => person(query['unmask'] === 'true'),
    'GET /people/acme/p3/timeline': ({ query }) => timeline(query['kind']),
    'GET /temporal': () => ({ workflows: 'https://temporal.example.com/namespaces/default/workflows/' }),
    'GET /accounts': () => ({ accounts: [] }),
    'GET /users': () => ({ users: [user], next: null }),
    'GET /tokens': () => ({ tokens: [], next: null }),
    'GET /sessions': () => ({ sessions: [], next: null }),
    'GET /audit': () => ({ lines: [line], next: null }),
    'GET /doctor': () => ({ report: null }),
    'GET /assumptions': () => ({ assumptions: [] }),
    'GET /retention': () => ({ kinds: RETENTION }),
    'GET /configuration': () => ({
      file: '/etc/sluice.yaml',
      loadedAt: line.at,
      brokenSince: null,
      needsRestart: ['admin.port'],
      changed: true,
      problems: [
        {
          file: '/etc/sluice.yaml',
          line: 2,
          column: 1,
          path: 'accounts',
          message: HOSTILE_NAME,
          hint: 'Add it.',
        },
      ],
      text: 'version: 1\naccounts: {}\n',
      entries: [{ kind: 'sync', name: 'contacts', about: 'export into acme', notes: ['a note'] }],
    }),
    ...more,
  }) satisfies Readonly<Record<string, Answer>>;

describe.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'phone' },
] as const)('in $scheme on a $size', (options) => {
  it('neither a person nor the settings have a serious barrier or are too wide', {
    timeout: 120_000,
  }, async () => {
    await withConsole(answers('admin'), PERSON, options, async ({ page, stub: { url } }) => {
      const check = (name: string) => checkView(page, name, options);
      await page.getByText('The person opted out of campaigns in a reply').waitFor();
      await check('person');
      for (const tab of [
        'configuration',
        'assumptions',
        'doctor',
        'retention',
        'accounts',
        'users',
        'tokens',
        'sessions',
        'audit',
      ]) {
        await page.goto(`${url}/settings?tab=${tab}`);
        await page.getByRole('tabpanel').locator('section').first().waitFor();
        await page.waitForLoadState('networkidle');
        await check(`settings-${tab}`);
      }
      await page.goto(`${url}/settings?tab=users`);
      await page.getByRole('button', { name: 'Add user' }).click();
      await page.getByRole('dialog').getByLabel('Login name').waitFor();
      await check('settings-add-user');
    });
  });
});

it('every kind of entry is a sentence with its links, also one that a newer server sends', async () => {
  await withConsole(answers('admin'), PERSON, {}, async ({ page }) => {
    const list = page.getByRole('list', { name: 'Timeline' });
    await list.waitFor();
    const text = await list.innerText();
    for (const sentence of [
      'Campaign spring excluded the person',
      'POST /v1/contacts was refused with 422 ERR_VALIDATION',
      'No answer came to POST /v1/contacts',
      'Nothing shows whether a write took effect: a new card',
      'Sync contacts could not write the person',
      'An event arrived over site-leads: lead',
      'Opt-outs: by-mail',
    ])
      expect(text).toContain(sentence);
    expect(text).not.toMatch(/\{\{|undefined|entry\./);
    expect(await list.getByRole('link', { name: 'Open in Temporal' }).first().getAttribute('href')).toBe(
      'https://temporal.example.com/namespaces/default/workflows/acme%3Acrm-sync%3Acontacts',
    );
    await page.getByText('API calls', { exact: true }).click();
    await page.getByText('3 entries').waitFor();
    expect(page.url()).toContain('kind=call');
  });
});

it('personal data shows after a click, and an erasure says what it deletes and has deleted', async () => {
  const given = answers('admin', {
    'POST /people/acme/p3/erase': () => ERASED,
  });
  await withConsole(given, PERSON, {}, async ({ page }) => {
    await page.getByRole('heading', { level: 1, name: 'B… V…' }).waitFor();
    await page.getByRole('button', { name: 'Show in plain text' }).click();
    await page.getByText('+5511912345601').waitFor();
    await page.getByRole('button', { name: 'Erase' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 card as Sluice knows it').waitFor();
    const verb = dialog.getByRole('button', { name: 'Erase the person' });
    expect(await verb.isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').fill('request 12 of the data protection officer');
    await verb.click();
    await page.getByRole('heading', { level: 1, name: 'The person is erased' }).waitFor();
    await page.getByText('7 rows').waitFor();
    await page.getByText('The opt-out stays, under a pseudonym.').waitFor();
    await page.getByText('3 events overwritten in the file of the sink archive').waitFor();
    await page.getByText('2 histories deleted in Temporal').waitFor();
    const left = await page
      .locator('section', { hasText: 'Still to do' })
      .getByRole('listitem')
      .allInnerTexts();
    expect(left).toEqual([
      expect.stringContaining('Contacts in the service (acme): 7, 8.'),
      expect.stringContaining('Kafka cannot change records.'),
      'Backups that you made of the database and of files have the person.',
    ]);
  });
});

it('a browser in Portuguese says in Portuguese what is left to do; an opt-out can be asked for', async () => {
  const asked: unknown[] = [];
  const given = answers('admin', {
    'POST /people/acme/p3/erase': ({ body }) => {
      asked.push(body);
      return ERASED;
    },
  });
  await withConsole(given, PERSON, { locale: 'pt-BR' }, async ({ page }) => {
    await page.getByRole('button', { name: 'Apagar' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Tirar também a pessoa das campanhas, para sempre').check();
    await dialog.getByLabel('Motivo').fill('pedido 12');
    await dialog.getByRole('button', { name: 'Apagar a pessoa' }).click();
    const left = page.locator('section', { hasText: 'Ainda a fazer' }).getByRole('listitem');
    await left.first().waitFor();
    expect(await left.allInnerTexts()).toEqual([
      expect.stringContaining('Contatos no serviço (acme): 7, 8.'),
      expect.stringContaining('O Kafka não pode mudar registros.'),
      'Backups que você fez do banco de dados e de arquivos têm a pessoa.',
    ]);
    expect(asked).toEqual([{ optOut: true, reason: 'pedido 12' }]);
  });
});

it('a viewer sees no commands on people, and no users and no audit log', async () => {
  await withConsole(answers('viewer'), PERSON, {}, async ({ page, stub: { url } }) => {
    await page.getByRole('list', { name: 'Timeline' }).waitFor();
    for (const name of ['Show in plain text', 'Export', 'Erase'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    await page.goto(`${url}/settings?tab=audit`);
    await page.getByText('This part is for admins').waitFor();
    expect(await page.getByRole('tab').allInnerTexts()).toEqual([
      'Configuration',
      'Assumptions',
      'Doctor',
      'Retention',
      'Accounts',
      'Access tokens',
      'Sessions',
      'Password',
      'Second factor',
    ]);
  });
});
