// Conversations and events in Chromium: each tab and panel without barriers, answers, retries, replays of dead letters and
// of refused requests.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { checkView, type OpenOptions } from '../../support/console/pages.ts';
import { quietOverview } from '../../support/console/sample.ts';
import { eventAnswers, REFUSED_BODY, refusedId } from '../../support/console/sample-events.ts';
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
  ['refused-requests', '/events?tab=refused', 'the event does not fit its schema'],
  ['refused-request', `/events?tab=refused&request=${refusedId(2)}`, 'refused again, for the same reason'],
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

it('events wait for nobody only when no request is to correct either', { timeout: 60_000 }, async () => {
  const calm = { 'GET /events': () => ({ events: [], next: null, total: 0 }) };
  await withEvents(calm, {}, async (page) => {
    await page.getByText('130 requests to correct are open.').waitFor();
    expect(await page.getByText('No event waits for you.').count()).toBe(0);
  });
  const none = { 'GET /refused-requests': () => ({ requests: [], next: null, total: 0, counts: [] }) };
  await withEvents({ ...calm, ...none }, {}, async (page) => {
    await page.getByText('No event waits for you.').waitFor();
  });
});

it.each([
  ['refusals', 'Não existe, ou não existe mais'],
  ['refused', 'O mapeamento não consegue usá-lo'],
  ['dead', 'Não segue o esquema da rota'],
])(
  'the reasons of the tab %s are in Portuguese, with the original beside them',
  {
    timeout: 60_000,
  },
  async (tab, words) => {
    await withEvents({}, { locale: 'pt-BR' }, async (page, stub) => {
      await page.goto(`${stub.url}/events?tab=${tab}`);
      await page.getByRole('table').getByText(words).first().waitFor();
      await checkView(page, `${tab}-pt-BR`, {}, { fullPage: false });
    });
  },
);

it('"Accepted" stands on one line beside a long reason, also on a phone', { timeout: 60_000 }, async () => {
  const reason = 'the event does not fit its schema: the phone number has letters in it, and so has the key';
  const letter = eventAnswers()['GET /dead-letters/0-2'];
  const answers: Readonly<Record<string, Answer>> = {
    'GET /dead-letters/0-2': (req, res) => ({ ...(letter?.(req, res) as object), reason }),
    'POST /dead-letters/dry-run': () => ({
      results: [
        {
          id: '0-2',
          route: 'bus-leads',
          then: { outcome: 'refused', code: 'SCHEMA', reason },
          now: { outcome: 'accepted', events: [] },
        },
      ],
      total: 1,
    }),
  };
  await withEvents(answers, { size: 'phone' }, async (page, stub) => {
    await page.goto(`${stub.url}/events?tab=dead&letter=0-2`);
    const accepted = page.getByRole('table', { name: 'Then, and if replayed now' }).locator('ins').first();
    await accepted.waitFor();
    // One line has 12 px of text.
    expect((await accepted.boundingBox())?.height).toBeLessThan(24);
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
    await page.getByLabel('Answer', { exact: true }).fill('Good morning');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Temporal does not answer').waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Show the event').waitFor();
    expect(sent.map(({ key }) => key)).toEqual([sent[0]?.key, sent[0]?.key]);
    expect(sent[0]?.request).toMatchObject({ to: { conversation: 7 }, text: 'Good morning' });
  });
});

describe.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'phone' },
] as const)('an answer to somebody who opted out, in $scheme on a $size', (options) => {
  it('is sent once it was confirmed', { timeout: 60_000 }, async () => {
    const sent: { key: string; toOptedOut?: boolean }[] = [];
    const send: Answer = (req, res) => {
      const message = req.body as (typeof sent)[number];
      sent.push(message);
      if (message.toOptedOut) return { event: 'event-1', duplicate: false };
      const error = { kind: 'conflict', code: 'OPTED_OUT', message: 'the recipient opted out' };
      res.status(409).json({ error });
      return undefined;
    };
    await withEvents({ 'POST /messages': send }, options, async (page, stub) => {
      await page.goto(`${stub.url}/conversations?conversation=acme%2F7`);
      const question = page.getByRole('dialog', { name: 'Send to a contact who opted out?' });
      await page.getByLabel('Answer', { exact: true }).fill('Here is your receipt');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await question.getByText('Send only what answers the contact').waitFor();
      await checkView(page, 'opted-out', options, { fullPage: false });
      await question.getByRole('button', { name: 'Go back' }).last().click();
      await question.waitFor({ state: 'hidden' });
      expect(sent).toHaveLength(1);
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await question.getByRole('button', { name: 'Send anyway' }).click();
      await page.getByText('Show the event').waitFor();
      expect(await page.getByText('the recipient opted out').count()).toBe(0);
      expect(sent.map(({ toOptedOut }) => toOptedOut)).toEqual([undefined, undefined, true]);
      expect(new Set(sent.map(({ key }) => key)).size).toBe(1);
    });
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
    await diff.getByText('Refused, SCHEMA: phone: type').waitFor();
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

it('an unknown event that took effect is recorded as done, with the reason', {
  timeout: 60_000,
}, async () => {
  const resolved: unknown[] = [];
  const resolve: Answer = (req) => {
    resolved.push(req.body);
    return { resolved: (req.body as { readonly ids: readonly string[] }).ids };
  };
  const options = { scheme: 'light', size: 'desktop' } as const;
  await withEvents({ 'POST /events/resolve': resolve }, options, async (page, stub) => {
    await page.goto(`${stub.url}/events?event=event-2`);
    await page.getByRole('button', { name: 'It took effect' }).click();
    const dialog = page.getByRole('dialog').filter({ hasText: 'What happened to these events?' });
    await dialog.getByText('1 event counts as done. Sluice sends nothing.').waitFor();
    await checkView(page, 'event-resolve', options, { fullPage: false });
    await dialog.getByRole('textbox').fill('it is in the conversation');
    await dialog.getByRole('button', { name: 'It took effect' }).click();
    await page.getByText('1 event counts as done.', { exact: true }).waitFor();
  });
  expect(resolved).toMatchObject([{ ids: ['event-2'], reason: 'it is in the conversation' }]);
});

describe.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'phone' },
] as const)('a failed event in $scheme on a $size', (options) => {
  it('is corrected with its differences shown, and leads to the event that takes its place', {
    timeout: 120_000,
  }, async () => {
    const replayed: unknown[] = [];
    const replay: Answer = (req) => {
      replayed.push(req.body);
      return {
        result: { id: 'event-1', outcome: 'accepted', events: [{ id: 'event-2', duplicate: false }] },
      };
    };
    await withEvents({ 'POST /events/event-1/replay': replay }, options, async (page, stub) => {
      await page.goto(`${stub.url}/events?event=event-1`);
      await page.getByRole('button', { name: 'Show request' }).click();
      const body = page.getByLabel('Corrected request');
      const shown = await body.inputValue();
      await body.fill(shown.replace('"•••"', '"Good morning"'));
      const changes = page.getByRole('table', { name: 'As it was, and corrected' });
      expect(await changes.getByRole('row').count()).toBe(2);
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByRole('table', { name: 'Then, and with this request now' }).getByText('vip').waitFor();
      await changes.scrollIntoViewIfNeeded();
      await checkView(page, 'event-corrected', options, { fullPage: false });
      await page.getByRole('button', { name: 'Replay corrected' }).click();
      await page.getByRole('dialog').getByText('never runs again').waitFor();
      await page
        .getByRole('dialog', { name: 'Replay the corrected event?' })
        .getByRole('button', { name: 'Replay' })
        .click();
      await page.getByText('The corrected event was accepted').waitFor();
      expect(replayed).toMatchObject([{ request: { text: 'Good morning' } }]);
      await page.getByText('event-2', { exact: true }).first().waitFor();
      await page.goto(`${stub.url}/events?event=event-3`);
      await page.getByText('Replaced by').waitFor();
      await checkView(page, 'event-replaced', options, { fullPage: false });
    });
  });
});

describe.each([
  { scheme: 'light', size: 'desktop' },
  { scheme: 'dark', size: 'phone' },
] as const)('a refused request in $scheme on a $size', (options) => {
  it('is corrected with its faults and differences shown, and nothing of it is kept in the browser', {
    timeout: 120_000,
  }, async () => {
    const replayed: unknown[] = [];
    const replay: Answer = (req) => {
      replayed.push(req.body);
      return { results: [{ id: refusedId(2), outcome: 'accepted', events: [] }], next: null };
    };
    await withEvents({ 'POST /refused-requests/replay': replay }, options, async (page, stub) => {
      await page.goto(`${stub.url}/events?tab=refused&request=${refusedId(2)}`);
      await page.getByRole('button', { name: 'Show headers and body' }).click();
      const body = page.getByLabel('Corrected body');
      await body.fill('{\n  "event_id": "e1",\n  "phone" 1\n}');
      await page.getByText('line 3, column 11').waitFor();
      expect(await page.getByRole('button', { name: 'Check' }).isDisabled()).toBe(true);
      const corrected = REFUSED_BODY.replace('phoen', 'phone');
      await body.fill(corrected);
      const changes = page.getByRole('table', { name: 'As it arrived, and corrected' });
      expect(await changes.getByRole('row').count()).toBe(3);
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByRole('table', { name: 'Then, and with this body now' }).getByText('vip').waitFor();
      await changes.scrollIntoViewIfNeeded();
      await checkView(page, 'refused-request-corrected', options, { fullPage: false });
      const stored = 'JSON.stringify([localStorage, sessionStorage, location.href, history.state])';
      expect(await page.evaluate(stored)).not.toContain('98765');
      await page.getByRole('button', { name: 'Replay corrected' }).click();
      await page.getByRole('dialog').getByText('Its route gets the corrected body').waitFor();
      await page
        .getByRole('dialog', { name: 'Replay 1 refused request?' })
        .getByRole('button', { name: 'Replay' })
        .click();
      await page.getByText('1 accepted').waitFor();
      expect(replayed).toEqual([{ ids: [refusedId(2)], body: corrected }]);
      await body.waitFor({ state: 'hidden' });
    });
  });
});

it('a filter offers the values that there are, and says how many events match', {
  timeout: 60_000,
}, async () => {
  const answers = eventAnswers();
  const list: Answer = (req, res) => {
    const all = answers['GET /events']?.(req, res) as { events: readonly { code: string | null }[] };
    const { codes } = req.query;
    return codes === undefined ? all : { events: all.events.slice(0, 2), next: null };
  };
  await withEvents({ 'GET /events': list }, {}, async (page, stub) => {
    await page.goto(`${stub.url}/events`);
    const filters = page.getByRole('group', { name: 'Filters' });
    await filters.getByText('60 matches').waitFor();
    const code = filters.getByLabel('Code', { exact: true });
    expect(await code.getByRole('option').allTextContents()).toEqual(['Code: all', 'WINDOW_CLOSED']);
    await code.selectOption('WINDOW_CLOSED');
    await filters.getByText('2 matches').waitFor();
    // A value of the address that no event has any more stays visible.
    await page.goto(`${stub.url}/events?code=GONE`);
    expect(await code.inputValue()).toBe('GONE');
  });
});

it('messages that people sent by hand have words for their route, and keep its name in the address', {
  timeout: 60_000,
}, async () => {
  const answers = eventAnswers();
  const list: Answer = (req, res) => {
    const all = answers['GET /events']?.(req, res) as { events: readonly object[] };
    return { events: [Object.assign({}, all.events[0], { route: '_cli' })], next: null };
  };
  const given: Record<string, Answer> = {
    'GET /events': list,
    'GET /event-values': () => ({ routes: ['_cli'], codes: [] }),
  };
  await withEvents(given, {}, async (page, stub) => {
    await page.goto(`${stub.url}/events`);
    await page.getByRole('row').getByText('messages sent by hand').waitFor();
    await page.getByLabel('Route', { exact: true }).selectOption({ label: 'messages sent by hand' });
    await page.waitForURL(/route=_cli/);
  });
});

it('all refused requests that match are replayed after a question with their number', {
  timeout: 60_000,
}, async () => {
  const replayed: unknown[] = [];
  const answers = eventAnswers();
  const replay: Answer = (req, res) => {
    replayed.push(req.body);
    return answers['POST /refused-requests/replay']?.(req, res);
  };
  await withEvents({ 'POST /refused-requests/replay': replay }, {}, async (page, stub) => {
    await page.goto(`${stub.url}/events?tab=refused`);
    await page.getByLabel('Route', { exact: true }).selectOption('site-leads');
    await page.getByLabel('Code', { exact: true }).selectOption('SCHEMA');
    await page.getByRole('button', { name: 'Replay all 130 requests' }).click();
    await page
      .getByRole('dialog', { name: 'Replay 130 refused requests?' })
      .getByRole('button', { name: 'Replay' })
      .click();
    await page.getByText('2 accepted').waitFor();
    const filter = { route: 'site-leads', codes: ['SCHEMA'] };
    expect(replayed).toEqual([filter, { ...filter, after: '7' }]);
  });
});
