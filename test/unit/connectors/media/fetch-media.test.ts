// Files that events name, against hosts that misbehave: a real server, and names that resolve as a test says.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fetchMedia, type MediaLimits } from '../../../../src/connectors/media/fetch-media.ts';
import { createRoom } from '../../../../src/connectors/media/room.ts';
import type { HostAddress } from '../../../../src/connectors/outbound/guard.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
let server: Server;
let port: number;
let handle: Handler;
const seen: IncomingMessage[] = [];
beforeAll(async () => {
  server = createServer((req, res) => {
    seen.push(req);
    handle(req, res);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
});
beforeEach(() => {
  seen.length = 0;
  handle = (_req, res) => res.writeHead(200, { 'content-type': 'image/png' }).end('picture');
});

const here = () => `127.0.0.1:${port}`;
const limits = (over: Partial<MediaLimits> = {}): MediaLimits => ({
  hosts: [here(), `files.example.test:${port}`],
  maxBytes: 1000,
  allowPrivate: true,
  timeoutMs: 5000,
  ...over,
});
const get = (path = '/a.png', over: Partial<MediaLimits> = {}) =>
  fetchMedia(`http://${here()}${path}`, limits(over));
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'fetched',
    (error: { code?: string; retryable?: boolean }) => `${error.code}${error.retryable ? ' retryable' : ''}`,
  );
const redirect =
  (to: string): Handler =>
  (_req, res) =>
    void res.writeHead(302, { location: to }).end();

it('a file comes with its type and name, and nothing of ours goes along', async () => {
  expect(await get('/some/dir/a%20b.png?sig=x')).toEqual({
    data: Buffer.from('picture'),
    filename: 'a b.png',
    contentType: 'image/png',
  });
  expect(Object.keys(seen[0]?.headers ?? {}).sort()).toEqual(
    ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'].sort(),
  );
});

describe('hosts', () => {
  it('a host that is not allowed is never connected to', async () => {
    for (const hosts of [
      [],
      ['files.example.test'],
      ['127.0.0.1'],
      [`*.0.0.1:${port}x`],
      [`27.0.0.1:${port}`],
    ])
      expect(await codeOf(get('/', { hosts }))).toBe('MEDIA_HOST');
    expect(seen).toEqual([]);
  });

  it('a redirect to a host that is not allowed is not followed', async () => {
    handle = redirect(`http://localhost:${port}/`);
    expect(await codeOf(get())).toBe('MEDIA_HOST');
    expect(seen).toHaveLength(1);
  });

  it('a redirect is followed three times, and no fourth time', async () => {
    handle = (req, res) => {
      if (req.url === '/3') return void res.end('there');
      res.writeHead(302, { location: `${Number(req.url?.slice(1)) + 1}` }).end('moved');
    };
    expect((await get('/0')).data.toString()).toBe('there');
    handle = redirect('/again');
    expect(await codeOf(get())).toBe('MEDIA_REDIRECTS');
    expect(seen).toHaveLength(8);
  });

  it.each([
    ['ftp://files.example.test/a', 'MEDIA_URL'],
    ['http://user:secret@files.example.test/a', 'MEDIA_URL'],
    ['no address', 'MEDIA_URL'],
    ['file:///etc/passwd', 'MEDIA_URL'],
  ])('%s is refused as %s, also as the target of a redirect', async (address, code) => {
    expect(await codeOf(fetchMedia(address, limits({ hosts: ['*.example.test'] })))).toBe(code);
    if (address.includes(' ')) return;
    handle = redirect(address);
    expect(await codeOf(get())).toBe(code);
  });
});

describe('addresses', () => {
  const named = (addresses: readonly HostAddress[][], over: Partial<MediaLimits> = {}) => {
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return addresses[asked.length - 1] ?? [];
    };
    return {
      asked,
      fetched: fetchMedia(`http://files.example.test:${port}/a`, limits(over), { resolve }),
    };
  };
  const at = (address: string) => [{ address, family: address.includes(':') ? 6 : 4 }];

  it('the own network is left alone unless that is allowed', async () => {
    expect(await codeOf(get('/', { allowPrivate: false }))).toBe('MEDIA_ADDRESS');
    expect(await codeOf(named([at('127.0.0.1')], { allowPrivate: false }).fetched)).toBe('MEDIA_ADDRESS');
    expect(seen).toEqual([]);
  });

  it('a name is resolved once, and the connection goes to the address that was checked', async () => {
    // A second lookup would return another address, where nobody listens.
    const { asked, fetched } = named([at('127.0.0.1'), at('127.0.0.2')]);
    expect((await fetched).data.toString()).toBe('picture');
    expect(asked).toEqual(['files.example.test']);
    expect(seen[0]?.headers.host).toBe(`files.example.test:${port}`);
  });

  it.each([
    ['a metadata service', '169.254.169.254', true],
    ['a private address', '127.0.0.1', false],
  ])(
    'a name that also leads to %s is refused, whatever its other addresses are',
    async (_, address, allowPrivate) => {
      for (const both of [
        [...at(address), ...at('127.0.0.1')],
        [...at('93.184.215.14'), ...at(address)],
      ])
        expect(await codeOf(named([both], { allowPrivate }).fetched)).toBe('MEDIA_ADDRESS');
      expect(seen).toEqual([]);
    },
  );

  it.each([
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://127.1/',
    'http://0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1/',
    'http://10.0.0.1/',
    'http://localhost/',
  ])('%s is out of reach, although its host is allowed', async (address) => {
    const url = new URL(address);
    url.port = String(port);
    const hosts = [url.host, `*:${port}`, url.host.replace(/^\[.*\]/, (all) => all)];
    const literal = url.hostname.startsWith('[');
    // A pattern cannot name an IPv6 address, so this one is refused even earlier.
    expect(await codeOf(fetchMedia(url.href, limits({ hosts, allowPrivate: false })))).toBe(
      literal ? 'MEDIA_HOST' : 'MEDIA_ADDRESS',
    );
    expect(seen).toEqual([]);
  });

  it('a redirect to another name is resolved and checked again', async () => {
    handle = redirect(`http://two.example.test:${port}/`);
    const hosts = [`*.example.test:${port}`];
    const { asked, fetched } = named([at('127.0.0.1'), at('169.254.169.254')], { hosts });
    expect(await codeOf(fetched)).toBe('MEDIA_ADDRESS');
    expect(asked).toEqual(['files.example.test', 'two.example.test']);
    expect(seen).toHaveLength(1);
  });
});

describe('what comes', () => {
  it.each<[string, Handler]>([
    ['said to be', (_req, res) => res.writeHead(200, { 'content-length': '1001' }).end('x'.repeat(1001))],
    ['that turns out', (_req, res) => res.write('x'.repeat(600)) && res.end('x'.repeat(401))],
  ])('a file %s too long is refused', async (_, answer) => {
    handle = answer;
    expect(await codeOf(get())).toBe('MEDIA_TOO_LARGE');
  });

  it('a file without end is given up at the limit', async () => {
    handle = (_req, res) => {
      const more = () => {
        while (res.write('x'.repeat(5000)));
        res.once('drain', more);
      };
      more();
    };
    expect(await codeOf(get())).toBe('MEDIA_TOO_LARGE');
  });

  it.each<[string, Handler]>([
    ['MEDIA_STATUS', (_req, res) => res.writeHead(404).end('not here')],
    ['MEDIA_STATUS', (_req, res) => res.writeHead(206).end('a part')],
    ['MEDIA_STATUS retryable', (_req, res) => res.writeHead(503).end('busy')],
    ['MEDIA_STATUS retryable', (_req, res) => res.writeHead(429).end('busy')],
    ['MEDIA_REDIRECTS', (_req, res) => res.writeHead(302).end()],
    ['MEDIA_EMPTY', (_req, res) => res.end()],
    ['MEDIA_ENCODED', (_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end('zipped')],
    ['MEDIA_UNREACHABLE retryable', (req) => void req.socket.destroy()],
    [
      'MEDIA_UNREACHABLE retryable',
      (req, res) => {
        res.writeHead(200, { 'content-length': '100' }).write('half');
        setImmediate(() => req.socket.destroy());
      },
    ],
    ['MEDIA_UNREACHABLE retryable', (req) => void req.socket.end('this is no HTTP')],
  ])('%s', async (code, answer) => {
    handle = answer;
    expect(await codeOf(get())).toBe(code);
  });

  it('a host that nobody listens at can be asked again later', async () => {
    const hosts = ['127.0.0.1:1'];
    expect(await codeOf(fetchMedia('http://127.0.0.1:1/', limits({ hosts })))).toBe(
      'MEDIA_UNREACHABLE retryable',
    );
  });

  it.each<[string, string, number, Handler]>([
    ['never answers', 'MEDIA_UNREACHABLE retryable', 50, () => {}],
    [
      'drips',
      'MEDIA_TIMEOUT retryable',
      // Its headers arrive in this time, also on a busy machine.
      2000,
      (_req, res) => {
        res.writeHead(200, { 'content-length': '500' });
        const drip = setInterval(() => res.write('x'), 10);
        res.once('close', () => clearInterval(drip));
      },
    ],
  ])('a host that %s is given up in time', async (_, code, timeoutMs, answer) => {
    handle = answer;
    expect(await codeOf(get('/', { timeoutMs }))).toBe(code);
  });

  it('no error shows whether a port is open, closed or speaks another protocol', async () => {
    const errors = new Set<string>();
    const keep = async (work: Promise<unknown>) =>
      errors.add(
        String(await work.catch((error: Error & { code?: string }) => `${error.code} ${error.message}`)),
      );
    await keep(fetchMedia('http://127.0.0.1:1/', limits({ hosts: ['127.0.0.1:1'] })));
    for (const answer of [() => {}, (req: IncomingMessage) => void req.socket.end('SSH-2.0-x\r\n')]) {
      handle = answer;
      await keep(get('/', { timeoutMs: 50 }));
    }
    const unknown = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }));
    await keep(fetchMedia(`http://files.example.test:${port}/`, limits(), { resolve: unknown }));
    expect([...errors]).toHaveLength(1);
  });

  it('the files of a message, and of all messages, have a limit that holds while they arrive', async () => {
    handle = (_req, res) => void res.end('x'.repeat(900));
    const room = createRoom(2000, 1500);
    const [one, two] = [room.open(), room.open()];
    const from = (share: typeof one) =>
      codeOf(fetchMedia(`http://${here()}/`, limits(), { take: share.take }));
    expect(await from(one)).toBe('fetched');
    expect(await from(one)).toBe('MEDIA_TOO_LARGE');
    expect(await from(two)).toBe('fetched');
    expect(await from(room.open())).toBe('MEDIA_BUSY retryable');
    one.release();
    expect(await from(room.open())).toBe('fetched');
  });

  it('limits that an older process stored are cut to what a configuration may say', async () => {
    handle = (_req, res) => void res.writeHead(200, { 'content-length': '104857601' }).write('x');
    expect(await codeOf(get('/', { maxBytes: 1e12, timeoutMs: 1e9 }))).toBe('MEDIA_TOO_LARGE');
  });

  it('a caller who calls it off gets the own reason, and the connection ends', async () => {
    const off = new AbortController();
    const gone = new Promise<void>((done) => {
      handle = (req) => {
        req.socket.once('close', () => done());
        off.abort(new Error('called off'));
      };
    });
    const { signal } = off;
    await expect(fetchMedia(`http://${here()}/`, limits(), { signal })).rejects.toThrow('called off');
    await gone;
  });

  it('no message shows the address, which may contain secrets', async () => {
    handle = (req) => void req.socket.destroy();
    for (const over of [{}, { hosts: [] }, { allowPrivate: false }, { timeoutMs: 1 }]) {
      const error: Error = await get('/canary?sig=canary', over).catch((reason) => reason);
      expect(`${error.message} ${error.stack}`).not.toMatch(/canary|127\.0\.0\.1/);
    }
  });
});
