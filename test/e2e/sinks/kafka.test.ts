// The end of a run, told on a real Kafka broker: what arrives, and what happens while the broker or the topic is away.
import { describe, expect, it } from 'vitest';
import { RunEndedEvent } from '../../../src/contracts/events.ts';
import { pauseUpdate } from '../../../workflows/messages.ts';
import { HEADER, plainRow, type SyncHandle, syncRoom, untilRetried } from '../../support/sync-room.ts';
import { kafkaRoom } from './kafka-room.ts';
import { readTopic } from './topic.ts';

const room = syncRoom();
const kafka = kafkaRoom();

/** A house whose sync announces to this topic; the topic is made here unless it is to be missing. */
async function announcing(topic: string, options: { missing?: boolean; csv?: string } = {}) {
  if (options.missing !== true) await kafka.admin.createTopics({ topics: [{ topic, numPartitions: 3 }] });
  const bus = { type: 'kafka', brokers: kafka.broker.brokers, topic };
  return {
    csv: options.csv ?? HEADER + plainRow(1),
    sinks: { bus },
    sync: { announce: 'bus' },
    log: { info() {}, warn() {}, error: console.error },
  };
}

const eventsIn = async (topic: string) =>
  (await readTopic(kafka.client, topic)).map(({ value }) => RunEndedEvent.parse(JSON.parse(value)));

/** Changes how often and how long an event is tried, as an operator can. */
async function hurry(handle: SyncHandle, wait: 'end' | 'often'): Promise<void> {
  await room.temporal.connection.workflowService.updateActivityOptions({
    namespace: room.temporal.namespace,
    execution: { workflowId: handle.workflowId },
    type: 'announceRun',
    activityOptions:
      wait === 'end'
        ? { scheduleToCloseTimeout: { seconds: 1 as never } }
        : { retryPolicy: { maximumInterval: { seconds: 1 as never } } },
    updateMask: {
      paths: [wait === 'end' ? 'schedule_to_close_timeout' : 'retry_policy.maximum_interval'],
    },
  });
}

describe('a run that ends', () => {
  it('is told once with key, content type and counts, each sync in order, and without personal data', async () => {
    const csv = `${HEADER}${plainRow(1)}11 98765-4321,Ana Souza,ana@example.com,nonesuch,Acme,Nowhere,\nletters,Caio,,,,,\n`;
    await room.inHouse(await announcing('runs', { csv }), async (house) => {
      const reports = [await house.run(), await house.run()];
      const messages = await readTopic(kafka.client, 'runs');
      expect(new Set(messages.map(({ partition }) => partition)).size).toBe(1);
      for (const { key, headers } of messages) {
        expect(key).toBe('acme/leads');
        expect(headers).toEqual({ 'content-type': 'application/cloudevents+json; charset=UTF-8' });
      }
      const events = messages.map(({ value }) => RunEndedEvent.parse(JSON.parse(value)));
      const told = reports.map((report) => ({ ...report, problems: undefined }));
      expect(events.map(({ id, type, data }) => ({ id, type, data }))).toEqual(
        told.map((data) => ({ id: `${data.run}/finished`, type: 'sluice.sync.finished', data })),
      );
      expect(told[0]?.warnings).toMatchObject([{ code: 'UNKNOWN_TAG' }]);
      expect(JSON.stringify(messages)).not.toMatch(
        /Ana|Souza|Caio|98765|5552001|example\.com|Person|Acme|Nowhere/,
      );
    });
  });

  it('by cancellation or by failure is told, too', async () => {
    await room.inHouse(await announcing('ends'), async (house) => {
      await house.panel.fault({ method: 'POST', path: '^/v1/contacts$', kind: 'status', status: 500 });
      const handle = await house.start();
      await handle.executeUpdate(pauseUpdate, { args: [{ by: 'test', reason: 'to be cancelled' }] });
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow();
      await house.write('');
      await expect(house.run()).rejects.toThrow();
    });
    expect((await eventsIn('ends')).map(({ id, type }) => `${id} ${type}`)).toEqual([
      'acme/leads/1/cancelled sluice.sync.cancelled',
      'acme/leads/2/failed sluice.sync.failed',
    ]);
  });

  it('without a sink costs no step of the workflow', async () => {
    await room.inHouse({ csv: HEADER + plainRow(1) }, async (house) => {
      const handle = await house.start();
      await handle.result();
      const { events } = await handle.fetchHistory();
      const steps = events?.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
      expect(steps).toContain('closeRun');
      expect(steps).not.toContain('announceRun');
    });
  });
});

describe('a sink that is away', () => {
  it('for want of its topic gets the event once somebody has made the topic; Sluice does not', async () => {
    await room.inHouse(await announcing('late', { missing: true }), async (house) => {
      const handle = await house.start();
      await untilRetried(handle, 'announceRun', 'UNKNOWN_TOPIC_OR_PARTITION');
      expect(await kafka.admin.listTopics()).not.toContain('late');
      await kafka.admin.createTopics({ topics: [{ topic: 'late' }] });
      expect((await handle.result()).warnings).toEqual([]);
      expect((await eventsIn('late')).map(({ id }) => id)).toEqual(['acme/leads/1/finished']);
    });
  });

  it('is given up by a cancellation; the run stays finished', async () => {
    await room.inHouse(await announcing('never', { missing: true }), async (house) => {
      const handle = await house.start();
      await untilRetried(handle, 'announceRun', 'UNKNOWN_TOPIC_OR_PARTITION');
      await handle.cancel();
      await expect(handle.result()).rejects.toThrow();
      expect(await house.db.query('select status, code from runs join run_warnings on run_id = id')).toEqual([
        { status: 'finished', code: 'ANNOUNCE_FAILED' },
      ]);
    });
  });

  it('leaves the result of the run alone: it ends with a warning, and one that is back in time gets its event', async () => {
    await room.inHouse(await announcing('outage'), async (house) => {
      const back = await kafka.broker.outage();
      const lost = await house.start();
      await untilRetried(lost, 'announceRun', 'ECONNREFUSED');
      await hurry(lost, 'end');
      const report = await lost.result();
      expect(report).toMatchObject({ created: 1, failed: 0 });
      expect(report.warnings).toEqual([
        {
          step: 'announce',
          code: 'ANNOUNCE_FAILED',
          reason: expect.any(String) as string,
        },
      ]);
      expect(await house.db.query('select step, code, reason from run_warnings')).toEqual(report.warnings);

      const late = await house.start();
      await untilRetried(late, 'announceRun', 'ECONNREFUSED');
      await hurry(late, 'often');
      await back();
      expect((await late.result()).warnings).toEqual([]);
      expect(new Set((await eventsIn('outage')).map(({ id }) => id))).toEqual(
        new Set(['acme/leads/2/finished']),
      );
    });
  });
});
