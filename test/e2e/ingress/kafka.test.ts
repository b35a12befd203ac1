// The Kafka ingress on a real broker: what is committed, what becomes a dead letter, and what happens when things are away.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NotAcceptedError } from '../../../src/ingress/intake.ts';
import { until } from '../../support/until.ts';
import { kafkaRoom, scriptedAcceptance, scriptedRoute } from './kafka-room.ts';

const room = kafkaRoom();
const numbered = (count: number, prefix = 'e') => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('records', () => {
  it('are accepted in order of their partition, and only then committed', async () => {
    const { leads, dead } = await room.topics({ leads: 3, dead: 1 });
    const acceptance = scriptedAcceptance();
    const group = randomUUID();
    for (const partition of [0, 1, 2]) await room.send(leads, numbered(700, `p${partition}-`), { partition });
    const { registry } = room.start(
      { group, deadLetters: dead },
      { routes: [scriptedRoute([leads])], acceptance },
    );
    for (const partition of [0, 1, 2])
      await until('all is committed', async () => (await room.committed(group, leads, partition)) === 700);
    for (const partition of [0, 1, 2])
      expect(acceptance.accepted.filter((text) => text.startsWith(`p${partition}`))).toEqual(
        numbered(700, `p${partition}-`),
      );
    expect(await registry.metrics()).toContain('outcome="accepted"} 2100');
  });

  it('FAULTS 19: are not committed while Temporal is down, and all taken once it is back; both are said once', async () => {
    const { leads, dead } = await room.topics({ leads: 1, dead: 1 });
    const acceptance = scriptedAcceptance();
    const group = randomUUID();
    let tries = 0;
    acceptance.gate = () => {
      tries += 1;
      throw new NotAcceptedError('ENGINE', 20, 'Temporal does not answer');
    };
    await room.send(leads, numbered(5));
    const { ingress, lines } = room.start(
      { group, deadLetters: dead },
      { routes: [scriptedRoute([leads])], acceptance },
    );
    await until('it was tried some times', () => tries > 4);
    expect(ingress.status().partitions).toMatchObject([{ topic: leads, lag: 5, paused: { why: 'ENGINE' } }]);
    expect(await room.committed(group, leads)).toBe(0);
    acceptance.gate = () => {};
    await until('all is committed', async () => (await room.committed(group, leads)) === 5);
    expect(acceptance.accepted).toEqual(numbered(5));
    const about = lines.filter(({ fields }) => fields['why'] === 'ENGINE');
    expect(about.map(({ level }) => level)).toEqual(['warn', 'info']);
  });
});
