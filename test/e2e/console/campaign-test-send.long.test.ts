// A test of a campaign's draft in Chromium: it goes to one number, once.

import { expect, it } from 'vitest';
import { checkView } from '../../support/console/pages.ts';
import { campaignForm } from './campaign-form-context.ts';

const form = campaignForm();
const { withPage } = form;

it('a test goes to one number, once, and its result is shown', { timeout: 90_000 }, async () => {
  await withPage({}, async (page) => {
    await page.goto(`${form.url}/campaigns?campaign=spring`);
    await page.getByRole('button', { name: 'Test this draft' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test the campaign “spring”' });
    await dialog.getByText('so the account needs a contact with this number').waitFor();
    const values = dialog.getByLabel('What the flow gets');
    await values.waitFor();
    expect(await values.locator('option').allTextContents()).toEqual([
      'What +55 11 9••••-0001 would get',
      'What +55 11 9••••-0002 would get',
      'Values that I type',
    ]);
    await dialog.getByLabel('Your number').fill('(11) 98765');
    await dialog.getByRole('button', { name: 'Trigger the flow' }).click();
    await dialog.getByRole('alert').getByText('Not a phone number').waitFor();
    await checkView(page, 'campaign-test-refused', {});

    // No Temporal server accepts a test here.
    const keys: string[] = [];
    await page.route('**/api/v1/campaign-drafts/test', async (route) => {
      const { key, ...asked } = route.request().postDataJSON() as Record<string, unknown>;
      keys.push(String(key));
      expect(asked).toMatchObject({ number: '(11) 98765-0009', member: { part: 0, contact: null, row: 1 } });
      await route.fulfill({ json: { event: `e${keys.length}`, duplicate: false } });
    });
    const event = { outcome: 'unknown', blocked: null, code: 'FLOW_AMBIGUOUS', reason: null };
    await page.route('**/api/v1/events/e*', (route) => route.fulfill({ json: event }));
    await dialog.getByLabel('Your number').fill('(11) 98765-0009');
    await dialog.getByRole('button', { name: 'Trigger the flow' }).click();
    await dialog.getByRole('status').getByText('Look at the phone before you send another test').waitFor();
    // Closed and opened again, it still shows the test that was sent.
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Test this draft' }).click();
    await dialog.getByRole('status').getByText('Unknown').waitFor();
    await checkView(page, 'campaign-test-sent', {});
    expect(await dialog.getByRole('button', { name: 'Trigger the flow' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Send another test' }).click();
    // The number that was typed before the dialog was closed.
    expect(await dialog.getByLabel('Your number').inputValue()).toBe('(11) 98765-0009');
    await dialog.getByRole('button', { name: 'Trigger the flow' }).click();
    await dialog.getByRole('status').waitFor();
    expect(new Set(keys).size).toBe(2);
  });
});

it('a test needs no contact where flows get the number', { timeout: 90_000 }, async () => {
  await withPage({}, async (page) => {
    await page.route('**/api/v1/assumptions', async (route) => {
      const answer = await route.fetch();
      const text = await answer.text();
      const entry = /("key":"flows\.contactIdentity"[^}]*"value":)"[^,]*"/;
      await route.fulfill({ response: answer, body: text.replace(entry, '$1"\\"number\\""') });
    });
    await page.goto(`${form.url}/campaigns?campaign=spring`);
    await page.getByRole('button', { name: 'Test this draft' }).click();
    const dialog = page.getByRole('dialog', { name: 'Test the campaign “spring”' });
    await dialog.getByText('Sluice looks for no contact with it.').waitFor();
    expect(await dialog.getByText('needs a contact').count()).toBe(0);
  });
});
