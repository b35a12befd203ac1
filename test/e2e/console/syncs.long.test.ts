// The syncs screen in Chromium: an active run, its rows, and commands that ask first.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { checkView } from '../../support/console/pages.ts';
import { syncAnswers } from '../../support/console/sample-syncs.ts';
import type { Answer } from '../../support/console/stub.ts';
import { CSV, prepareSyncs } from '../../support/console/with-syncs.ts';

const withSyncs = prepareSyncs();

describe.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'desktop' },
  { scheme: 'light', size: 'phone' },
  { scheme: 'dark', size: 'phone' },
] as const)('in $scheme on a $size', (options) => {
  it('no view has a serious barrier, and none is wider than the window', { timeout: 120_000 }, async () => {
    await withSyncs({}, options, async ({ page, stub }) => {
      const check = (name: string) => checkView(page, name, options);
      await page.getByRole('button', { name: 'contacts' }).waitFor();
      await check('syncs');
      await page.goto(`${stub.url}/syncs?name=contacts`);
      await page.getByText('ERR_DUPLICATED_CONTACT').first().waitFor();
      await page.getByText('7 people were written without a tag.').waitFor();
      await page.getByText('line 3, line 4, line 8, line 12, line 18, …').waitFor();
      await page.getByText('The account lacks the tag vip').waitFor();
      await check('sync');
      await page.goto(`${stub.url}/syncs?name=contacts&row=4`);
      await page.getByRole('dialog').getByText('M… S…').waitFor();
      await check('sync-row');
      await page.goto(`${stub.url}/syncs?name=contacts&row=21`);
      await page.getByRole('dialog').getByText('Card created in “Sales”').waitFor();
      await check('sync-row-unknown');
      await page.getByRole('dialog').getByRole('button', { name: 'It took effect' }).click();
      await page.getByText('What happened to these rows?').waitFor();
      await check('sync-resolve');
      await page.goto(`${stub.url}/syncs?name=contacts&plan=p1`);
      await page.getByText('3 tags do not exist in the account. Wanted for 121 people.').waitFor();
      await page.getByText('120 people').waitFor();
      await check('sync-plan');
      await page.goto(`${stub.url}/syncs?view=first`);
      await page.setInputFiles('input[type=file]', CSV);
      await page.getByText('First rows: 3. Mapped: 2. Rejected: 1.').waitFor();
      await check('first-sync');
      await page.goto(`${stub.url}/syncs?name=contacts&view=replace`);
      await page.setInputFiles('input[type=file]', CSV);
      await page.getByText('Columns that the file no longer has').waitFor();
      await check('sync-replace');
      await page.goto(`${stub.url}/syncs?name=contacts&view=fix`);
      await page.setInputFiles('input[type=file]', CSV);
      await page.getByRole('button', { name: 'Start a run of these rows' }).waitFor();
      await check('sync-fix');
      await page.goto(`${stub.url}/syncs?name=contacts&view=edit`);
      await page.getByText('First rows: 3. Mapped: 2. Rejected: 1.').waitFor();
      await check('sync-edit');
      await page.getByRole('tab', { name: 'YAML' }).click();
      await page.getByLabel('Mapping crm').waitFor();
      await check('sync-edit-yaml');
      await page.getByRole('button', { name: 'Delete sync' }).click();
      await page.getByRole('dialog').getByText('What stays:').waitFor();
      await check('sync-delete');
    });
  });
});

it('a pause asks first, takes a reason, and carries it', async () => {
  const given: unknown[] = [];
  const pause: Answer = (req) => {
    given.push(req.body);
    return {};
  };
  await withSyncs({ 'POST /syncs/contacts/pause': pause }, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/syncs?name=contacts`);
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No new call begins.').waitFor();
    await dialog.getByLabel('Reason (optional)').fill('lunch');
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The run is paused.').waitFor();
    expect(given).toEqual([{ reason: 'lunch' }]);
  });
});

it('a retry names its code and outcome', async () => {
  const given: unknown[] = [];
  const retry: Answer = (req) => {
    given.push(req.body);
    return { execution: 'e2', joined: false, resumed: null, workers: true };
  };
  await withSyncs({ 'POST /syncs/contacts/retries': retry }, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/syncs?name=contacts`);
    await page.getByRole('button', { name: 'Retry ERR_DUPLICATED_CONTACT' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry ERR_DUPLICATED_CONTACT' }).click();
    await page.getByText('The run has started.').waitFor();
    expect(given).toEqual([{ statuses: ['failed'], codes: ['ERR_DUPLICATED_CONTACT'], reason: '' }]);
  });
});

it('chosen rows that are unknown are retried, and no others', async () => {
  const given: unknown[] = [];
  const retry: Answer = (req) => {
    given.push(req.body);
    return { execution: 'e2', joined: false, resumed: null, workers: true };
  };
  await withSyncs({ 'POST /syncs/contacts/retries': retry }, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/syncs?name=contacts&outcome=unknown`);
    await page.getByRole('table', { name: 'Rows of the run' }).getByRole('checkbox').last().check();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('checks for the effect of each before it sends anything again').waitFor();
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('The run has started.').waitFor();
    expect(given).toEqual([{ statuses: ['unknown'], rows: [17], reason: '' }]);
  });
});

it('a row that is unknown shows its hints, and it and chosen rows are resolved with a reason', async () => {
  const given: unknown[] = [];
  const resolve: Answer = (req) => {
    given.push(req.body);
    return { resolved: 1 };
  };
  await withSyncs({ 'POST /syncs/contacts/resolve': resolve }, {}, async ({ page, stub }) => {
    const confirm = async () => {
      const dialog = page.getByRole('dialog', { name: 'What happened to these rows?' });
      await dialog.getByText('They count as done. Sluice sends nothing.').waitFor();
      await dialog.getByLabel('Reason').fill('seen in the service');
      await dialog.getByRole('button', { name: 'It took effect' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await page.goto(`${stub.url}/syncs?name=contacts&row=21`);
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Card created in “Sales”').waitFor();
    await drawer.getByText('suggests that the call took effect').waitFor();
    await drawer.getByRole('button', { name: 'It took effect' }).click();
    await confirm();
    await page.getByText('1 row is resolved.').waitFor();
    await page.goto(`${stub.url}/syncs?name=contacts&outcome=unknown`);
    await page.getByRole('table', { name: 'Rows of the run' }).getByRole('checkbox').last().check();
    await page.getByRole('button', { name: 'It took effect' }).click();
    await confirm();
    await page.getByText('1 row is resolved.').waitFor();
    expect(given).toEqual([
      { rows: [21], reason: 'seen in the service' },
      { rows: [17], reason: 'seen in the service' },
    ]);
  });
});

it.each(['light', 'dark'] as const)(
  'a run that was resumed and blocked again says so, with the times, in %s on a phone',
  async (scheme) => {
    const base = syncAnswers()['GET /syncs/contacts/progress'] as () => { readonly progress: object };
    const now = base();
    const paused = {
      by: 'sluice',
      code: 'ERR_TOKEN_REVOKED',
      reason: 'ERR_TOKEN_REVOKED: the token was revoked',
      at: '2026-11-22T13:06:01.000Z',
      again: { by: 'user:ana', at: '2026-11-22T13:05:59.000Z' },
    };
    const answer = () =>
      Object.assign({}, now, {
        state: 'paused',
        trouble: null,
        eta: null,
        progress: Object.assign({}, now.progress, { paused }),
      });
    const options = { scheme, size: 'phone' } as const;
    await withSyncs({ 'GET /syncs/contacts/progress': answer }, options, async ({ page, stub }) => {
      await page.goto(`${stub.url}/syncs?name=contacts`);
      await page
        .getByText(/^Resumed by ana at .*\b10:05, and blocked again at .*\b10:06 for the same reason:/)
        .waitFor();
      await checkView(page, 'sync-blocked-again', options);
    });
  },
);

it('a sync that has not run yet says so and offers a dry run', async () => {
  const never: Answer = (_req, res) => {
    res.status(404).json({ error: { kind: 'notFound', code: 'NO_RUN', message: 'has not run yet' } });
    return undefined;
  };
  await withSyncs({ 'GET /syncs/contacts/progress': never }, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/syncs?name=contacts`);
    await page.getByText('This sync has not run yet.').waitFor();
    await page.getByRole('button', { name: 'Dry run' }).waitFor();
  });
});

it('rejected rows are saved with their reasons, and the corrected ones are a run of their own', async () => {
  const given: unknown[] = [];
  const answers: Record<string, Answer> = {
    'POST /syncs/contacts/runs/acme%2Fcontacts%2F2/rejected-rows': () => ({
      csv: 'Telefone,sluice_line,sluice_reason\r\n12,2,phone: too short\r\n',
      rows: 1,
      more: false,
    }),
    'POST /uploads/u1/corrections': (req) => {
      given.push(req.body);
      return { execution: 'e3', rows: 1, workers: true };
    },
  };
  await withSyncs(answers, {}, async ({ page, stub }) => {
    await page.goto(`${stub.url}/syncs?name=contacts`);
    await page.getByRole('button', { name: 'Fix and retry' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download rejected rows' }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('contacts-rejected.csv');
    expect(await readFile(await file.path(), 'utf8')).toBe(
      '\uFEFFTelefone,sluice_line,sluice_reason\r\n12,2,phone: too short\r\n',
    );
    await page.getByText('The file has 1 rejected row.').waitFor();
    await page.setInputFiles('input[type=file]', CSV);
    await page.getByRole('button', { name: 'Start a run of these rows' }).click();
    await page.getByText('A run of 1 row has started.').waitFor();
    expect(given).toEqual([{ sync: 'contacts' }]);
  });
});
