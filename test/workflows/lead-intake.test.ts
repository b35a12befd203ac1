// Events become workflows: each runs once and in order, whatever fails.

import { Client, Connection } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { leadIntakeWorkflowId } from '../../src/core/ids.ts';
import { LANES } from '../../src/core/lanes.ts';
import { freePort } from '../../src/core/net/ports.ts';
import { NotAcceptedError, type Route } from '../../src/jobs/events/ingress/intake.ts';
import { closingCalls } from '../../src/temporal/closing-calls.ts';
import { readySignal, retrySignal } from '../../workflows/messages.ts';
import { account, type Environment } from '../support/environment.ts';
import { acceptanceOf, draft, eventId, lead, leadRoute, untilEnded } from '../support/intake-context.ts';
import { openTestOperator } from '../support/operator/operator.ts';
import { effects } from '../support/panel.ts';
import { HEADER, plainRow, syncContext } from '../support/sync-context.ts';
import { until } from '../support/until.ts';

const context = syncContext();
const CARD = { card: { pipeline: 'Sales', stage: 'New', customFields: {} } } as const;

const idOf = (route: Route, key: string) =>
  leadIntakeWorkflowId('acme', route.name, eventId(`${route.name}/${key}`));

async function starts(route: Route): Promise<number> {
  const query = `WorkflowId STARTS_WITH "lead-intake/acme/${route.name}/"`;
  return (await context.temporal.client.workflow.count(query)).count;
}

const writes = async (environment: Environment) =>
  effects(await environment.requests(), 'POST', /^\/v1\/(cards|contacts)$/).map(({ path }) => path);

describe('an accepted event', () => {
  it('becomes a contact with tags and a card, and Temporal gets no personal data', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('whole');
      const acceptance = acceptanceOf(environment, context.temporal.client);
      const draft = lead(route, 'a', 1, { tags: ['crm', 'vip'], ...CARD });
      expect(await acceptance.accept(route, [draft])).toEqual([{ id: draft.id, duplicate: false }]);
      expect(await untilEnded(environment)).toMatchObject([{ id: draft.id, outcome: 'done' }]);
      const { contacts, cards } = await environment.panel.account();
      expect(contacts).toMatchObject([{ number: '14155552001', name: 'Person 1', tagIds: [1, 2] }]);
      expect(cards).toMatchObject([{ contactId: contacts[0]?.id, stageId: 11 }]);
      const handle = context.temporal.client.workflow.getHandle(idOf(route, 'a'));
      await handle.result();
      const history = JSON.stringify(await handle.fetchHistory());
      for (const text of ['4155552001', 'Person'])
        expect(history).not.toContain(Buffer.from(text).toString('base64').slice(0, 8));
      const [row] = await environment.db.query('select request, record_id from events');
      expect(row).toEqual({ request: null, record_id: null });
      expect(await environment.db.query('select 1 from run_records')).toEqual([]);
    });
  });

  it('runs in its lane: a message before leads, by any route', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const { client } = context.temporal;
      const leads = leadRoute('laneLeads');
      const config = { account: 'acme', action: { type: 'message' } } as Route['config'];
      const messages: Route = { ...leads, name: 'laneMessages', config };
      // Its file is none: it ends by itself, and is tried again.
      const message = draft(messages, 'b', 'conversation/9', {
        type: 'message',
        to: { conversation: 9 },
        saveOnTicket: true,
        uploads: ['none'],
      });
      const acceptance = acceptanceOf(environment, client);
      await acceptance.accept(leads, [lead(leads, 'a', 1)]);
      await acceptance.accept(messages, [message]);
      expect((await untilEnded(environment)).map(({ outcome }) => outcome)).toEqual(['done', 'failed']);
      const { db, workQueue } = environment;
      const operator = await openTestOperator({ db, temporal: client, workQueue });
      try {
        const retry = () => operator.client.call('POST /events/retry', { ids: [message.id] });
        expect(await retry()).toEqual({ retried: [message.id], continued: [], workflows: 0, left: [] });
      } finally {
        await operator.close();
      }
      await untilEnded(environment);
      const retried = await environment.db.query<{ workflow: string }>(
        'select workflow from events where route = $1',
        [messages.name],
      );
      const prioritiesOf = async (id: string) => {
        const { events = [] } = await client.workflow.getHandle(id).fetchHistory();
        const scheduled = events?.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
        return scheduled?.map(({ priority }) => priority?.priorityKey);
      };
      expect(await prioritiesOf(idOf(leads, 'a'))).toEqual([LANES.lead]);
      expect(await prioritiesOf(idOf(messages, 'b'))).toEqual([LANES.reply]);
      expect(await prioritiesOf(retried[0]?.workflow ?? '')).toEqual([LANES.reply]);
    });
  });

  it('FAULTS 28: 100 concurrent copies of an event are one start and one card, and every sender gets a success', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('hundred');
      // Two processes of the ingress.
      const acceptances = [
        acceptanceOf(environment, context.temporal.client),
        acceptanceOf(environment, context.temporal.client),
      ];
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, n) => acceptances[n % 2]?.accept(route, [lead(route, 'a', 1, CARD)])),
      );
      expect(answers.flat().filter((answer) => answer?.duplicate === false).length).toBeLessThanOrEqual(2);
      expect(answers.flat()).toHaveLength(100);
      expect(await untilEnded(environment)).toMatchObject([{ outcome: 'done' }]);
      expect(await writes(environment)).toEqual(['/v1/contacts', '/v1/cards']);
      await until('Temporal lists it', async () => (await starts(route)) === 1);
    });
  });

  it('FAULTS 29: an event is still a duplicate after Temporal has deleted its workflow', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('later');
      const acceptance = acceptanceOf(environment, context.temporal.client);
      const draft = lead(route, 'a', 1, CARD);
      await acceptance.accept(route, [draft]);
      await untilEnded(environment);
      await environment.requests();
      // A Temporal server that knows nothing of it, as after the end of the retention.
      const { connection } = context.temporal;
      const oblivious = new Client({ connection, namespace: 'default' });
      const later = acceptanceOf(environment, oblivious);
      expect(await later.accept(route, [draft])).toEqual([{ id: draft.id, duplicate: true }]);
      expect(await environment.requests()).toEqual([]);
      await expect(oblivious.workflow.getHandle(idOf(route, 'a')).describe()).rejects.toThrow(/not found/i);
    });
  });

  it('FAULTS 19: Temporal down: not accepted, and the same event later is one start', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('down');
      const connection = Connection.lazy({
        address: `127.0.0.1:${await freePort()}`,
        interceptors: closingCalls(),
      });
      const lost = acceptanceOf(environment, new Client({ connection }));
      const draft = lead(route, 'a', 1);
      const refused = await lost.accept(route, [draft]).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(NotAcceptedError);
      expect(refused).toMatchObject({ why: 'TEMPORAL' });
      await expect(lost.ready()).rejects.toMatchObject({ why: 'TEMPORAL' });
      await connection.close();
      expect(await environment.db.query('select state from events')).toEqual([{ state: 'received' }]);
      const again = await acceptanceOf(environment, context.temporal.client).accept(route, [draft]);
      expect(again).toEqual([{ id: draft.id, duplicate: false }]);
      expect(await untilEnded(environment)).toMatchObject([{ outcome: 'done' }]);
      expect(await writes(environment)).toHaveLength(1);
    });
  });
});

describe('several events about one person', () => {
  it('FAULTS 41: an older event after a newer one changes nothing', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('ordered', { order: 'at' });
      const acceptance = acceptanceOf(environment, context.temporal.client);
      const named = (key: string, name: string, rank: number) =>
        lead(route, key, 1, { contact: { number: '14155552001', name } }, rank);
      await acceptance.accept(route, [named('new', 'Newer', 2000)]);
      await acceptance.accept(route, [named('old', 'Older', 1000)]);
      await acceptance.accept(route, [named('same', 'Same time', 2000)]);
      const ended = await untilEnded(environment);
      expect(ended.map(({ outcome }) => outcome)).toEqual(['done', 'superseded', 'done']);
      const { contacts } = await environment.panel.account();
      expect(contacts.map(({ name }) => name)).toEqual(['Same time']);
    });
  });

  it('run one after another in order of arrival, although the first is slow', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('queue');
      const acceptance = acceptanceOf(environment, context.temporal.client);
      await environment.panel.fault({
        method: 'POST',
        path: '^/v1/contacts$',
        kind: 'delay',
        ms: 1500,
        times: 1,
      });
      const drafts = ['First', 'Second', 'Third'].map((name) =>
        lead(route, name, 1, { contact: { number: '14155552001', name } }),
      );
      await acceptance.accept(route, drafts);
      expect((await untilEnded(environment)).map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done']);
      const { contacts } = await environment.panel.account();
      expect(contacts.map(({ name }) => name)).toEqual(['Third']);
    });
  });

  it('one that always fails does not block the next one', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('failing');
      const acceptance = acceptanceOf(environment, context.temporal.client);
      const body = { error: 'no', code: 'ERR_CONTACT_NUMBER_IS_LID' };
      await environment.panel.fault({
        method: 'POST',
        path: '^/v1/contacts$',
        kind: 'status',
        status: 400,
        body,
        times: 1,
      });
      await acceptance.accept(route, [lead(route, 'a', 1), lead(route, 'b', 1)]);
      expect(await untilEnded(environment)).toMatchObject([
        { outcome: 'failed', code: 'ERR_CONTACT_NUMBER_IS_LID' },
        { outcome: 'done' },
      ]);
      const kept = await environment.db.query('select request is not null as kept from events order by seq');
      expect(kept).toEqual([{ kept: true }, { kept: false }]);
    });
  });
});

describe('an event that the account refuses', () => {
  it('waits with the reason, and continues after a command', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('revoked');
      const acceptance = acceptanceOf(environment, context.temporal.client);
      const scopes = ['contacts:write', 'cards:write'];
      const token = (revoked: boolean) => ({ tokens: [{ value: 'svc_test_token', scopes, revoked }] });
      await environment.panel.patch(token(true));
      await acceptance.accept(route, [lead(route, 'a', 1, CARD)]);
      await until('the event waits', async () => {
        const [row] = await environment.db.query<{ block_code: string | null }>(
          'select block_code from events',
        );
        return row?.block_code === 'ERR_TOKEN_REVOKED';
      });
      await environment.panel.patch(token(false));
      await context.temporal.client.workflow.getHandle(idOf(route, 'a')).signal(retrySignal);
      expect(await untilEnded(environment)).toMatchObject([{ outcome: 'done' }]);
      expect(await environment.db.query('select block_code from events')).toEqual([{ block_code: null }]);
    });
  });

  it('FAULTS 22: continues as new before the history gets too long, and so does the event that waits for it', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('patient', { batch: { max: 2, wait: '1s' } });
      const acceptance = acceptanceOf(environment, context.temporal.client);
      const scopes = ['contacts:write', 'cards:write'];
      const token = (revoked: boolean) => ({ tokens: [{ value: 'svc_test_token', scopes, revoked }] });
      await environment.panel.patch(token(true));
      await acceptance.accept(route, [lead(route, 'a', 1), lead(route, 'b', 1)]);
      const blocked = async () => {
        const [row] = await environment.db.query<{ workflow: string }>(
          'select workflow from events where block_code is not null',
        );
        return row?.workflow;
      };
      await until('the first waits', async () => (await blocked()) !== undefined);
      const handle = context.temporal.client.workflow.getHandle((await blocked()) as string);
      const { runId } = await handle.describe();
      // Instead of days of checks and retries: the tests' Temporal server calls 300 events a long history.
      await Promise.all(Array.from({ length: 300 }, () => handle.signal(readySignal, 'another')));
      await until('a new run has it', async () => (await handle.describe()).runId !== runId);
      await until('the first waits there', async () => (await blocked()) !== undefined);
      await environment.panel.patch(token(false));
      await handle.signal(retrySignal);
      expect(await untilEnded(environment)).toMatchObject([{ outcome: 'done' }, { outcome: 'unchanged' }]);
    });
  });

  it('cancelled, it ends as discarded, and the next event about the person runs', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('cancelled');
      const acceptance = acceptanceOf(environment, context.temporal.client);
      await environment.panel.fault({
        method: 'POST',
        path: '^/v1/contacts$',
        kind: 'status',
        status: 503,
        times: 1000,
      });
      await acceptance.accept(route, [lead(route, 'a', 1), lead(route, 'b', 1)]);
      await until('a call was made', async () => (await environment.requests()).length > 0);
      await context.temporal.client.workflow.getHandle(idOf(route, 'a')).cancel();
      await until('the first has ended', async () => {
        const rows = await environment.db.query(`select 1 from events where outcome = 'discarded'`);
        return rows.length === 1;
      });
      await environment.panel.clearFaults();
      expect(await untilEnded(environment)).toMatchObject([{ code: 'CANCELLED' }, { outcome: 'done' }]);
    });
  });
});

describe('a route that batches', () => {
  it('ends every event when its workflow is cancelled', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('stopped', { batch: { max: 30, wait: '1s' } });
      const acceptance = acceptanceOf(environment, context.temporal.client);
      await environment.panel.fault({
        method: 'POST',
        path: '^/v1/contacts$',
        kind: 'status',
        status: 503,
        times: 9999,
      });
      await acceptance.accept(
        route,
        Array.from({ length: 30 }, (_, n) => lead(route, `k${n}`, n)),
      );
      await until('a call was made', async () => (await environment.requests()).length > 0);
      const [row] = await environment.db.query<{ workflow: string }>(
        'select workflow from events where workflow is not null',
      );
      await context.temporal.client.workflow.getHandle(row?.workflow ?? '').cancel();
      const ended = await untilEnded(environment);
      expect(new Set(ended.map(({ code }) => code))).toEqual(new Set(['CANCELLED']));
      expect(ended).toHaveLength(30);
      expect(await environment.db.query('select 1 from run_records')).toEqual([]);
    });
  });

  it('starts one workflow for a burst, which runs every event', async () => {
    await context.inEnvironment({ csv: HEADER }, async (environment) => {
      const route = leadRoute('burst', { batch: { max: 50, wait: '50ms' } });
      const acceptance = acceptanceOf(environment, context.temporal.client);
      const keys = Array.from({ length: 40 }, (_, n) => n);
      const answers = await Promise.all(
        keys.map((n) => acceptance.accept(route, [lead(route, `k${n}`, n % 30)])),
      );
      expect(answers.flat().every(({ duplicate }) => !duplicate)).toBe(true);
      const ended = await untilEnded(environment);
      expect(ended).toHaveLength(40);
      expect(ended.filter(({ outcome }) => outcome === 'done')).toHaveLength(30);
      expect((await environment.panel.account()).contacts).toHaveLength(30);
      await until('Temporal lists it', async () => (await starts(route)) >= 1);
      // History grows long here (300 events in tests), so one start may be several runs of one workflow.
      const ids = new Set<string>();
      for await (const { workflowId } of context.temporal.client.workflow.list({
        query: `WorkflowId STARTS_WITH "lead-intake/acme/burst/"`,
      }))
        ids.add(workflowId);
      expect(ids.size).toBe(1);
    });
  });
});

describe('tags of a lead', () => {
  it('are added to existing tags, and no sync removes them', async () => {
    const contact = { id: 1, number: '14155552001', name: 'Person 1', channel: 'waba', tagIds: [3] };
    await context.inEnvironment(
      { csv: HEADER + plainRow(1), account: account({ contacts: [contact] }) },
      async (environment) => {
        const route = leadRoute('tags');
        const acceptance = acceptanceOf(environment, context.temporal.client);
        await acceptance.accept(route, [lead(route, 'a', 1, { tags: ['vip'] })]);
        await untilEnded(environment);
        const tags = async () => (await environment.panel.account()).contacts[0]?.tagIds.toSorted();
        expect(await tags()).toEqual([2, 3]);
        await environment.write(`${HEADER}+1 415 555 2001,Person 1,,crm,,,\n`);
        await environment.run();
        expect(await tags()).toEqual([1, 2, 3]);
        await environment.write(`${HEADER}+1 415 555 2001,Person 1,,,,,\n`);
        await environment.run();
        expect(await tags()).toEqual([2, 3]);
      },
    );
  });
});
