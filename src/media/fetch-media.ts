// Downloads a file that an event names: from allowed hosts, never from inside the own network by accident, and never
// more than was agreed.
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { deadlineSignal } from '../contracts/deadline.ts';
import { isAllowedHost } from '../contracts/media-hosts.ts';
import { contentTypeOf, fileNameOf } from '../contracts/media-names.ts';
import { mayFetchFrom } from './addresses.ts';
import { type MediaCode, MediaError } from './media-error.ts';

export interface MediaLimits {
  /** `host`, `host:port` or `*.example.com`, in lower case. */
  readonly hosts: readonly string[];
  /** Bytes of the file. */
  readonly maxBytes: number;
  /** Also from addresses inside the own network. */
  readonly allowPrivate: boolean;
  /** Milliseconds for the whole download, redirects included. */
  readonly timeoutMs: number;
}

/** A file as the API client takes it. */
export interface FetchedMedia {
  readonly data: Buffer;
  readonly filename: string;
  /** Without parameters. */
  readonly contentType: string;
}

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

export interface FetchMediaOptions {
  /** Aborts the download; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Addresses of a name, asked once a request. @default the system's resolver */
  readonly resolve?: ((name: string) => Promise<readonly HostAddress[]>) | undefined;
}

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Busy hosts come round; what is forbidden or gone stays so. */
const PASSING = new Set([408, 425, 429]);

const fail = (code: MediaCode, message: string, retryable = false): never => {
  throw new MediaError(code, message, retryable);
};

/**
 * Downloads one file. The name is resolved once, and the connection goes to the address that was checked, so that a
 * name can't lead elsewhere the second time. Redirects are followed three times, each with every check. Nothing but the
 * address is sent: no cookies, no credentials, no referrer.
 * @throws MediaError; the reason of `signal` when that ends it
 */
export async function fetchMedia(
  address: string,
  limits: MediaLimits,
  options: FetchMediaOptions = {},
): Promise<FetchedMedia> {
  const late = deadlineSignal(limits.timeoutMs);
  const signal = options.signal === undefined ? late : AbortSignal.any([options.signal, late]);
  const resolve = options.resolve ?? ((name: string) => lookup(name, { all: true, verbatim: true }));
  try {
    let url = parse(address);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (!isAllowedHost(url, limits.hosts))
        fail(
          'MEDIA_HOST',
          "the file's host, or one it redirects to, is not among `media.hosts` of the route",
        );
      const addresses = await addressesOf(url, limits, resolve, signal);
      const answer = await ask(url, addresses, limits, signal);
      if (!(answer instanceof URL)) return answer;
      url = answer;
    }
    return fail('MEDIA_REDIRECTS', `the file's host redirects more than ${MAX_REDIRECTS} times`);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (late.aborted) fail('MEDIA_TIMEOUT', `the file was not here after ${limits.timeoutMs} ms`, true);
    if (error instanceof MediaError) throw error;
    // Errors of sockets and of the resolver quote names and addresses.
    const { code } = error as { code?: unknown };
    const what = typeof code === 'string' && /^\w{1,64}$/.test(code) ? ` (${code})` : '';
    return fail('MEDIA_UNREACHABLE', `the file's host can not be reached, or broke off${what}`, true);
  }
}

function parse(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) fail('MEDIA_URL', 'the address of the file can not be read');
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    fail('MEDIA_URL', 'the address of the file is neither http nor https');
  if (url.username !== '' || url.password !== '')
    fail('MEDIA_URL', 'the address of the file holds credentials, which are never sent');
  return url;
}

/** @throws MediaError for a target that can't be read, and for one that is less safe than where it comes from */
export function redirectTarget(location: string, from: URL): URL {
  const target = parse(location, from);
  if (from.protocol === 'https:' && target.protocol === 'http:')
    fail('MEDIA_REDIRECTS', "the file's host redirects from https to http, which is not followed");
  return target;
}

/** The addresses that the connection may go to. */
async function addressesOf(
  url: URL,
  { allowPrivate }: MediaLimits,
  resolve: NonNullable<FetchMediaOptions['resolve']>,
  signal: AbortSignal,
): Promise<readonly HostAddress[]> {
  const literal = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(literal);
  const all = family === 0 ? await orAborted(resolve(url.hostname), signal) : [{ address: literal, family }];
  const usable = all.filter((each) => mayFetchFrom(each.address, allowPrivate));
  if (usable.length === 0)
    fail('MEDIA_ADDRESS', "the file's host is inside the own network, or at no address to fetch from");
  return usable;
}

/** The system's resolver can't be called off. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** One request on a connection of its own: the file, or where it is said to be. */
async function ask(
  url: URL,
  addresses: readonly HostAddress[],
  limits: MediaLimits,
  signal: AbortSignal,
): Promise<FetchedMedia | URL> {
  const pinned: LookupFunction = (_name, options, callback) => {
    if (options.all === true) return callback(null, [...addresses]);
    const [{ address, family }] = addresses as [HostAddress];
    callback(null, address, family);
  };
  const client = new Client(url.origin, {
    connect: { lookup: pinned, timeout: limits.timeoutMs },
    allowH2: false,
    // The signal covers all of it.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  try {
    const answer = await client.request({
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'sluice' },
      signal,
    });
    if (REDIRECTS.has(answer.statusCode)) {
      const { location } = answer.headers;
      if (typeof location !== 'string')
        return fail('MEDIA_REDIRECTS', "the file's host redirects to nowhere");
      return redirectTarget(location, url);
    }
    return await readFile(answer, url, limits);
  } finally {
    // Also ends a body that nobody reads to its end.
    await client.destroy();
  }
}

async function readFile(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  url: URL,
  { maxBytes }: MediaLimits,
): Promise<FetchedMedia> {
  if (statusCode !== 200)
    fail(
      'MEDIA_STATUS',
      `the file's host answers ${statusCode}`,
      statusCode >= 500 || PASSING.has(statusCode),
    );
  const encoding = one(headers['content-encoding'])?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity')
    fail('MEDIA_ENCODED', 'the file comes compressed, though its host was asked not to');
  const tooLarge = () =>
    fail('MEDIA_TOO_LARGE', `the file is longer than ${maxBytes} bytes (\`media.maxBytes\` of the route)`);
  if (Number(one(headers['content-length'])) > maxBytes) tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) tooLarge();
    chunks.push(chunk);
  }
  if (bytes === 0) fail('MEDIA_EMPTY', 'the file is empty');
  const contentType = contentTypeOf(one(headers['content-type']));
  const filename = fileNameOf(one(headers['content-disposition']), url, contentType);
  return { data: Buffer.concat(chunks, bytes), filename, contentType };
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
