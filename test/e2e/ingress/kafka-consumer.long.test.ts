// A consumer of the Kafka ingress on a real broker: partitions that it loses, handlers that throw, topics and brokers that
// are away.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { NotAcceptedError } from '../../../src/jobs/events/ingress/intake.ts';
import { until } from '../../support/until.ts';
import { kafkaContext, scriptedAcceptance, scriptedRoute } from './kafka-context.ts';

const context = kafkaContext();

describe('a consumer', () => {
  it('FAULTS 39: that loses its partition between acceptance and commit leaves it to the next one to read again: one event', async () => {
    const { leads, dead } = await context.topics({ leads: 1, dead: 1 });
    const group = randomUUID();
    const first = scriptedAcceptance();
    const second = scriptedAcceptance();
    for (const known of [first, second]) (known as { known: Set<string> }).known = first.known;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let asked = false;
    first.onAccept = async () => {
      asked = true;
      await answered;
    };
    await context.send(leads, ['a0', 'a1']);
    const config = { group, deadLetters: dead };
    const one = context.start(config, { routes: [scriptedRoute([leads])], acceptance: first });
    await until('the first one is at it', () => asked);
    const two = context.start(config, { routes: [scriptedRoute([leads])], acceptance: second });
    await context.joined(two);
    const has = (started: typeof one) => started.ingress.status().partitions.length === 1;
    // Whichever process has the partition now: the group restarted, so the first process does not commit its offsets.
    answer();
    first.onAccept = () => {};
    await until('all is committed', async () => (await context.committed(group, leads)) === 2);
    expect([has(one), has(two)].filter(Boolean)).toHaveLength(1);
    expect([...first.accepted, ...second.accepted]).toEqual(['a0', 'a1', 'a0', 'a1']);
    expect(first.known.size).toBe(2);
  });

  it('FAULTS 40: whose handler throws at one partition stops there, continues with the others, and logs no values', async () => {
    const { leads, dead } = await context.topics({ leads: 2, dead: 1 });
    const acceptance = scriptedAcceptance();
    const group = randomUUID();
    const route = scriptedRoute([leads]);
    await context.send(leads, ['a0', 'throw Maria Souza', 'a2']);
    await context.send(leads, ['b0', 'b1'], { partition: 1 });
    const { ingress, lines } = context.start({ group, deadLetters: dead }, { routes: [route], acceptance });
    await until('the other is done', async () => (await context.committed(group, leads, 1)) === 2);
    await until('it stands at the record', async () => (await context.committed(group, leads)) === 1);
    await until('it is known as stopped', () =>
      ingress.status().partitions.some(({ paused }) => paused?.why === 'ERROR'),
    );
    await context.send(leads, ['b2'], { partition: 1 });
    await until('the other goes on', () => acceptance.accepted.includes('b2'));
    expect(acceptance.accepted).not.toContain('a2');
    expect(lines.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { topic: leads, partition: 0, offset: 1, why: 'ERROR', kind: 'TypeError' } },
    ]);
    expect(JSON.stringify(lines)).not.toContain('Souza');
    const { read } = route;
    (route as { read: typeof read }).read = async (delivery) =>
      await read({
        ...delivery,
        body: Buffer.from(String(Buffer.from(delivery.body)).replace('throw', 'was')),
      });
    await until('all is committed', async () => (await context.committed(group, leads)) === 3);
    expect(acceptance.accepted.filter((text) => !text.startsWith('b'))).toEqual([
      'a0',
      'was Maria Souza',
      'a2',
    ]);
  });

  it('FAULTS 42: that returns after its offsets expired continues at the earliest and reports the gap', async () => {
    const { leads, dead } = await context.topics({ leads: 1, dead: 1 });
    const acceptance = scriptedAcceptance();
    const config = { group: randomUUID(), deadLetters: dead, from: 'latest' as const };
    const open = () => context.start(config, { routes: [scriptedRoute([leads])], acceptance });
    const first = open();
    await context.joined(first);
    await until(
      'the start is written down',
      async () => (await context.committed(config.group, leads)) === 0,
    );
    await context.send(leads, ['a0', 'a1']);
    await until('two are committed', async () => (await context.committed(config.group, leads)) === 2);
    await first.ingress.close();
    await context.send(leads, ['a2', 'a3', 'a4', 'a5']);
    await context.admin().deleteTopicRecords({ topic: leads, partitions: [{ partition: 0, offset: '5' }] });
    const second = open();
    await until('all is committed', async () => (await context.committed(config.group, leads)) === 6);
    expect(acceptance.accepted).toEqual(['a0', 'a1', 'a5']);
    const gap = { topic: leads, partition: 0, from: '2', to: '5', count: 3 };
    expect(second.ingress.status().gaps).toMatchObject([gap]);
    expect(second.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { topic: leads, partition: 0, fromOffset: 2, toOffset: 5, count: 3 } },
    ]);
    expect(await second.registry.metrics()).toMatch(/sluice_kafka_missed_records_total\{.*\} 3/);
  });

  it.each([
    ['when it looks', 100],
    ['when kafkajs is refused', 60_000],
  ])(
    'FAULTS 42: whose next records expire while it stands still reports the gap %s, once, and skips nothing that is there',
    async (_when, checkMs) => {
      const { leads, dead } = await context.topics({ leads: 1, dead: 1 });
      const acceptance = scriptedAcceptance();
      const group = randomUUID();
      let open = true;
      acceptance.onAccept = () => {
        if (!open) throw new NotAcceptedError('BUSY', 20, 'too much is open');
      };
      const { ingress } = context.start(
        { group, deadLetters: dead, from: 'latest' },
        { routes: [scriptedRoute([leads])], acceptance, checkMs },
      );
      await until('the start is written down', async () => (await context.committed(group, leads)) === 0);
      open = false;
      await context.send(leads, ['a0']);
      await until('it stands still', () => ingress.status().partitions[0]?.paused?.why === 'BUSY');
      await context.send(leads, ['a1', 'a2', 'a3', 'a4']);
      await context.admin().deleteTopicRecords({ topic: leads, partitions: [{ partition: 0, offset: '4' }] });
      if (checkMs < 1000) await until('the gap is seen', () => ingress.status().gaps.length > 0);
      open = true;
      await until('all is committed', async () => (await context.committed(group, leads)) === 5);
      // The one that was in hand already is not lost with the others.
      expect(acceptance.accepted).toEqual(['a0', 'a4']);
      expect(ingress.status().gaps).toMatchObject([{ from: '1', to: '4', count: 3 }]);
    },
  );

  it('waits for topics that do not exist, makes none, and reads the others meanwhile', async () => {
    const { leads, dead } = await context.topics({ leads: 1, dead: 1 });
    const late = `late-${randomUUID().slice(0, 8)}`;
    const acceptance = scriptedAcceptance();
    await context.send(leads, ['a0']);
    const { ingress, lines } = context.start(
      { deadLetters: dead },
      { routes: [scriptedRoute([leads, late])], acceptance },
    );
    await until('the other is read', () => acceptance.accepted.includes('a0'));
    expect(ingress.status().missingTopics).toEqual([late]);
    expect(lines.filter(({ fields }) => fields['topic'] === late)).toMatchObject([
      { level: 'error', message: expect.stringContaining('create it') },
    ]);
    expect(await context.admin().listTopics()).not.toContain(late);
    await context.admin().createTopics({ topics: [{ topic: late }] });
    await context.send(late, ['b0']);
    await until('the new one is read', () => acceptance.accepted.includes('b0'));
  });

  it('ends what is under way with its commit, and takes nothing more', async () => {
    const { leads, dead } = await context.topics({ leads: 1, dead: 1 });
    const acceptance = scriptedAcceptance();
    const group = randomUUID();
    let answer = () => {};
    let asked = false;
    acceptance.onAccept = () => {
      asked = true;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    await context.send(leads, ['a0', 'a1']);
    const { ingress } = context.start(
      { group, deadLetters: dead },
      { routes: [scriptedRoute([leads])], acceptance },
    );
    await until('it is at it', () => asked);
    const closed = ingress.close();
    await context.send(leads, ['a2']);
    answer();
    await closed;
    expect(await context.committed(group, leads)).toBe(2);
    expect(acceptance.accepted).toEqual(['a0', 'a1']);
    expect(await context.admin().describeGroups([group])).toMatchObject({ groups: [{ members: [] }] });
  });

  it('outlives its brokers: what came before and after an outage is accepted, and the outage is said once', async () => {
    const { leads, dead } = await context.topics({ leads: 1, dead: 1 });
    const acceptance = scriptedAcceptance();
    await context.send(leads, ['a0']);
    const started = context.start({ deadLetters: dead }, { routes: [scriptedRoute([leads])], acceptance });
    await until('the first is accepted', () => acceptance.accepted.includes('a0'));
    const back = await context.broker().outage();
    await until('it is known', () => !started.ingress.status().connected);
    // One that starts while they are away waits for them, too.
    const late = scriptedAcceptance();
    const other = context.start(
      { deadLetters: dead },
      { routes: [scriptedRoute([leads])], acceptance: late },
    );
    await until('the other knows', () => other.ingress.status().away?.includes('ECONNREFUSED'));
    await back();
    await context.send(leads, ['a1']);
    await until('the second is accepted', () => acceptance.accepted.includes('a1'));
    await until('both by the other', () => late.accepted.length === 2);
    const about = started.lines.filter(({ fields }) => 'brokers' in fields);
    expect(about).toHaveLength(1);
  });
});
