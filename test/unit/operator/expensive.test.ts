// Previews and counts of all users share few places, and nobody takes them all.
import { describe, expect, it } from 'vitest';
import { sourceHandlers } from '../../../src/jobs/campaigns/operator/source.ts';
import { createExpensiveRequests } from '../../../src/operator/service/expensive.ts';

function work() {
  let running = 0;
  let resolve = () => undefined as void;
  const done = new Promise<void>((ended) => {
    resolve = ended;
  });
  return {
    end: () => resolve(),
    running: () => running,
    run: async () => {
      running += 1;
      await done;
      running -= 1;
    },
  };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('expensive requests', () => {
  it('of one user run one after another; the fifth is refused with a time, and a later one is taken', async () => {
    const { run } = createExpensiveRequests();
    const slow = work();
    const four = Array.from({ length: 4 }, () => run('user:ana', slow.run));
    await settle();
    expect(slow.running()).toBe(1);
    await expect(run('user:ana', slow.run)).rejects.toMatchObject({ kind: 'tooMany', retryAfterMs: 3000 });
    await expect(run('user:bia', async () => 'hers')).resolves.toBe('hers');
    slow.end();
    await Promise.all(four);
    await expect(run('user:ana', async () => 'next')).resolves.toBe('next');
  });

  it('of all users run three at a time; the thirteenth is refused', async () => {
    const { run } = createExpensiveRequests();
    const slow = work();
    const all = Array.from({ length: 12 }, (_, user) => run(`user:${user}`, slow.run));
    await settle();
    expect(slow.running()).toBe(3);
    await expect(run('user:late', slow.run)).rejects.toMatchObject({ code: 'PREVIEWS_LIMITED' });
    slow.end();
    await Promise.all(all);
  });

  it('free their place when they fail', async () => {
    const { run } = createExpensiveRequests();
    for (let time = 0; time < 20; time += 1)
      await expect(run('user:ana', async () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('edits of campaigns', () => {
  const campaign = { campaign: 'autumn', yaml: '', hash: '', isNew: true, reason: '' };

  it.each(['PUT /campaigns/{campaign}/source', 'DELETE /campaigns/{campaign}/source'] as const)(
    'are expensive requests of their user: %s',
    async (route) => {
      const slow = work();
      const tools = {
        expensive: createExpensiveRequests(),
        campaignFile: { write: slow.run, remove: slow.run },
      };
      const handlers = sourceHandlers({ db: { query: async () => [] }, tools } as never);
      const edit = (identity: string) => handlers[route](campaign, { identity, role: 'operator' } as never);
      const four = Array.from({ length: 4 }, () => edit('user:ana'));
      await expect(edit('user:ana')).rejects.toMatchObject({ kind: 'tooMany', code: 'PREVIEWS_LIMITED' });
      const hers = edit('user:bia');
      await settle();
      expect(slow.running()).toBe(2);
      slow.end();
      await Promise.all([...four, hers]);
    },
  );
});
