// The workflow that follows deliveries: it waits for what is due, rides out a refusal, and ends when nothing is left.

import { describe, expect, it } from 'vitest';
import { deliveryWorkflowId } from '../../src/core/ids.ts';
import { shortHash } from '../../src/core/sql/short-hash.ts';
import { followMessages } from '../../src/jobs/events/store/deliveries.ts';
import { listDeliveries } from '../../src/jobs/events/store/delivery-queries.ts';
import { wakeSignal } from '../../workflows/messages.ts';
import { account, type Environment } from '../support/environment.ts';
import { acceptanceOf, draft, eventId, leadRoute, untilEnded } from '../support/intake-context.ts';
import { HEADER, syncContext } from '../support/sync-context.ts';
import { until } from '../support/until.ts';

const context = syncContext();

const MESSAGE = {
  id: 'wamid.canary',
  body: 'hi',
  fromMe: true,
  at: '2026-11-20T10:00:00.000Z',
};
const chatty = account({
  tokens: [{ value: 'svc_test_token', scopes: ['messages:read', 'messages:send'] }],
  contacts: [{ id: 1, number: '14155552001', name: 'Person 1' }],
  conversations: [
    {
      id: 5,
      contactId: 1,
      connectionId: 1,
      status: 'open',
      messages: [MESSAGE],
      chatbot: false,
      userId: null,
      queueId: null,
      updatedAt: '2026-11-20T10:00:00.000Z',
    },
  ],
});

const follow = async (environment: Environment, id: string, secondsAgo: number, status = 'queued') => {
  const messages = [{ id, status, ack: 0 }];
  const sentAt = new Date(Date.now() - secondsAgo * 1000);
  await followMessages(
    environment.db,
    { account: 'acme', event: 'e1', conversation: 5, messages, sentAt },
    sentAt,
  );
};

const wake = (environment: Environment) =>
  context.temporal.client.workflow.signalWithStart('deliveryWatch', {
    workflowId: deliveryWorkflowId('acme'),
    taskQueue: environment.workQueue,
    args: [{ account: 'acme' }],
    signal: wakeSignal,
    signalArgs: [],
  });

const statusOf = async (environment: Environment, id: string) =>
  (await environment.db.query('select status, end_code from deliveries where message_id = $1', [id]))[0];

/** A history with its payloads readable. */
const plain = (history: object) =>
  JSON.stringify(history, (_key, value: { type?: string; data?: number[] } | null) =>
    value?.type === 'Buffer' && value.data !== undefined ? Buffer.from(value.data).toString() : value,
  );

describe('deliveryWatch', () => {
  it('FAULTS 12: waits while the token is refused, continues when woken, and ends when nothing is followed', async () => {
    await context.inEnvironment({ csv: HEADER, account: chatty }, async (environment) => {
      await environment.panel.patch({ tokens: [{ value: 'svc_test_token', revoked: true }] });
      await follow(environment, MESSAGE.id, 60);
      const handle = await wake(environment);
      const blocked = async () => {
        const { searchAttributes } = await handle.describe();
        return searchAttributes['SluicePhase']?.[0] === 'blocked';
      };
      await until('the watch is blocked', blocked);
      expect((await environment.requests()).map(({ code }) => code)).toEqual(['ERR_TOKEN_REVOKED']);
      expect(await statusOf(environment, MESSAGE.id)).toEqual({ status: 'queued', end_code: null });
      await environment.panel.patch({ tokens: [{ value: 'svc_test_token', revoked: false }] });
      await wake(environment);
      await handle.result();
      expect(await statusOf(environment, MESSAGE.id)).toEqual({ status: 'read', end_code: null });
      // Ids of a channel may contain the number that a message was sent to.
      const history = plain(await handle.fetchHistory());
      expect(history).toContain('acme');
      expect(history).not.toContain(MESSAGE.id);
      // Nothing is left of the workflow: the next message starts it again.
      await follow(environment, 'gone', 100);
      await (await wake(environment)).result();
      expect(await statusOf(environment, 'gone')).toEqual({ status: 'queued', end_code: 'NOT_FOUND' });
      const { messages } = await listDeliveries(environment.db, { account: 'acme' }, { limit: 10 });
      expect(messages).toMatchObject([
        { message: shortHash(MESSAGE.id), event: 'e1', conversation: 5, status: 'read', nextAt: null },
        { message: shortHash('gone'), endCode: 'NOT_FOUND' },
      ]);
    });
  });

  it('is started by an event that has sent a message', async () => {
    await context.inEnvironment({ csv: HEADER, account: chatty }, async (environment) => {
      const route = leadRoute('chat');
      const to = { number: '14155552001', key: '14155552001' };
      const request = { type: 'message', to, text: 'hello', saveOnTicket: true } as const;
      const acceptance = acceptanceOf(environment, context.temporal.client);
      await acceptance.accept(route, [draft(route, 'a', 'person/1', request)]);
      expect(await untilEnded(environment)).toMatchObject([{ outcome: 'done' }]);
      const watch = context.temporal.client.workflow.getHandle(deliveryWorkflowId('acme'));
      await until('its delivery is watched', async () => {
        const found = await watch.describe().catch(() => null);
        return found?.status.name === 'RUNNING';
      });
      const rows = await environment.db.query('select event_id, next_at is not null as open from deliveries');
      expect(rows).toEqual([{ event_id: eventId('chat/a'), open: true }]);
    });
  });

  it('a wake is never lost, although the watch ends after each of them', async () => {
    await context.inEnvironment({ csv: HEADER, account: chatty }, async (environment) => {
      for (let n = 0; n < 10; n++) {
        // It failed at once: the first step of the watch publishes it and then ends. The next wake comes into that end.
        await follow(environment, `m${n}`, 0, 'failed');
        await wake(environment);
        await until(`the watch has seen message ${n}`, async () => {
          const open = await environment.db.query('select 1 from deliveries where next_at is not null');
          return open.length === 0;
        });
      }
    });
  });
});
