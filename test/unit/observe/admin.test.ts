import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AdminOptions, listenForAdmin, type PartHealth } from '../../../src/observe/admin.ts';

async function open(options: Partial<AdminOptions> = {}) {
  const errors: unknown[] = [];
  const listener = await listenForAdmin({
    host: '127.0.0.1',
    port: 0,
    metrics: async () => 'calls_total 1\n',
    health: () => ({}),
    isClosing: () => false,
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(() => listener.close());
  const ready = async () => {
    const answer = await fetch(`${listener.url}/readyz`);
    return [answer.status, await answer.json()];
  };
  return { ...listener, errors, ready };
}

const READY = async (): Promise<PartHealth> => ({ ready: true });
const DOWN = async (): Promise<PartHealth> => ({ ready: false, code: 'LEDGER', error: 'it does not answer' });

describe('readiness', () => {
  it('is 200 with the state of each part', async () => {
    const { ready } = await open({
      health: () => ({ ledger: READY, ingress: async () => ({ ready: true, loads: [] }) }),
    });
    expect(await ready()).toEqual([
      200,
      { ready: true, parts: { ledger: { ready: true }, ingress: { ready: true, loads: [] } } },
    ]);
  });

  it('is 503 with the first part that is not ready, and says how the others are', async () => {
    const { ready } = await open({ health: () => ({ temporal: READY, ledger: DOWN }) });
    const ledger = { ready: false, code: 'LEDGER', error: 'it does not answer' };
    expect(await ready()).toEqual([503, { ...ledger, parts: { temporal: { ready: true }, ledger } }]);
  });

  it('is 503 while the process starts, and from the beginning of its shutdown', async () => {
    let closing = false;
    const { ready } = await open({ health: () => null, isClosing: () => closing });
    expect(await ready()).toMatchObject([503, { code: 'STARTING' }]);
    closing = true;
    expect(await ready()).toMatchObject([503, { code: 'CLOSING' }]);
  });

  it('a check that throws tells the log why, and the asker nothing', async () => {
    const { ready, errors } = await open({
      health: () => ({ ledger: () => Promise.reject(new Error('connect 10.1.2.3 with secret')) }),
    });
    const [status, body] = await ready();
    expect([status, JSON.stringify(body)]).toEqual([503, expect.not.stringContaining('10.1.2.3')]);
    expect(errors).toMatchObject([{ message: 'connect 10.1.2.3 with secret' }]);
  });

  it('asked by many at once asks once', async () => {
    let asked = 0;
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const { ready } = await open({
      health: () => ({
        ledger: async () => {
          asked += 1;
          if (asked === 1) setTimeout(answer, 200);
          await answered;
          return { ready: true };
        },
      }),
    });
    const answers = await Promise.all(Array.from({ length: 10 }, ready));
    expect(answers.every(([status]) => status === 200)).toBe(true);
    expect(asked).toBeLessThan(10);
  });

  it('does not keep a dead process from being noticed: healthz asks nothing', async () => {
    const { url } = await open({ health: () => ({ ledger: DOWN }) });
    const answer = await fetch(`${url}/healthz`);
    expect([answer.status, await answer.json()]).toEqual([200, { live: true }]);
  });
});

describe('pages', () => {
  it('metrics are text of Prometheus, for GET and HEAD', async () => {
    const { url } = await open();
    const answer = await fetch(`${url}/metrics?x=1`);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await answer.text()).toBe('calls_total 1\n');
    const head = await fetch(`${url}/metrics`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('a page that fails is 500 without its reason', async () => {
    const { url, errors } = await open({ metrics: () => Promise.reject(new Error('secret')) });
    const answer = await fetch(`${url}/metrics`);
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(errors).toMatchObject([{ message: 'secret' }]);
  });

  it.each([
    ['POST', '/metrics', 405],
    ['DELETE', '/readyz', 405],
    ['GET', '/', 404],
    ['GET', '/metrics/', 404],
    ['GET', '//metrics', 404],
    ['GET', '/constructor', 404],
    ['GET', '/__proto__', 404],
  ])('%s %s is %d', async (method, path, status) => {
    const { port } = await open();
    expect(await ask(port, { method, path })).toBe(status);
  });

  it.each([
    ['evil.example', 403],
    ['evil.example:9464', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost:9464', 200],
    ['[::1]:9464', 200],
    ['127.0.0.1', 200],
  ])(
    'a request for the host "%s" is %d: a web page may have a name of this machine',
    async (host, status) => {
      const { port } = await open();
      expect(await ask(port, { path: '/metrics', headers: { host } })).toBe(status);
    },
  );

  it('in a container, every host name is served', async () => {
    const { port } = await open({ host: '0.0.0.0' });
    expect(await ask(port, { path: '/metrics', headers: { host: 'worker-1:9464' } })).toBe(200);
  });
});

it('a used port rejects as listen does', async () => {
  const { port } = await open();
  await expect(open({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'listen' });
});

function ask(port: number, options: { method?: string; path: string; headers?: object }): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, ...options } as never, (response) => {
      response.resume();
      resolve(response.statusCode as number);
    })
      .on('error', reject)
      .end();
  });
}
