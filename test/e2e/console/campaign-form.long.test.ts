// The form of a campaign in Chromium: the form and the YAML edit one draft, the count follows, and what is saved keeps
// what the form does not know.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { checkView } from '../../support/console/pages.ts';
import { campaignForm } from './campaign-form-context.ts';

const form = campaignForm();
const { withPage } = form;

it('the count follows the form, and what is saved keeps comments and other keys', {
  timeout: 90_000,
}, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${form.url}/campaigns?campaign=spring`);
    await page.getByText('2 people', { exact: true }).first().waitFor();
    for (const reason of [
      'A variable of the flow is empty',
      'An excluded number',
      'The number is not a phone number',
    ])
      await page.getByRole('list', { name: 'Excluded, by reason' }).getByText(reason).waitFor();
    expect(await page.getByLabel('Members per wave').inputValue()).toBe('50, 100');

    await page.getByLabel('Phone numbers', { exact: true }).fill('');
    await page.getByText('3 people', { exact: true }).first().waitFor();
    await page.getByLabel('More failed than').fill('10');
    const wednesday = page.getByRole('group', { name: 'Wednesday' });
    const hours = (number: number, end: string) =>
      wednesday.getByLabel(`Wednesday, hours ${number}: ${end}`, { exact: true });
    const addHours = wednesday.getByRole('button', { name: 'Add hours' });
    await addHours.click();
    await hours(1, 'from').fill('08:00');
    await hours(1, 'to').fill('12:00');
    await addHours.click();
    await wednesday.getByText('Choose both times').waitFor();
    expect(await hours(2, 'to').getAttribute('aria-invalid')).toBe('true');
    await hours(2, 'from').fill('14:00');
    await hours(2, 'until 24:00').check();
    expect(await hours(2, 'to').inputValue()).toBe('24:00');
    await wednesday.getByText('Choose both times').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Tuesday: remove hours 1' }).click();
    const holidays = page.getByRole('group', { name: 'Days off' });
    for (const [n, day] of ['2026-12-25', '2026-12-31'].entries()) {
      await holidays.getByRole('button', { name: 'Add a day' }).click();
      await holidays.getByLabel(`Holiday ${n + 1}`, { exact: true }).fill(day);
    }
    await holidays.getByLabel('every year').first().check();
    await page.getByLabel('First trigger not before').fill('2099-12-01T09:00');
    await page.getByText('Time zone of the account: America/Sao_Paulo.').first().waitFor();

    await page.getByLabel('Time between waves').fill('soon');
    const field = page.getByLabel('Time between waves');
    await expect.poll(() => field.getAttribute('aria-invalid'), { timeout: 10_000 }).toBe('true');
    await field.fill('1h');

    await page.getByRole('tab', { name: 'YAML' }).click();
    const yaml = page.getByRole('textbox', { name: /Its part of/ });
    const text = await yaml.inputValue();
    expect(text).toContain('# the form does not know it');
    expect(text).not.toContain('exclude');
    await yaml.fill(text.replace('flow: 7', 'flow: 8'));
    await page.getByRole('tab', { name: 'Form' }).click();
    expect(await page.getByLabel('Flow', { exact: true }).inputValue()).toBe('8');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The campaign is saved.').waitFor();
  });
  const saved = await readFile(join(form.dir, 'sluice.yaml'), 'utf8');
  for (const kept of [
    'flow: 8 # reactivation',
    '# from the shop',
    'retryAfter: 2h',
    'every: 1h',
    'failed: 0.1',
  ])
    expect(saved).toContain(kept);
  expect(
    (await loadConfig(join(form.dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_form' } })).campaign('spring')
      .config,
  ).toMatchObject({
    start: '2099-12-01T09:00:00-03:00',
    windows: {
      days: { mon: ['09:00-18:00'], tue: ['13:00-18:00'], wed: ['08:00-12:00', '14:00-24:00'] },
      holidays: ['12-25', '2026-12-31'],
    },
    waves: { canary: 20, size: [50, 100], every: '1h' },
    stop: { failed: 0.1 },
  });
});

it('a mistake stands at its field alone, in the language of the page, and elsewhere when no field is shown', {
  timeout: 90_000,
}, async () => {
  await withPage({ locale: 'pt-BR' }, async (page) => {
    await page.goto(`${form.url}/campaigns?campaign=spring`);
    const field = page.getByLabel('Tempo entre ondas');
    await field.fill('soon');
    const sentence = page.getByText('Escreva um número e uma unidade: 30s, 5m, 2h, 1d.');
    await sentence.waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await sentence.count()).toBe(1);
    expect(await page.getByText('waves.every').count()).toBe(0);
    const refused = page.waitForResponse((response) => response.request().method() === 'PUT');
    await page.getByRole('button', { name: 'Salvar' }).click();
    await refused;
    expect(await sentence.count()).toBe(1);
    expect(await page.getByText(/write a number and a unit/).count()).toBe(0);
    await page.getByRole('tab', { name: 'YAML' }).click();
    await page.getByText('waves.every').first().waitFor();
  });
});

it('every variable is in the form, and shows what real people would get', {
  timeout: 90_000,
}, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${form.url}/campaigns?campaign=spring`);
    const preview = page.getByRole('region', { name: 'What real people would get' });
    await preview.getByText('+55 11 9••••-0001').waitFor();
    await page.getByText('“name” has no value for 1 of the 5 people read.').waitFor();

    // The flow wants `nome`.
    await page.getByRole('button', { name: 'Remove name' }).click();
    await page.getByText('The flow gets no variables.').waitFor();
    await page.getByRole('textbox', { name: 'Name in the flow' }).fill('nome');
    await page.getByRole('button', { name: 'Add a variable' }).click();
    const nome = page.getByRole('group', { name: 'nome' });
    await nome.getByLabel('Field or column').fill('name');
    await nome.getByLabel('If it is empty').fill('cliente');
    await page.getByRole('button', { name: 'Show these values' }).click();
    await preview.getByText('Bia').waitFor();
    await preview.getByText('cliente').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The campaign is saved.').waitFor();
  });
  const saved = await loadConfig(join(form.dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_form' } });
  expect(saved.campaign('spring').config.variables).toEqual({ nome: { path: 'name', default: 'cliente' } });
});

it('a file that is uploaded becomes the audience, and its columns can be variables', {
  timeout: 90_000,
}, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${form.url}/campaigns?campaign=spring`);
    await page.setInputFiles('input[type=file]', {
      name: 'Volta às aulas.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Celular;Nome do aluno\n(11) 98765-0011;Eva\n(11) 98765-0012;Lia\n'),
    });
    await page.getByText('Columns: Celular, Nome do aluno.').waitFor();
    expect(await page.getByLabel('Name of the source').inputValue()).toBe('volta-as-aulas');
    await checkView(page, 'campaign-file', {});
    await page.getByRole('button', { name: 'Use this file' }).click();
    await page.getByText('The file is kept as data/volta-as-aulas.csv').waitFor();
    await page.getByLabel('Column of the phone number').waitFor();
    expect(await page.getByLabel('Column of the phone number').inputValue()).toBe('Celular');
    await page.getByRole('group', { name: 'name' }).getByLabel('Field or column').fill('Nome do aluno');
    await page.getByText('2 people', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The campaign is saved.').waitFor();
  });
  const saved = await loadConfig(join(form.dir, 'sluice.yaml'), { env: { TOKEN: 'svc_test_form' } });
  expect(saved.campaign('spring').config).toMatchObject({
    audience: [{ from: 'source', source: 'volta-as-aulas', number: 'Celular' }],
    variables: { name: 'Nome do aluno' },
  });
});

it('a campaign is cloned under a new name, and the copy is deleted', { timeout: 90_000 }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${form.url}/campaigns?campaign=spring`);
    await page.getByRole('button', { name: 'Clone' }).click();
    await page.getByRole('heading', { name: 'Copy of spring' }).waitFor();
    expect(await page.getByLabel('Members per wave').inputValue()).toBe('50, 100');
    const name = page.getByLabel('Name', { exact: true });
    await name.fill('summer');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Edit the campaign' }).waitFor();
    expect(await readFile(join(form.dir, 'sluice.yaml'), 'utf8')).toContain('summer:');

    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByText('deleting is archiving').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The campaign summer is deleted.').waitFor();
  });
  const text = await readFile(join(form.dir, 'sluice.yaml'), 'utf8');
  expect(text).not.toContain('summer');
  expect(text).toContain('# the form does not know it');
});

it('on a phone, the bar below the form covers no field that has the focus', { timeout: 90_000 }, async () => {
  await withPage({ size: 'phone' }, async (page) => {
    await page.goto(`${form.url}/campaigns?campaign=spring`);
    await page.locator('[data-old="false"]').waitFor();
    const covered = await page.evaluate(`
      [...document.querySelectorAll('[role=tabpanel] :is(input:not([type=file], [type=checkbox]), select)')]
        .flatMap((field) => {
          scrollTo(0, 0);
          field.focus();
          const { left, width, bottom } = field.getBoundingClientRect();
          const above = document.elementFromPoint(left + width / 2, bottom - 2);
          return field.contains(above) ? [] : [field.outerHTML];
        })`);
    expect(covered).toEqual([]);
  });
});

it.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'phone', locale: 'pt-BR' },
] as const)(
  'in $scheme on a $size it has no serious barrier and fits',
  { timeout: 90_000 },
  async (options) => {
    await withPage(options, async (page) => {
      for (const [name, path] of [
        ['edit', '/campaigns?campaign=spring'],
        ['new', '/campaigns?new=yes'],
      ] as const) {
        await page.goto(form.url + path);
        await page.locator('[data-old="false"]').waitFor();
        await checkView(page, `campaign-form-${name}`, options);
      }
    });
  },
);

it('a draft comes back after a reload, except one with phone numbers', { timeout: 90_000 }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${form.url}/campaigns?campaign=spring`);
    // The campaign excludes a number, so nothing of its draft stays.
    await page.getByLabel('Members per wave').fill('7');
    await page.getByText('A draft with phone numbers does not stay in the browser.').waitFor();
    await page.reload();
    await page.getByLabel('Members per wave').waitFor();
    expect(await page.getByLabel('Members per wave').inputValue()).toBe('50, 100');

    await page.getByLabel('Phone numbers', { exact: true }).fill('');
    await page.getByLabel('Members per wave').fill('7');
    await page.getByText('A draft with phone numbers does not stay in the browser.').waitFor({
      state: 'detached',
    });
    await page.reload();
    await page.getByText('Restored what you typed at').waitFor();
    expect(await page.getByLabel('Members per wave').inputValue()).toBe('7');
    await checkView(page, 'campaign-draft', {});
    await page.getByRole('button', { name: 'Start over' }).click();
    expect(await page.getByLabel('Members per wave').inputValue()).toBe('50, 100');
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('sluice:draft');
  });
});

it('a new campaign filters by no tag that nobody chose', { timeout: 60_000 }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${form.url}/campaigns?new=yes`);
    await page.getByLabel('Tags', { exact: true }).first().waitFor();
    expect(await page.getByLabel('Tags', { exact: true }).first().inputValue()).toBe('');
  });
});
