// Downloads a file that an event names. It downloads from allowed hosts only, never from a private address unless the
// route allows it, and never more than `maxBytes`.
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
  /** Maximum size of the file, in bytes. */
  readonly maxBytes: number;
  /** Also downloads from private addresses. */
  readonly allowPrivate: boolean;
  /** Time limit for the whole download in milliseconds, redirects included. */
  readonly timeoutMs: number;
}

/** A file in the form that the API client takes. */
export interface FetchedMedia {
  readonly data: Buffer;
  readonly filename: string;
  /** Media type without parameters. */
  readonly contentType: string;
}

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

export interface FetchMediaOptions {
  /** Aborts the download, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Resolves a host name, once per request. @default the system's resolver */
  readonly resolve?: ((name: string) => Promise<readonly HostAddress[]>) | undefined;
}

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** A busy host may answer later. A forbidden or missing file stays forbidden or missing. */
const PASSING = new Set([408, 425, 429]);

const fail = (code: MediaCode, message: string, retryable = false): never => {
  throw new MediaError(code, message, retryable);
};

/**
 * Downloads one file. It resolves the name once and connects to the address that it checked, so that the name cannot
 * lead elsewhere on a second lookup. It follows up to three redirects and repeats every check for each. The request
 * carries no cookies, credentials or referrer.
 * @throws MediaError; the reason of `signal` when that aborts the download
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
          "the file's host, or a host it redirects to, is not in `media.hosts` of the route",
        );
      const addresses = await addressesOf(url, limits, resolve, signal);
      const answer = await ask(url, addresses, limits, signal);
      if (!(answer instanceof URL)) return answer;
      url = answer;
    }
    return fail('MEDIA_REDIRECTS', `the file's host redirects more than ${MAX_REDIRECTS} times`);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (late.aborted) fail('MEDIA_TIMEOUT', `the download took longer than ${limits.timeoutMs} ms`, true);
    if (error instanceof MediaError) throw error;
    // Socket and resolver errors quote names and addresses.
    const { code } = error as { code?: unknown };
    const what = typeof code === 'string' && /^\w{1,64}$/.test(code) ? ` (${code})` : '';
    return fail(
      'MEDIA_UNREACHABLE',
      `the file's host cannot be reached, or it closed the connection${what}`,
      true,
    );
  }
}

function parse(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href)) fail('MEDIA_URL', 'the address of the file is not a valid URL');
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    fail('MEDIA_URL', 'the address of the file uses neither http nor https');
  if (url.username !== '' || url.password !== '')
    fail('MEDIA_URL', 'the address of the file contains credentials; Sluice never sends those');
  return url;
}

/** @throws MediaError for a target that is not a URL, and for a redirect from https to http */
export function redirectTarget(location: string, from: URL): URL {
  const target = parse(location, from);
  if (from.protocol === 'https:' && target.protocol === 'http:')
    fail('MEDIA_REDIRECTS', "the file's host redirects from https to http; Sluice does not follow that");
  return target;
}

/** Returns the addresses that the connection may use. */
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
    fail('MEDIA_ADDRESS', "the file's host has a private address, or none that Sluice may download from");
  return usable;
}

/** The system's resolver cannot be cancelled. */
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

/** Sends one request on a connection of its own. Returns the file or the redirect target. */
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
    // The signal covers the whole exchange.
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
        return fail('MEDIA_REDIRECTS', "the file's host redirects without naming an address");
      return redirectTarget(location, url);
    }
    return await readFile(answer, url, limits);
  } finally {
    // This also ends a body that nobody reads to its end.
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
    fail('MEDIA_ENCODED', "the file's host sends it compressed although Sluice asked for it uncompressed");
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
