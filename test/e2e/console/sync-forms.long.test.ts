// The forms of syncs in Chromium: another file, a change, the end of a sync, and the guided first sync.
import { describe, expect, it } from 'vitest';
import { checkView } from '../../support/console/pages.ts';
import { syncAnswers } from '../../support/console/sample-syncs.ts';
import type { Answer } from '../../support/console/stub.ts';
import { CSV, prepareSyncs } from '../../support/console/with-syncs.ts';

const withSyncs = prepareSyncs();

describe('another file for a sync', () => {
  const replaced = (over: object = {}) => ({
    sync: 'contacts',
    export: 'data/crm.csv',
    kept: 'crm.2026.csv',
    columns: { found: [], added: [], removed: [], missing: [] },
    active: false,
    ...over,
  });

  it('is compared, replaced, and followed by a dry run', async () => {
    const given: unknown[] = [];
    const answers: Record<string, Answer> = {
      'POST /uploads/u1/replace': (req) => {
        given.push(req.body);
        return replaced();
      },
      'POST /syncs/contacts/plans': () => ({ plan: 'p1' }),
      'GET /plans/p1': () => ({
        plan: 'p1',
        account: 'acme',
        sync: 'contacts',
        state: 'cancelled',
        startedAt: '2026-11-20T06:00:00.000Z',
        read: 0,
        share: null,
        report: null,
        listed: 0,
        error: null,
      }),
    };
    await withSyncs(answers, {}, async ({ page, stub }) => {
      await page.goto(`${stub.url}/syncs?name=contacts`);
      await page.getByRole('button', { name: 'Upload new file' }).click();
      await page.setInputFiles('input[type=file]', CSV);
      await page.getByText('New columns, which the mapping does not use: E-mail').waitFor();
      expect(given).toEqual([]);
      await page.getByRole('button', { name: 'Replace the file and start a dry run' }).click();
      await page.getByText('copy data/crm.csv there').waitFor();
      await page.getByText('The dry run was cancelled.').waitFor();
      expect(given).toEqual([{ sync: 'contacts' }]);
    });
  });

  it('with the same columns is shown as good, not as a warning', async () => {
    const same: Answer = () => ({ found: ['Telefone', 'Nome'], added: [], removed: [], missing: [] });
    await withSyncs({ 'POST /uploads/u1/compare': same }, {}, async ({ page, stub }) => {
      await page.goto(`${stub.url}/syncs?name=contacts&view=replace`);
      await page.setInputFiles('input[type=file]', CSV);
      const found = page.getByText('The columns are those of the file before.');
      await found.waitFor();
      expect(await found.getAttribute('data-tone')).toBe('good');
    });
  });

  it('that lacks a column of the mapping cannot replace it', async () => {
    const compare: Answer = () => ({ found: ['Fone'], added: ['Fone'], removed: [], missing: ['Telefone'] });
    await withSyncs({ 'POST /uploads/u1/compare': compare }, {}, async ({ page, stub }) => {
      await page.goto(`${stub.url}/syncs?name=contacts&view=replace`);
      await page.setInputFiles('input[type=file]', CSV);
      await page.getByRole('alert').getByText('Telefone').waitFor();
      const button = page.getByRole('button', { name: 'Replace the file and start a dry run' });
      expect(await button.isDisabled()).toBe(true);
    });
  });
});

describe('a sync that is changed', () => {
  it('keeps what the form does not show, and its new schedule is put into effect', async () => {
    const given: unknown[] = [];
    const answers: Record<string, Answer> = {
      'PUT /syncs/contacts/definition': (req) => {
        given.push(req.body);
        return { file: 'sluice.yaml', active: true, hash: 'h2', rescheduled: true };
      },
      'POST /schedules/apply': (req) => {
        given.push(req.body);
        return { changes: [] };
      },
    };
    await withSyncs(answers, {}, async ({ page, stub }) => {
      await page.goto(`${stub.url}/syncs?name=contacts`);
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await page.getByLabel('Time', { exact: true }).fill('07:00');
      await page.getByLabel('Name', { exact: true }).selectOption('Nome');
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page.getByText('The schedule is in effect.').waitFor();
      expect(given).toEqual([
        {
          yaml: 'account: acme\nsource: crm\nmapping: crm\nschedule: { cron: "0 7 * * 1" }\n',
          mapping:
            'defaultCountry: BR\ncontact:\n  number: Telefone # of the CRM\n  name: Nome\ntags: [ Etapa, { const: lead } ]\n',
          hash: 'h1',
        },
        { jobs: ['sync'] },
      ]);
    });
  });

  it('runs on weekdays at a time, by cron, or by hand alone', async () => {
    await withSyncs({}, {}, async ({ page, stub }) => {
      await page.goto(`${stub.url}/syncs?name=contacts&view=edit`);
      const runs = page.getByRole('combobox', { name: 'Runs' });
      const days = page.getByRole('group', { name: 'Days' });
      const cron = page.getByLabel('Schedule (cron)');
      await days.getByText('Mon').click();
      await page.getByText('Choose at least one day.').waitFor();
      await days.getByText('Wed').click();
      await days.getByText('Sun').click();
      await page.getByLabel('Time zone of the schedule').selectOption('America/Sao_Paulo');
      await runs.selectOption('Another schedule (cron)');
      expect(await cron.inputValue()).toBe('0 6 * * 0,3');
      await cron.fill('*/5 * * * *');
      expect(await runs.inputValue()).toBe('cron');
      await page.getByRole('tab', { name: 'YAML' }).click();
      const yaml = page.getByRole('textbox', { name: 'Sync contacts' });
      expect(await yaml.inputValue()).toContain('cron: "*/5 * * * *", timeZone: America/Sao_Paulo');
      await page.getByRole('tab', { name: 'Form' }).click();
      await runs.selectOption('Only by hand');
      await page.getByRole('tab', { name: 'YAML' }).click();
      expect(await yaml.inputValue()).not.toContain('schedule');
    });
  });

  it('comes back after a reload and "back" as it was typed, with the version that it began with', async () => {
    const given: unknown[] = [];
    let hash = 'h1';
    const definition = syncAnswers()['GET /syncs/contacts/definition'];
    const answers: Record<string, Answer> = {
      'GET /syncs/contacts/definition': (req, res) => ({ ...(definition?.(req, res) as object), hash }),
      'PUT /syncs/contacts/definition': (req) => {
        given.push(req.body);
        return { file: 'sluice.yaml', active: true, hash: 'h3', rescheduled: false };
      },
    };
    await withSyncs(answers, {}, async ({ page, stub }) => {
      const kept = () => page.evaluate(() => JSON.stringify(sessionStorage));
      await page.goto(`${stub.url}/syncs?name=contacts&view=edit`);
      await page.getByLabel('Time', { exact: true }).fill('07:00');
      await page.getByLabel('Name', { exact: true }).selectOption('Nome');
      // Somebody else changes the file meanwhile.
      hash = 'h2';
      await page.reload();
      await page.getByText('Restored what you typed at').waitFor();
      expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('07:00');
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Nome');
      await page.goto(`${stub.url}/syncs`);
      await page.goBack();
      await page.getByText('Restored what you typed at').waitFor();
      await page.getByRole('button', { name: 'Check and save' }).click();
      await page.getByText('Restored what you typed at').waitFor({ state: 'detached' });
      expect(given).toMatchObject([{ yaml: expect.stringContaining('0 7 * * 1'), hash: 'h1' }]);
      expect(await kept()).not.toContain('sluice:draft');
      await page.getByLabel('Time', { exact: true }).fill('08:00');
      await page.reload();
      await page.getByText('Restored what you typed at').waitFor();
      await page.getByRole('button', { name: 'Start over' }).click();
      expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('06:00');
      expect(await kept()).not.toContain('sluice:draft');
    });
  });

  it('is deleted after the dialog has named what goes and what stays', async () => {
    const given: unknown[] = [];
    const remove: Answer = (req) => {
      given.push(req.body);
      return { file: 'sluice.yaml', active: true, removed: ['syncs.contacts'], kept: null };
    };
    await withSyncs({ 'DELETE /syncs/contacts/definition': remove }, {}, async ({ page, stub }) => {
      await page.goto(`${stub.url}/syncs?name=contacts&view=edit`);
      await page.getByLabel('Time', { exact: true }).fill('07:00');
      await page.getByRole('button', { name: 'Delete sync' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('syncs.contacts, sources.crm').waitFor();
      await dialog.getByText('Its runs and their rows in Sluice').waitFor();
      await dialog.getByText('data/contacts.csv').waitFor();
      await dialog.getByRole('button', { name: 'Delete sync' }).click();
      await page.getByText('The sync contacts is deleted from the configuration.').waitFor();
      expect(given).toEqual([{ hash: 'h1', reason: '' }]);
      // A sync that is later made with this name has nothing of the draft.
      expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('sluice:draft');
    });
  });
});

it('a name that exists is refused while it is typed', async () => {
  await withSyncs({}, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/syncs?view=first`);
    await page.setInputFiles('input[type=file]', CSV);
    const name = page.getByLabel('Name of the sync');
    await name.fill('contacts');
    await page.getByText('There is a sync “contacts”.').waitFor();
    expect(await page.getByRole('button', { name: 'Write to the configuration' }).isDisabled()).toBe(true);
    await name.fill('contacts2');
    await page.getByText('There is a sync').waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Write to the configuration' }).isEnabled()).toBe(true);
  });
});

describe('the guided first sync', () => {
  it('comes back after a reload as it was chosen, and not after starting over', async () => {
    await withSyncs({}, {}, async ({ page, stub }) => {
      await page.goto(`${stub.url}/syncs?view=first`);
      await page.setInputFiles('input[type=file]', CSV);
      await page.getByRole('combobox', { name: 'E-mail', exact: true }).selectOption('');
      await page.getByLabel('Name of the sync').fill('leads');
      await page.reload();
      await page.getByText('Restored what you typed at').waitFor();
      await page.getByText('First rows: 3. Mapped: 2. Rejected: 1.').waitFor();
      expect(await page.getByLabel('Name of the sync').inputValue()).toBe('leads');
      expect(await page.getByRole('combobox', { name: 'E-mail', exact: true }).inputValue()).toBe('');
      // Neither values of the file nor what was recognized in it.
      const kept = await page.evaluate(() => JSON.stringify(sessionStorage));
      expect(kept).toContain('leads');
      expect(kept).not.toMatch(/Ana|Telefone|\u2022/);
      await page.goto(`${stub.url}/syncs`);
      await page.goBack();
      await page.getByText('Restored what you typed at').waitFor();
      await page.getByRole('button', { name: 'Start over' }).click();
      await page.getByText('Restored what you typed at').waitFor({ state: 'detached' });
      await page.getByLabel('Name of the sync').waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('button', { name: 'Choose a file' }).waitFor();
      expect(await page.getByText('Restored what you typed at').count()).toBe(0);
    });
  });

  it.each([
    { scheme: 'light', size: 'desktop' },
    { scheme: 'dark', size: 'phone' },
  ] as const)('reads numbers in the country of their row, in $scheme on a $size', async (options) => {
    await withSyncs({}, options, async ({ page, stub }) => {
      await page.goto(`${stub.url}/syncs?view=first`);
      await page.setInputFiles('input[type=file]', CSV);
      const preview = page.waitForRequest(
        (request) =>
          request.url().endsWith('/uploads/u1/preview') &&
          (request.postData() ?? '').includes('"country":"E-mail"'),
      );
      await page.getByLabel('Country of each number').selectOption('E-mail');
      await preview;
      expect(await page.getByLabel('Country if empty').inputValue()).toBe('BR');
      await page.getByRole('columnheader', { name: 'Read as of' }).waitFor();
      await page.getByRole('cell', { name: 'BR', exact: true }).waitFor();
      await checkView(page, 'first-sync-country', options);
    });
  });

  it('reads the preview again in another encoding, and writes the sync with it', async () => {
    const given: unknown[] = [];
    const answers: Record<string, Answer> = {
      'POST /uploads/u1/sync': (req) => {
        given.push(req.body);
        return { sync: 'contacts', file: 'sluice.yaml', export: 'data/leads.csv', active: true };
      },
    };
    await withSyncs(answers, {}, async ({ page, stub }) => {
      await page.goto(`${stub.url}/syncs?view=first`);
      await page.setInputFiles('input[type=file]', CSV);
      const preview = page.waitForRequest(
        (request) =>
          request.url().endsWith('/uploads/u1/preview') &&
          (request.postDataJSON() as { encoding?: string }).encoding === 'windows-1252',
      );
      await page.getByLabel('Encoding').selectOption('windows-1252');
      await preview;
      await page.getByLabel('Name of the sync').fill('leads');
      await page.getByRole('button', { name: 'Write to the configuration' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Write to the configuration' }).click();
      await page.getByText('The configuration has the sync').waitFor();
      expect(given).toEqual([expect.objectContaining({ sync: 'leads', encoding: 'windows-1252' })]);
      expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('sluice:draft');
    });
  });

  it('says that the upload is gone, and keeps what was chosen for the same file', async () => {
    let isGone = false;
    const gone: Answer = (_, res) => {
      if (isGone) res.status(404);
      return isGone
        ? { error: { kind: 'notFound', code: 'NO_UPLOAD', message: 'the upload was deleted' } }
        : syncAnswers()['POST /uploads/u1/recognize']?.({ body: { encoding: 'auto' } } as never, res);
    };
    const answers = { 'POST /uploads/u1/recognize': gone };
    await withSyncs(answers, {}, async (opened) => {
      const { page, stub, complaints } = opened;
      await page.goto(`${stub.url}/syncs?view=first`);
      await page.setInputFiles('input[type=file]', CSV);
      await page.getByLabel('Name of the sync').fill('leads');
      isGone = true;
      await page.reload();
      await page.getByRole('alert').getByText('keeps uploads for an hour').waitFor();
      isGone = false;
      await page.setInputFiles('input[type=file]', CSV);
      await page.getByLabel('Name of the sync').waitFor();
      expect(await page.getByLabel('Name of the sync').inputValue()).toBe('leads');
      // The browser itself reports the 404.
      (complaints as string[]).length = 0;
    });
  });
});
