// The end of a run, published to a real Kafka broker: what arrives, and what happens while the broker or the topic is away.

import { describe, expect, it } from 'vitest';
import { outboxWorkflowId } from '../../../src/core/ids.ts';
import { RunEndedEvent } from '../../../src/jobs/events/contract/envelope.ts';
import { reopenOutbox } from '../../../src/jobs/outbox/store/queries.ts';
import { pauseUpdate, wakeSignal } from '../../../workflows/messages.ts';
import type { Environment } from '../../support/environment.ts';
import { HEADER, plainRow, syncContext } from '../../support/sync-context.ts';
import { until } from '../../support/until.ts';
import { kafkaContext } from './kafka-context.ts';
import { readTopic } from './topic.ts';

const context = syncContext();
const kafka = kafkaContext();

/** A test environment whose sync announces to this topic; the topic is made here unless it is to be missing. */
async function announcing(topic: string, options: { missing?: boolean; csv?: string } = {}) {
  if (options.missing !== true) await kafka.admin.createTopics({ topics: [{ topic, numPartitions: 3 }] });
  const bus = { type: 'kafka', brokers: kafka.broker.brokers, topic };
  return {
    csv: options.csv ?? HEADER + plainRow(1),
    // The workflow of a sink works on the queue of the environment that began it.
    sinks: { [`bus-${topic}`]: bus },
    sync: { announce: `bus-${topic}` },
    log: { info() {}, warn() {}, error: console.error },
  };
}

const eventsIn = async (topic: string) =>
  (await readTopic(kafka.client, topic)).map(({ value }) => RunEndedEvent.parse(JSON.parse(value)));

/** What has arrived once there are this many events. */
const arrived = (topic: string, count: number) =>
  until(`${count} events arrived`, async () => {
    const messages = await readTopic(kafka.client, topic);
    return messages.length >= count ? messages : null;
  });

/** Waits until the outbox has tried the event and says why it did not arrive. */
const troubled = (environment: Environment, code: string) =>
  until(`the sink fails with ${code}`, async () => {
    const rows = await environment.db.query<{ code: string }>(
      'select code from outbox where code is not null',
    );
    return rows.some((row) => row.code === code);
  });

/** As `sluice outbox retry` does. */
async function retry(environment: Environment): Promise<void> {
  const { sinks } = await environment.db.transaction((tx) => reopenOutbox(tx, { states: ['waiting'] }, 10));
  for (const sink of sinks)
    await context.temporal.client.workflow.getHandle(outboxWorkflowId(sink)).signal(wakeSignal);
}

describe('a run that ends', () => {
  it('is published once with key, content type and counts, each sync in order, and without personal data', async () => {
    const csv = `${HEADER}${plainRow(1)}11 98765-4321,Ana Souza,ana@example.com,nonesuch,Acme,Nowhere,\nletters,Caio,,,,,\n`;
    await context.inEnvironment(await announcing('runs', { csv }), async (environment) => {
      const reports = [await environment.run(), await environment.run()];
      const messages = await arrived('runs', 2);
      expect(new Set(messages.map(({ partition }) => partition)).size).toBe(1);
      for (const { key, headers } of messages) {
        expect(key).toBe('acme/leads');
        expect(headers).toEqual({ 'content-type': 'application/cloudevents+json; charset=UTF-8' });
      }
      const events = messages.map(({ value }) => RunEndedEvent.parse(JSON.parse(value)));
      const published = reports.map((report) => ({ ...report, problems: undefined, totals: undefined }));
      expect(events.map(({ id, type, data }) => ({ id, type, data }))).toEqual(
        published.map((data) => ({ id: `${data.run}/finished`, type: 'sluice.sync.finished', data })),
      );
      expect(published[0]?.warnings).toMatchObject([{ code: 'UNKNOWN_TAG' }]);
      expect(JSON.stringify(messages)).not.toMatch(
        /Ana|Souza|Caio|98765|5552001|example\.com|Person|Acme|Nowhere/,
      );
    });
  });

  it('by cancellation or by failure is published too', async () => {
    await context.inEnvironment(await announcing('ends'), async (environment) => {
      await environment.panel.fault({ method: 'POST', path: '^/v1/contacts$', kind: 'status', status: 500 });
      const handle = await environment.start();
      await handle.executeUpdate(pauseUpdate, { args: [{ by: 'test', reason: 'to be cancelled' }] });
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow();
      await environment.write('');
      await expect(environment.run()).rejects.toThrow();
      await arrived('ends', 2);
    });
    expect((await eventsIn('ends')).map(({ id, type }) => `${id} ${type}`)).toEqual([
      'acme/leads/1/cancelled sluice.sync.cancelled',
      'acme/leads/2/failed sluice.sync.failed',
    ]);
  });

  it('without a sink puts nothing into the outbox', async () => {
    await context.inEnvironment({ csv: HEADER + plainRow(1) }, async (environment) => {
      await environment.run();
      expect(await environment.db.query('select 1 from outbox')).toEqual([]);
    });
  });
});

describe('a sink that is away', () => {
  it('for want of its topic gets the event once somebody has made the topic; Sluice does not', async () => {
    await context.inEnvironment(await announcing('late', { missing: true }), async (environment) => {
      expect((await environment.run()).warnings).toEqual([]);
      await troubled(environment, 'UNKNOWN_TOPIC_OR_PARTITION');
      expect(await kafka.admin.listTopics()).not.toContain('late');
      await kafka.admin.createTopics({ topics: [{ topic: 'late' }] });
      await retry(environment);
      await arrived('late', 1);
      expect((await eventsIn('late')).map(({ id }) => id)).toEqual(['acme/leads/1/finished']);
    });
  });

  it('leaves the result of the run alone: the run ends, and its event arrives when the sink is back', async () => {
    await context.inEnvironment(await announcing('outage'), async (environment) => {
      const back = await kafka.broker.outage();
      const report = await environment.run();
      expect(report).toMatchObject({ created: 1, failed: 0, warnings: [] });
      await troubled(environment, 'ECONNREFUSED');
      await back();
      await retry(environment);
      await arrived('outage', 1);
      expect(new Set((await eventsIn('outage')).map(({ id }) => id))).toEqual(
        new Set(['acme/leads/1/finished']),
      );
    });
  });
});
