// The Kafka ingress on a real broker: what is committed, what becomes a dead letter, and what happens when things are away.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { headersFrom, writableHeaders } from '../../../src/connectors/kafka/headers.ts';
import { NotAcceptedError } from '../../../src/jobs/events/ingress/intake.ts';
import { until } from '../../support/until.ts';
import { kafkaContext, realRoute, scriptedAcceptance, scriptedRoute } from './kafka-context.ts';

const context = kafkaContext();
const numbered = (count: number, prefix = 'e') => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('records', () => {
  it('are accepted in order of their partition, and only then committed', async () => {
    const { leads, dead } = await context.topics({ leads: 3, dead: 1 });
    const acceptance = scriptedAcceptance();
    const group = randomUUID();
    for (const partition of [0, 1, 2])
      await context.send(leads, numbered(700, `p${partition}-`), { partition });
    const { registry } = context.start(
      { group, deadLetters: dead },
      { routes: [scriptedRoute([leads])], acceptance },
    );
    for (const partition of [0, 1, 2])
      await until('all is committed', async () => (await context.committed(group, leads, partition)) === 700);
    for (const partition of [0, 1, 2])
      expect(acceptance.accepted.filter((text) => text.startsWith(`p${partition}`))).toEqual(
        numbered(700, `p${partition}-`),
      );
    expect(await registry.metrics()).toContain('outcome="accepted"} 2100');
  });

  it('FAULTS 19: are not committed while Temporal is down, and all taken once it is back; both are said once', async () => {
    const { leads, dead } = await context.topics({ leads: 1, dead: 1 });
    const acceptance = scriptedAcceptance();
    const group = randomUUID();
    let tries = 0;
    acceptance.onAccept = () => {
      tries += 1;
      throw new NotAcceptedError('TEMPORAL', 20, 'Temporal does not answer');
    };
    await context.send(leads, numbered(5));
    const { ingress, lines } = context.start(
      { group, deadLetters: dead },
      { routes: [scriptedRoute([leads])], acceptance },
    );
    await until('it was tried some times', () => tries > 4);
    expect(ingress.status().partitions).toMatchObject([
      { topic: leads, lag: 5, paused: { why: 'TEMPORAL' } },
    ]);
    expect(await context.committed(group, leads)).toBe(0);
    acceptance.onAccept = () => {};
    await until('all is committed', async () => (await context.committed(group, leads)) === 5);
    expect(acceptance.accepted).toEqual(numbered(5));
    const about = lines.filter(({ fields }) => fields['why'] === 'TEMPORAL');
    expect(about.map(({ level }) => level)).toEqual(['warn', 'info']);
  });
});

describe('records that no route can take', () => {
  it('FAULTS 37: not JSON, a tombstone, the wrong schema and an oversized one become dead letters; the next one is processed', async () => {
    const { leads, dead } = await context.topics({ leads: 1, dead: 2 });
    const acceptance = scriptedAcceptance();
    const group = randomUUID();
    const secret = 'Maria Souza';
    await context.send(
      leads,
      [
        `{"phone": "5511987654321", "name": "${secret}`,
        null,
        JSON.stringify({ name: secret }),
        JSON.stringify({ phone: '5511987654321', fill: 'x'.repeat(2000) }),
        JSON.stringify({ phone: '5511987654322' }),
      ],
      { key: 'k1', headers: { 'X-Trace': 't1', 'sluice-resolution': 'replayed' } },
    );
    const { lines } = context.start(
      { group, deadLetters: dead },
      { routes: [realRoute(leads)], acceptance, maxMessageBytes: 1000 },
    );
    await until('all is committed', async () => (await context.committed(group, leads)) === 5);
    expect(acceptance.accepted).toEqual(['person/5511987654322']);
    const foundLetters = await context.read(dead);
    expect(
      foundLetters.map(({ key, value, headers }) => [
        headers['sluice-origin-offset'],
        headers['sluice-error-code'],
        key,
        value.slice(0, 9),
      ]),
    ).toEqual([
      ['0', 'BAD_JSON', 'k1', '{"phone":'],
      ['1', expect.stringMatching(/^[A-Z_]+$/), 'k1', 'null'],
      ['2', 'SCHEMA', 'k1', '{"name":"'],
      ['3', 'TOO_LARGE', 'k1', '{"phone":'],
    ]);
    for (const { headers } of foundLetters) {
      expect(headers).toMatchObject({
        'X-Trace': 't1',
        'sluice-origin-topic': leads,
        'sluice-origin-partition': '0',
        'sluice-origin-timestamp': expect.stringMatching(/^\d{4}-.*Z$/),
        'sluice-failed-at': expect.stringMatching(/^\d{4}-.*Z$/),
        'sluice-route': 'leads',
        'sluice-error-reason': expect.stringMatching(/\w{4}/),
      });
      expect(headers).not.toHaveProperty('sluice-resolution');
      expect(headers['sluice-error-reason']).not.toContain(secret);
    }
    expect(JSON.stringify(lines)).not.toMatch(/Souza|55119/);
  });

  it('FAULTS 38: pause only their partition while the dead-letter topic is unavailable; it continues by itself, once', async () => {
    const { leads, orders } = await context.topics({ leads: 2, orders: 1 });
    const dead = `dead-${randomUUID().slice(0, 8)}`;
    const acceptance = scriptedAcceptance();
    const group = randomUUID();
    await context.send(leads, ['a0', 'refuse1', 'a2', 'a3']);
    await context.send(leads, ['b0', 'b1'], { partition: 1 });
    await context.send(orders, ['c0', 'c1']);
    const { ingress, lines } = context.start(
      { group, deadLetters: dead },
      { routes: [scriptedRoute([leads, orders])], acceptance },
    );
    await until('the others are done', async () => {
      const others = [context.committed(group, leads, 1), context.committed(group, orders)];
      return (await Promise.all(others)).every((offset) => offset === 2);
    });
    await until('the partition has stopped at its bad record', async () => {
      return (await context.committed(group, leads)) === 1;
    });
    expect(acceptance.accepted.toSorted()).toEqual(['a0', 'b0', 'b1', 'c0', 'c1']);
    const stopped = ingress.status().partitions.filter(({ paused }) => paused !== null);
    expect(stopped).toMatchObject([
      { topic: leads, partition: 0, next: '1', paused: { why: 'DEAD_LETTERS' } },
    ]);
    await context.send(leads, ['b2'], { partition: 1 });
    await until('the other goes on', () => acceptance.accepted.includes('b2'));

    await context.admin().createTopics({ topics: [{ topic: dead }] });
    await until('all is committed', async () => (await context.committed(group, leads)) === 4);
    expect(acceptance.accepted.filter((text) => text.startsWith('a'))).toEqual(['a0', 'a2', 'a3']);
    expect((await context.read(dead)).map(({ value }) => value)).toEqual(['refuse1']);
    const about = lines.filter(({ fields }) => fields['why'] === 'DEAD_LETTERS');
    expect(about.map(({ level }) => level)).toEqual(['error', 'info']);
  });

  it('are written once, however often the acceptance of those behind them fails', async () => {
    const { leads, dead } = await context.topics({ leads: 1, dead: 1 });
    const acceptance = scriptedAcceptance();
    const group = randomUUID();
    let tries = 0;
    acceptance.onAccept = (drafts) => {
      tries += 1;
      if (tries < 5 && drafts.some(({ subject }) => subject === 'a2'))
        throw new NotAcceptedError('LEDGER', 10, 'the ledger does not answer');
    };
    await context.send(leads, ['a0', 'refuse1', 'a2', 'refuse3', 'a4']);
    context.start({ group, deadLetters: dead }, { routes: [scriptedRoute([leads])], acceptance });
    await until('all is committed', async () => (await context.committed(group, leads)) === 5);
    expect(tries).toBeGreaterThan(4);
    expect(acceptance.accepted).toEqual(['a0', 'a2', 'a4']);
    expect((await context.read(dead)).map(({ value }) => value)).toEqual(['refuse1', 'refuse3']);
  });

  it.each(['__proto__', 'constructor', 'toString', null])(
    'and have a header named %s (null: one without a value) do not stop their partition',
    async (name) => {
      const { leads, dead } = await context.topics({ leads: 1, dead: 1 });
      const group = randomUUID();
      const entries: [string, string | null][] = name === null ? [['empty', null]] : [[name, 'x']];
      await context.send(leads, ['refuse0'], { headers: writableHeaders(headersFrom(entries)) });
      await context.send(leads, ['a1']);
      const acceptance = scriptedAcceptance();
      context.start({ group, deadLetters: dead }, { routes: [scriptedRoute([leads])], acceptance });
      await until('all is committed', async () => (await context.committed(group, leads)) === 2);
      expect(acceptance.accepted).toEqual(['a1']);
      expect((await context.read(dead)).map(({ value }) => value)).toEqual(['refuse0']);
    },
  );

  it('and whose dead letter the topic refuses for a reason of their own are set aside with their position', async () => {
    const { leads } = await context.topics({ leads: 1 });
    const { dead } = await context.topics({ dead: 1 }, [
      { name: 'max.message.bytes', value: '1200' },
      { name: 'cleanup.policy', value: 'compact' },
    ]);
    const group = randomUUID();
    const acceptance = scriptedAcceptance();
    await context.send(leads, ['refuse0'], { headers: { long: 'x'.repeat(5000) }, key: 'k0' });
    await context.send(leads, ['refuse1']);
    await context.send(leads, ['refuse2'], { key: 'y'.repeat(5000) });
    await context.send(leads, ['a3']);
    context.start({ group, deadLetters: dead }, { routes: [scriptedRoute([leads])], acceptance });
    await until('all is committed', async () => (await context.committed(group, leads)) === 4);
    expect(acceptance.accepted).toEqual(['a3']);
    const letters = await context.read(dead);
    expect(letters.map(({ key, headers }) => [key, headers['sluice-origin-offset']])).toEqual([
      [`${leads}/0/0`, '0'],
      [`${leads}/0/1`, '1'],
      [`${leads}/0/2`, '2'],
    ]);
    for (const { headers } of letters)
      expect(headers).toMatchObject({ 'sluice-error-code': 'SCHEMA', 'sluice-value-omitted': '7' });
  });

  it('and too large for the dead-letter topic are written without their value', async () => {
    const { leads } = await context.topics({ leads: 1 });
    const { dead } = await context.topics({ dead: 1 }, [{ name: 'max.message.bytes', value: '2000' }]);
    const group = randomUUID();
    await context.send(leads, [`refuse${'x'.repeat(5000)}`, 'refuse1']);
    context.start(
      { group, deadLetters: dead },
      { routes: [scriptedRoute([leads])], acceptance: scriptedAcceptance() },
    );
    await until('all is committed', async () => (await context.committed(group, leads)) === 2);
    const foundLetters = await context.read(dead);
    expect(foundLetters.map(({ value, headers }) => [value, headers['sluice-value-omitted']])).toEqual([
      ['null', '5006'],
      ['refuse1', undefined],
    ]);
  });
});
