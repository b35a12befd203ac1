// The doctor's connection lets nothing through that could write, whatever is asked of it.
import { expect, it } from 'vitest';
import { isNew } from '../../../../src/app/doctor/servers.ts';
import { openWire } from '../../../../src/app/doctor/wire.ts';
import { openClinic, TOKEN } from './clinic.ts';

it('a write is refused before it is sent, and a read shows its answer and its Date', async () => {
  const context = await openClinic();
  const wire = openWire({
    baseUrl: context.sandbox.baseUrl,
    assumptions: {},
    deadlineMs: 5_000,
    now: Date.now,
  });
  try {
    const client = wire.client(TOKEN);
    await expect(client.contacts.upsert({ number: '5511900000001' })).rejects.toThrow();
    await expect(client.cards.move(1, 12)).rejects.toThrow();
    expect(await context.requests()).toEqual([]);
    await client.tags.list();
    expect(wire.last()).toMatchObject({
      status: 200,
      json: { tags: [{ name: 'vip' }, { name: 'imported' }] },
    });
    expect(Math.abs(Number(wire.last()?.date) - Date.now())).toBeLessThan(60_000);
    await expect(wire.client(null).tags.list()).rejects.toMatchObject({ code: 'ERR_TOKEN_MISSING' });
  } finally {
    await wire.close();
    await context.close();
  }
});

it.each([
  ['1.32.0', true],
  ['1.31.9', false],
  ['2.0.1', true],
  ['0.99', false],
  ['1.132.0', true],
  ['', null],
  ['dev', null],
])('server version %j is new enough: %s', (version, wanted) => {
  expect(isNew(version)).toBe(wanted);
});
