// Conversations and events in Chromium: each tab and panel without barriers, answers, retries, and the replay of a dead letter.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { checkView, type OpenOptions } from '../../support/console/pages.ts';
import { quietOverview } from '../../support/console/sample.ts';
import { eventAnswers } from '../../support/console/sample-events.ts';
import { type Answer, loginAnswers, type Stub } from '../../support/console/stub.ts';
import { prepareConsole } from '../../support/console/with-console.ts';

const withConsole = prepareConsole();

async function withEvents(
  more: Readonly<Record<string, Answer>>,
  options: OpenOptions,
  test: (page: Page, stub: Stub) => Promise<void>,
): Promise<void> {
  const answers = { ...loginAnswers(), 'GET /overview': quietOverview, ...eventAnswers(), ...more };
  await withConsole(answers, '/events', options, async ({ page, stub }) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    await test(page, stub);
    expect(stub.missed).toEqual([]);
  });
}

const PLACES = [
  ['conversations', '/conversations', 'M•••• 1'],
  ['conversation', '/conversations?conversation=acme%2F7', 'Outside the 24-hour window'],
  ['dead-events', '/conversations?tab=dead', 'message.received'],
  ['gaps', '/conversations?tab=gaps', 'No gaps'],
  ['events', '/events', 'site-leads'],
  ['event', '/events?event=event-1', 'req_81'],
  ['refusals', '/events?tab=refusals', 'the signature does not match'],
  ['kafka', '/events?tab=kafka', 'The cluster does not answer'],
  ['dead-letters', '/events?tab=dead', 'crm.leads/1/2'],
  ['dead-letter', '/events?tab=dead&letter=0-2', 'accepted'],
] as const;

describe.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'phone' },
] as const)('in $scheme on a $size', (options) => {
  it('no tab and no panel has a serious barrier, and none is wider than the window', {
    timeout: 180_000,
  }, async () => {
    await withEvents({}, options, async (page, stub) => {
      for (const [name, path, text] of PLACES) {
        await page.goto(stub.url + path);
        await page.getByText(text).first().waitFor({ state: 'attached' });
        await checkView(page, name, options, { fullPage: false });
      }
    });
  });
});

it('an answer is sent once per key, and its outcome is shown', { timeout: 60_000 }, async () => {
  const sent: { key: string; request: object }[] = [];
  const send: Answer = (req, res) => {
    sent.push(req.body as (typeof sent)[number]);
    if (sent.length > 1) return { event: 'event-1', duplicate: true };
    res.status(503).json({ error: { kind: 'unavailable', message: 'Temporal does not answer' } });
    return undefined;
  };
  await withEvents({ 'POST /messages': send }, {}, async (page, stub) => {
    await page.goto(`${stub.url}/conversations?conversation=acme%2F7`);
    await page.getByLabel('Answer').fill('Good morning');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Temporal does not answer').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Show the event').waitFor();
    expect(sent.map(({ key }) => key)).toEqual([sent[0]?.key, sent[0]?.key]);
    expect(sent[0]?.request).toMatchObject({ to: { conversation: 7 }, text: 'Good morning' });
  });
});

it('a dead letter is replayed after its diff was shown', { timeout: 60_000 }, async () => {
  const replayed: unknown[] = [];
  const answers = eventAnswers();
  const begin: Answer = (req, res) => {
    replayed.push(req.body);
    return answers['POST /dead-letters/replay']?.(req, res);
  };
  await withEvents({ 'POST /dead-letters/replay': begin }, {}, async (page, stub) => {
    await page.goto(`${stub.url}/events?tab=dead&letter=0-2`);
    const diff = page.getByRole('table', { name: 'Then, and if replayed now' });
    await diff.getByText('refused SCHEMA: phone: type').waitFor();
    const replay = (dialog: string) =>
      page.getByRole('dialog', { name: dialog }).getByRole('button', { name: 'Replay' }).click();
    await replay('Dead letter 0-2');
    await replay('Replay 1 dead letter?');
    await page.getByText('1 of 1').waitFor();
    expect(replayed).toMatchObject([{ ids: ['0-2'] }]);
  });
});

it('a retry of an unknown event says what it could do twice', { timeout: 60_000 }, async () => {
  const retried: unknown[] = [];
  const retry: Answer = (req) => {
    retried.push(req.body);
    return { retried: ['event-2'], continued: [], workflows: 0, left: [] };
  };
  await withEvents({ 'POST /events/retry': retry }, {}, async (page, stub) => {
    await page.goto(`${stub.url}/events`);
    await page.getByRole('checkbox', { name: 'Choose event-2', exact: true }).check();
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Retry only if it had no effect').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
    await page.getByText('1 event is tried again').waitFor();
    expect(retried).toMatchObject([{ ids: ['event-2'] }]);
  });
});
