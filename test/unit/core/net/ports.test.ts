import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from '../../../../src/core/net/ports.ts';

it('chooses no port that an outgoing connection of this machine could take first', async () => {
  for (let n = 0; n < 50; n += 1) expect(await freePort()).toBeLessThan(32_768);
});

it('returns the preferred port while it is free, and another one when it is taken', async () => {
  const preferred = await freePort();
  expect(await freePort(preferred)).toBe(preferred);
  const holder = createServer().listen(preferred, '127.0.0.1');
  await once(holder, 'listening');
  try {
    expect(await freePort(preferred)).not.toBe(preferred);
  } finally {
    holder.close();
  }
});
