import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createShutdown } from '../../../src/core/shutdown.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { type Child, runModule } from '../../support/runner/child.ts';

class Host extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
  endNow(): void {
    this.emit('ended now');
  }
}

function setUp(graceMs = 60_000) {
  const host = new Host();
  const lines: string[] = [];
  const order: string[] = [];
  const shutdown = createShutdown({ graceMs, say: (line) => lines.push(line), host });
  const add = (name: string, close = async () => {}) =>
    shutdown.add(name, async () => {
      order.push(name);
      await close();
    });
  return { host, lines, order, shutdown, add };
}

describe('closing', () => {
  it('goes in reverse order, one at a time', async () => {
    const { shutdown, order } = setUp();
    for (const name of ['ledger', 'worker', 'ingress']) {
      shutdown.add(name, async () => {
        order.push(`${name} begins`);
        await new Promise(setImmediate);
        order.push(`${name} ends`);
      });
    }
    await shutdown.run('test');
    const sequence = ['ingress', 'worker', 'ledger'].flatMap((name) => [`${name} begins`, `${name} ends`]);
    expect(order).toEqual(sequence);
  });

  it.each([
    ['rejects', () => Promise.reject(new Error('port gone')), 'port gone'],
    [
      'throws before it returns a promise',
      () => {
        throw new Error('not open');
      },
      'not open',
    ],
    ['never settles', () => new Promise<void>(() => {}), 'still busy after 0.02 s'],
  ])('goes on when one closer %s, and says so', async (_case, close, problem) => {
    const { shutdown, add, lines, order } = setUp(20);
    add('ledger');
    add('worker', close);
    await shutdown.run('test');
    expect(order).toEqual(['worker', 'ledger']);
    expect(lines).toEqual([`worker did not close: ${problem}`]);
    expect(await shutdown.finished).toEqual({
      reason: 'test',
      failed: ['worker'],
      closed: [
        { name: 'worker', ms: expect.any(Number) },
        { name: 'ledger', ms: expect.any(Number) },
      ],
    });
  });

  it('happens once, however often it is asked for', async () => {
    const { shutdown, add, order } = setUp();
    add('ledger');
    await Promise.all([shutdown.run('first'), shutdown.run('second')]);
    await shutdown.run('third');
    expect(order).toEqual(['ledger']);
    expect((await shutdown.finished).reason).toBe('first');
  });

  it('aborts the signal before the first closer runs', async () => {
    const { shutdown, add } = setUp();
    const seen: boolean[] = [];
    add('ledger', async () => {
      seen.push(shutdown.signal.aborted);
    });
    expect(shutdown.signal.aborted).toBe(false);
    await shutdown.run('test');
    expect(seen).toEqual([true]);
  });

  it('closes what was added while it ran, and what was added after it', async () => {
    const { shutdown, add, order } = setUp();
    add('ledger', async () => add('opened meanwhile'));
    await shutdown.run('test');
    expect(order).toEqual(['ledger', 'opened meanwhile']);
    await new Promise<void>((closed) => add('opened late', async () => closed()));
    expect(order).toContain('opened late');
  });

  it('takes its signal listeners back', async () => {
    const { shutdown, host } = setUp();
    expect(host.listenerCount('SIGINT') + host.listenerCount('SIGTERM')).toBe(2);
    await shutdown.run('test');
    expect(host.listenerCount('SIGINT') + host.listenerCount('SIGTERM')).toBe(0);
  });
});

describe('a limit', () => {
  it('ends the process however much is still open', async () => {
    const host = new Host();
    const shutdown = createShutdown({ graceMs: 60_000, limitMs: 10, say: () => undefined, host });
    shutdown.add('stuck', () => new Promise(() => undefined));
    const ended = once(host, 'ended now');
    host.emit('SIGTERM', 'SIGTERM');
    await ended;
  });

  it('leaves no time when a second signal comes', async () => {
    const host = new Host();
    const shutdown = createShutdown({ graceMs: 60_000, limitMs: 60_000, say: () => undefined, host });
    shutdown.add('stuck', () => new Promise(() => undefined));
    const ended = once(host, 'ended now');
    host.emit('SIGTERM', 'SIGTERM');
    host.emit('SIGINT', 'SIGINT');
    await ended;
    expect(host.exits).toEqual([]);
  });
});

describe('a real process', () => {
  let dist: string;
  const children: Child[] = [];
  beforeAll(async () => {
    dist = await buildOnce();
  });
  afterEach(async () => {
    await Promise.all(children.splice(0).map((child) => child.kill()));
  });

  async function start(close: string): Promise<Child> {
    const child = runModule(
      `import { createShutdown } from ${JSON.stringify(join(dist, 'src/core/shutdown.js'))};
       const shutdown = createShutdown({ graceMs: 60_000, say: console.error });
       shutdown.add('worker', () => { console.log('closing'); return ${close}; });
       const alive = setInterval(() => {}, 60_000);
       console.log('up');
       const { reason } = await shutdown.finished;
       clearInterval(alive);
       console.log('over ' + reason);
       process.exitCode = 7;`,
    );
    children.push(child);
    expect(await child.line()).toBe('up');
    return child;
  }

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'drains at the first %s and keeps its own exit code',
    async (signal) => {
      const child = await start('Promise.resolve()');
      process.kill(child.pid, signal);
      expect(await child.line()).toBe('closing');
      expect(await child.line()).toBe(`over ${signal}`);
      child.process.stdin?.end();
      expect(await child.ended()).toEqual({ code: 7, signal: null });
    },
  );

  it.each([
    ['SIGINT', 'SIGINT', 130],
    ['SIGINT', 'SIGTERM', 143],
    ['SIGTERM', 'SIGINT', 130],
    ['SIGTERM', 'SIGTERM', 143],
  ] as const)('ends at once when %s is followed by %s, with code %i', async (first, second, code) => {
    const child = await start('new Promise(() => {})');
    process.kill(child.pid, first);
    expect(await child.line()).toBe('closing');
    process.kill(child.pid, second);
    expect(await child.ended()).toEqual({ code, signal: null });
  });
});
