// Downloads one file over HTTPS, through the proxy of the environment, and reports its progress in bytes.
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EnvHttpProxyAgent, fetch } from 'undici';

type Env = Readonly<Record<string, string | undefined>>;

export interface FileRequest {
  readonly url: string;
  /** Path of the new file. */
  readonly to: string;
  /** SHA-256 in hexadecimal digits; null when what the file contains is checked instead. */
  readonly sha256: string | null;
  readonly env: Env;
  say(line: string): void;
  readonly signal?: AbortSignal;
}

/** A closed network that drops packets must not delay the next way for long. */
const CONNECT_MS = 10_000;
const IDLE_MS = 30_000;
const REPORT_MS = 2_000;
/** Three times the largest file that Sluice downloads. */
const LARGEST_BYTES = 150e6;

/**
 * Node itself reads the certificates in NODE_EXTRA_CA_CERTS.
 * @throws Error that names the server and says why the download failed
 */
export async function fetchFile(request: FileRequest): Promise<void> {
  const { url, to, sha256, env, say, signal } = request;
  const host = new URL(url).host;
  const dispatcher = new EnvHttpProxyAgent({
    ...proxiesOf(env),
    connect: { timeout: CONNECT_MS },
    requestTls: { timeout: CONNECT_MS },
    headersTimeout: IDLE_MS,
    bodyTimeout: IDLE_MS,
  });
  try {
    const response = await fetch(url, {
      dispatcher,
      // The hash and the length are those of the file as it is stored.
      headers: { 'accept-encoding': 'identity' },
      signal: signal ?? null,
    });
    if (!response.ok || response.body === null) throw new Error(`it answered ${response.status}`);
    const total = Number(response.headers.get('content-length')) || null;
    const hash = createHash('sha256');
    await pipeline(
      Readable.fromWeb(response.body),
      counting(total, say, (chunk) => hash.update(chunk)),
      createWriteStream(to, { mode: 0o600 }),
    );
    const found = hash.digest('hex');
    if (sha256 !== null && found !== sha256)
      throw new Error(`the SHA-256 of the file is ${found}, and Sluice pins ${sha256}`);
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${host}: ${reasonOf(error)}`, { cause: error });
  } finally {
    await dispatcher.destroy();
  }
}

/** Names in small letters win, as in curl. `ALL_PROXY` applies where `HTTPS_PROXY` is not set. */
function proxiesOf(env: Env): { httpProxy?: string; httpsProxy?: string; noProxy?: string } {
  const of = (name: string) => env[name.toLowerCase()] || env[name];
  const all = of('ALL_PROXY');
  const http = of('HTTP_PROXY') ?? all;
  const https = of('HTTPS_PROXY') ?? all;
  const none = of('NO_PROXY');
  // An option that is there but undefined would make undici read the variables of the process.
  return { httpProxy: http ?? '', httpsProxy: https ?? '', noProxy: none ?? '' };
}

function counting(total: number | null, say: (line: string) => void, see: (chunk: Buffer) => void) {
  let bytes = 0;
  let reported = performance.now();
  const of = total === null ? '' : ` of ${megabytes(total)}`;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > LARGEST_BYTES) return done(new Error(`the file has more than ${megabytes(LARGEST_BYTES)}`));
      see(chunk);
      if (performance.now() - reported >= REPORT_MS) {
        reported = performance.now();
        say(`  ${megabytes(bytes)}${of}`);
      }
      done(null, chunk);
    },
    flush(done) {
      if (total !== null && bytes !== total)
        return done(new Error(`it ended after ${bytes} of ${total} bytes`));
      say(`  ${megabytes(bytes)} downloaded`);
      done();
    },
  });
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** fetch hides its reason in a chain of causes. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, code } = error as Error & { code?: string };
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  if (cause instanceof Error) return reasonOf(cause);
  return error.message || (code ?? error.name);
}
