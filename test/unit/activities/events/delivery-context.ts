// A sandbox with a clock of its own, a ledger, and the activities that follow messages between them.
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import {
  createDeliveryActivities,
  createDeliveryLedgerActivities,
  settle,
} from '../../../../activities/events/delivery.ts';
import { checkDelivery } from '../../../../activities/events/delivery-check.ts';
import { LANES } from '../../../../src/core/lanes.ts';
import type { Database } from '../../../../src/core/sql/database.ts';
import { shortHash } from '../../../../src/core/sql/short-hash.ts';
import { MessageStatusEvent } from '../../../../src/jobs/conversations/contract/events.ts';
import type { DeliveryBatchResult } from '../../../../src/jobs/events/contract/delivery.ts';
import type { DeliveryEntry } from '../../../../src/jobs/events/contract/events.ts';
import { followMessages, noteSeenStatuses } from '../../../../src/jobs/events/store/deliveries.ts';
import { dueChecks } from '../../../../src/jobs/events/store/delivery-checks.ts';
import { listDeliveries } from '../../../../src/jobs/events/store/delivery-queries.ts';
import { movesOn } from '../../../../src/jobs/events/store/delivery-status.ts';
import { putOutbox } from '../../../../src/jobs/outbox/store/outbox.ts';
import { CHOICES } from '../../../../src/sandbox/choices.ts';
import { createBudget } from '../../../../src/service/budget/slots.ts';
import { testAccount, testDeps, testLog } from '../../../support/activities/deps.ts';
import { openService } from '../../../support/activities/service.ts';
import { account } from '../../../support/environment.ts';
import { emptyLedger } from '../../../support/postgres/ledger.ts';

const T0 = Date.parse('2026-11-20T10:00:00.000Z');
export const SECOND = 1000;
export const HOUR = 3_600_000;
/** A number that is not on the network of chats. */
export const NOWHERE = '5511900000000';
const RULES = [{ sink: 'bus' }];
const logger = new DefaultLogger('ERROR');

export interface Sent {
  readonly id: string;
  readonly conversation: number;
}

/** Close it after the file's tests, and call `fresh` before each. */
export async function openDeliveryContext() {
  /** Epoch milliseconds: the sandbox's time, and that of the activities. */
  const clock = { at: T0 };
  const now = () => new Date(clock.at);
  const progressMs = { ...CHOICES.progressMs };
  const woken: string[] = [];
  const fixture = account({
    tokens: [{ value: 'svc_test_token', scopes: ['conversations:read', 'messages:read', 'messages:send'] }],
    connections: [
      { id: 1, name: 'main', channel: 'whatsapp', status: 'CONNECTED' },
      { id: 2, name: 'off', channel: 'whatsapp', status: 'DISCONNECTED' },
    ],
    numbersNotOnNetwork: [NOWHERE],
  });
  const { db, calls, panel, ...service } = await openService(fixture, { now, choices: { progressMs } });
  const client = service.client();

  async function fresh() {
    // A second later the counts would reach the next test's run.
    await calls.flush();
    await emptyLedger(db);
    // A day on, so that no test meets the conversations of the one before at the same instants.
    clock.at += 24 * HOUR;
    Object.assign(progressMs, CHOICES.progressMs);
    woken.length = 0;
    await panel.clearFaults();
  }

  const deps = (through: Database = db) =>
    testDeps({
      db: through,
      budget: createBudget(db, () => ({ limit: 60_000, reply: 0, lead: 0, floor: 0 })),
      calls,
      log: testLog(),
      account: (name) => testAccount(client, { name, announce: RULES }),
    });

  const inActivity = <A, R>(work: (input: A) => Promise<R>, input: A, attempt = 1): Promise<R> =>
    new MockActivityEnvironment({ priority: { priorityKey: LANES.poll }, attempt }, { logger }).run(
      work,
      input,
    );

  const wake = async (sinks: readonly string[]) => void woken.push(...sinks);
  const ledger = () => createDeliveryLedgerActivities(deps());
  /** Whether a check is due, and when the next one is, once what was seen meanwhile is published. */
  async function next(): Promise<{ nextMs: number | null; due: boolean }> {
    const { sinks, nextMs } = await settle(deps(), 'acme', now());
    await wake(sinks);
    return { nextMs, due: nextMs === 0 };
  }
  /** The check that has been due longest. */
  async function check(attempt = 1): Promise<void> {
    const { run } = await inActivity(ledger().beginDelivery, { account: 'acme' });
    const [due] = await dueChecks(db, 'acme', now(), 1);
    if (due === undefined) return;
    await inActivity(() => checkDelivery(deps(), { account: 'acme', run }, due, { attempt, now }), null);
  }
  /** One batch, as the workflow has it run. */
  async function batch(attempt = 1, through: Database = db): Promise<DeliveryBatchResult> {
    const { run } = await inActivity(ledger().beginDelivery, { account: 'acme' });
    const { deliveryBatch } = createDeliveryActivities(deps(through), { wake, now });
    return await inActivity(deliveryBatch, { account: 'acme', run }, attempt);
  }

  /** Does what the workflow does until `until` by its clock. @returns the number of checks */
  async function watch(until = Number.POSITIVE_INFINITY): Promise<number> {
    for (let checks = 0; ; ) {
      const round = await next();
      if (round.due) {
        await check();
        checks++;
        continue;
      }
      if (round.nextMs === null) {
        if (until < Number.POSITIVE_INFINITY) clock.at = Math.max(clock.at, until);
        return checks;
      }
      if (clock.at + round.nextMs > until) {
        clock.at = until;
        return checks;
      }
      clock.at += round.nextMs;
    }
  }

  let numbers = 0;
  const newNumber = () => `14155${String(100_000 + ++numbers)}`;

  /** Sends, and notes it as the `message` action does. */
  async function send(number = newNumber(), over: object = {}): Promise<Sent> {
    const { data } = await client.messages.send({ number, body: 'hello', whatsappId: 1, ...over });
    const [message] = data.messages;
    const conversation = data.ticketId as number;
    const { id, status, ack } = message as { id: string; status: string; ack: number };
    await followMessages(
      db,
      { account: 'acme', event: `event of ${id}`, conversation, messages: [{ id, status, ack }] },
      now(),
    );
    return { id, conversation };
  }

  /** Statuses that were published of a message, in the order of the outbox; repetitions under one event id once. */
  async function published(id: string): Promise<string[]> {
    const rows = await db.query<{ event: unknown }>(
      `select event from outbox where event ->> 'subject' = $1 and type = 'message.status' order by seq`,
      [`id:${id}`],
    );
    const events = rows.map(({ event }) => MessageStatusEvent.parse(event));
    return [...new Set(events.map(({ data }) => data.message.status))];
  }

  async function entry(id: string): Promise<DeliveryEntry> {
    const rows = (await listDeliveries(db, {}, { limit: 1000 })).messages;
    return rows.find(({ message }) => message === shortHash(id)) as DeliveryEntry;
  }

  const fault = (over: object) => panel.fault({ method: 'GET', path: '^/v1/', kind: 'status', ...over });

  /** What the poller does with a page of one conversation. */
  async function poll(conversation: number, page?: Awaited<ReturnType<typeof pageOf>>): Promise<void> {
    const items = page ?? (await pageOf(conversation));
    await db.transaction(async (tx) => {
      const seen = items.map(({ id: messageId, status, ack }) => ({ messageId, status, ack }));
      const events = await noteSeenStatuses(tx, 'acme', conversation, seen, now());
      for (const { id, status, ack } of items) {
        const key = `id:${id}`;
        const [known] = await tx.query<{ status: string }>(
          `select status from messages where account = 'acme' and conversation_id = $1 and key = $2 for update`,
          [conversation, key],
        );
        if (known === undefined) {
          await tx.query(
            `insert into messages (account, conversation_id, key, status) values ('acme', $1, $2, $3)`,
            [conversation, key, status],
          );
          continue;
        }
        if (!movesOn(known.status, status)) continue;
        await tx.query(
          `update messages set status = $3 where account = 'acme' and conversation_id = $1 and key = $2`,
          [conversation, key, status],
        );
        const event = {
          ...({ specversion: '1.0', type: 'message.status', datacontenttype: 'application/json' } as const),
          id: `message.status/acme/${conversation}/${key}/${status}`,
          source: `/sluice/accounts/acme/conversations/${conversation}`,
          time: now().toISOString(),
          partitionkey: `acme/${conversation}`,
          subject: key,
          data: {
            account: 'acme',
            conversationId: conversation,
            message: { key, id, status, previous: known.status, ack },
            event: events.get(id) ?? null,
          },
        };
        await putOutbox(tx, 'acme', RULES, [{ event, connection: null }]);
      }
    });
  }

  async function pageOf(conversation: number) {
    const { data } = await client.conversations.messages(conversation, { pageSize: 200 });
    return data.items.map(({ id, raw }) => ({
      id: id as string,
      status: raw['status'] as string,
      ack: raw['ack'] as number,
    }));
  }

  return {
    db,
    clock,
    now,
    progressMs,
    woken,
    client,
    panel,
    deps,
    fresh,
    fault,
    next,
    check,
    batch,
    watch,
    newNumber,
    send,
    published,
    entry,
    poll,
    pageOf,
    close: service.close,
  };
}
