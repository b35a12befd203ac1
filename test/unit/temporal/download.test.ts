// Downloads over HTTP with Node alone: progress, proxies, certificates, damaged files, and pip's mirror.
import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { create } from 'tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchFile } from '../../../src/temporal/download/fetch-file.ts';
import { pipDownload } from '../../../src/temporal/download/pip.ts';
import { unpackTar, unpackZip } from '../../../src/temporal/download/unpack.ts';
import { buildOnce } from '../../support/runner/build.ts';
import { NO_PIP } from '../../support/runner/missing.ts';
import { makeCertificates } from '../../support/tools/certificates.ts';
import { zipOf } from '../../support/tools/zip.ts';

const BODY = randomBytes(300_000);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let base: string;
let said: string[];
const servers: Server[] = [];
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'sluice-download-'));
  said = [];
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
  await rm(base, { recursive: true, force: true });
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

const serve = async (answer: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listen(createServer(answer))}/file`;
const whole: RequestListener = (_request, response) =>
  response.setHeader('content-length', BODY.length).end(BODY);

/** Whole: comparing 300,000 bytes by `toEqual` takes 0.4 s. */
const arrived = async () => BODY.equals(await readFile(join(base, 'file')));

const get = (
  url: string,
  options: { sha256?: string; env?: Record<string, string>; signal?: AbortSignal } = {},
) =>
  fetchFile({
    url,
    to: join(base, 'file'),
    sha256: null,
    env: {},
    say: (line) => said.push(line),
    ...options,
  });

describe('a file', () => {
  it('is stored, and its bytes are reported', async () => {
    await get(await serve(whole), { sha256: sha256(BODY) });
    expect(await arrived()).toBe(true);
    expect(said).toEqual(['  0.3 MB downloaded']);
  });

  it('is found behind a redirect', async () => {
    const target = await serve(whole);
    await get(await serve((_request, response) => response.writeHead(302, { location: target }).end()));
    expect(await arrived()).toBe(true);
  });

  it.each<[string, RequestListener, RegExp]>([
    [
      'is missing',
      (_request, response) => response.writeHead(404).end(),
      /^127\.0\.0\.1:\d+: it answered 404$/,
    ],
    [
      'ends early',
      (_request, response) => {
        response.setHeader('content-length', BODY.length).write(BODY.subarray(0, 1000));
        response.socket?.destroySoon();
      },
      /^127\.0\.0\.1:\d+: /,
    ],
    [
      'is too long for what Sluice downloads',
      (_request, response) => {
        const more = () => {
          while (response.write(BODY) && !response.destroyed);
          response.once('drain', more);
        };
        more();
      },
      /the file has more than 150\.0 MB$/,
    ],
    ['is another one', whole, /the SHA-256 of the file is [0-9a-f]{64}, and Sluice pins 0{64}$/],
  ])('that %s is refused, with server and reason', async (_name, answer, reason) => {
    await expect(get(await serve(answer), { sha256: '0'.repeat(64) })).rejects.toThrow(reason);
  });

  it('of a server that is not there is refused with its address', async () => {
    const url = await serve(whole);
    const [server] = servers.splice(0);
    await new Promise((done) => server?.close(done));
    await expect(get(url)).rejects.toThrow(/^127\.0\.0\.1:\d+: connect ECONNREFUSED/);
  });

  it('is given up by the signal', async () => {
    const abort = new AbortController();
    const url = await serve(() => abort.abort(new Error('given up')));
    await expect(get(url, { signal: abort.signal })).rejects.toThrow('given up');
  });
});

describe('a proxy', () => {
  /** A tunnel to this port, whatever host the client asks for. */
  async function openProxy(port: number): Promise<{ url: string; asked: string[] }> {
    const asked: string[] = [];
    const proxy = createServer().on('connect', (request: IncomingMessage, client: Socket) => {
      asked.push(request.url ?? '');
      const upstream = connect(port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      for (const socket of [upstream, client]) socket.on('error', () => socket.destroy());
    });
    return { url: `http://127.0.0.1:${await listen(proxy)}`, asked };
  }

  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])('in %s is used', async (name) => {
    const port = Number(new URL(await serve(whole)).port);
    const proxy = await openProxy(port);
    await get('http://files.invalid/file', { env: { [name]: proxy.url } });
    expect(proxy.asked).toEqual(['files.invalid:80']);
    expect(await arrived()).toBe(true);
  });

  it('is not used for the hosts of NO_PROXY', async () => {
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '127.0.0.1' };
    await get(await serve(whole), { env });
    expect(await arrived()).toBe(true);
  });

  it('and a private certificate authority lead to a file over HTTPS', async () => {
    const { server, authority } = await makeCertificates(base, 'DNS:files.test');
    const [cert, key] = await Promise.all([readFile(server.cert), readFile(server.key)]);
    const proxy = await openProxy(await listen(createTlsServer({ cert, key }, whole)));
    const dist = await buildOnce();
    // Node reads NODE_EXTRA_CA_CERTS when it starts.
    const code = `import { fetchFile } from ${JSON.stringify(join(dist, 'src/temporal/download/fetch-file.js'))};
      await fetchFile({ url: 'https://files.test/file', to: process.argv[1], sha256: null, env: process.env, say() {} });`;
    const download = (env: Record<string, string>) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', code, join(base, 'file')], {
        cwd: resolve(dist, '..'),
        env: { HTTPS_PROXY: proxy.url, ...env },
      });
    await download({ NODE_EXTRA_CA_CERTS: authority.cert });
    expect(await arrived()).toBe(true);
    await expect(download({})).rejects.toThrow(
      /files\.test: unable to verify the first certificate|self-signed/,
    );
    expect(proxy.asked).toEqual(['files.test:443', 'files.test:443']);
  });
});

describe('a program in an archive', () => {
  const PROGRAM = '#!/bin/sh\necho it runs\n';
  const target = () => join(base, 'program');

  it.each([
    [
      'a ZIP file',
      'data/scripts/tool',
      unpackZip,
      (path: string) => zipOf(path, { 'data/scripts/tool': PROGRAM }),
    ],
    [
      'a tar file',
      'tool',
      unpackTar,
      async (path: string) => {
        await mkdir(join(base, 'in'));
        for (const [name, text] of [
          ['LICENSE', 'MIT'],
          ['tool', PROGRAM],
        ] as const)
          await writeFile(join(base, 'in', name), text);
        await create({ file: path, gzip: true, cwd: join(base, 'in') }, ['LICENSE', 'tool']);
      },
    ],
  ])(
    '%s: it runs, and an archive without it, a cut one and another file are refused',
    async (_kind, name, unpack, make) => {
      const archive = join(base, 'archive');
      await make(archive);
      await unpack(archive, name, target());
      expect((await promisify(execFile)(target())).stdout).toBe('it runs\n');
      await expect(unpack(archive, 'other', target())).rejects.toThrow('the archive has no other');
      const bytes = await readFile(archive);
      for (const broken of [bytes.subarray(0, bytes.length / 2), Buffer.from('<html>'), Buffer.alloc(0)]) {
        await writeFile(archive, broken);
        await expect(unpack(archive, name, target())).rejects.toThrow(/\w/);
      }
    },
  );
});

const pip = spawnSync('python3', ['-m', 'pip', '--version']).status === 0;
describe('the mirror of pip', { timeout: 300_000 }, () => {
  beforeEach(({ skip }) => skip(!pip, NO_PIP));

  // The real pip, which finds a wheel in a folder.
  async function makeWheel() {
    const wheels = join(base, 'wheels');
    await mkdir(wheels);
    const file = join(wheels, 'fake_tool_bin-1.0-py3-none-any.whl');
    await zipOf(file, {
      'fake_tool_bin-1.0.data/scripts/tool': '#!/bin/sh\n',
      'fake_tool_bin-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: fake-tool-bin\nVersion: 1.0\n',
      'fake_tool_bin-1.0.dist-info/WHEEL': 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n',
      'fake_tool_bin-1.0.dist-info/RECORD': '',
    });
    return { name: 'fake-tool-bin', version: '1.0', hashes: [sha256(await readFile(file))] };
  }
  const ask = (wheel: Awaited<ReturnType<typeof makeWheel>>, env: Record<string, string | undefined> = {}) =>
    pipDownload(wheel, base, {
      env: {
        PATH: process.env.PATH,
        HOME: base,
        PIP_CONFIG_FILE: '/dev/null',
        PIP_NO_INDEX: '1',
        PIP_FIND_LINKS: join(base, 'wheels'),
        ...env,
      },
      cacheDir: base,
      say: () => undefined,
    });

  it('is used with pinned hashes, and another hash or version is refused with the words of pip', async () => {
    const wheel = await makeWheel();
    expect(await ask(wheel)).toMatch(/fake_tool_bin-1\.0-py3-none-any\.whl$/);
    await expect(ask({ ...wheel, hashes: ['0'.repeat(64)] })).rejects.toThrow(/hash/i);
    await expect(ask({ ...wheel, version: '2.0' })).rejects.toThrow('No matching distribution');
  });

  it('is not asked where none is configured, or where there is no pip', async () => {
    const wheel = await makeWheel();
    await expect(ask(wheel, { PIP_FIND_LINKS: undefined })).rejects.toThrow('pip has no mirror');
    await expect(ask(wheel, { PATH: base })).rejects.toThrow('there is no Python 3 with pip');
  });
});
