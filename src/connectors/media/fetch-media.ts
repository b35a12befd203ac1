// Downloads a file that an event names. The configuration decides about hosts, private addresses, size and time. What is
// said of a host that does not answer is always the same, so that nobody can probe ports with it.
import { Client, type Dispatcher } from 'undici';
import { deadlineSignal } from '../../core/deadline.ts';
import { contentTypeOf, fileNameOf } from '../../core/media-names.ts';
import { isAllowedHost } from '../../core/net/media-hosts.ts';
import { AddressRefusedError, createGuard, type Guard, type Resolve } from '../outbound/guard.ts';
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

export interface FetchMediaOptions {
  /** Aborts the download, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Resolves a host name, once per request. @default the system's resolver */
  readonly resolve?: Resolve | undefined;
  /** Called with the size of each part before it is kept; may throw. */
  readonly take?: ((bytes: number) => void) | undefined;
}

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** A busy host may answer later. A forbidden or missing file stays forbidden or missing. */
const PASSING = new Set([408, 425, 429]);

const fail = (code: MediaCode, message: string, retryable = false): never => {
  throw new MediaError(code, message, retryable);
};

/** No configuration allows more. Events that an older process stored may say more. */
const CEILING = { maxBytes: 104_857_600, timeoutMs: 45_000 } as const;

/**
 * Downloads one file. It follows up to three redirects and repeats every check for each. A public host cannot redirect
 * to a private address. The request carries no cookies, credentials or referrer.
 * @throws MediaError; the reason of `signal` when that aborts the download
 */
export async function fetchMedia(
  address: string,
  wanted: MediaLimits,
  options: FetchMediaOptions = {},
): Promise<FetchedMedia> {
  const limits: MediaLimits = {
    ...wanted,
    maxBytes: Math.min(wanted.maxBytes, CEILING.maxBytes),
    timeoutMs: Math.min(wanted.timeoutMs, CEILING.timeoutMs),
  };
  const late = deadlineSignal(limits.timeoutMs);
  const signal = options.signal === undefined ? late : AbortSignal.any([options.signal, late]);
  const progress: Progress = { hasAnswer: false };
  try {
    let url = parse(address);
    let allowPrivate = limits.allowPrivate;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (!isAllowedHost(url, limits.hosts))
        fail(
          'MEDIA_HOST',
          "the file's host, or a host it redirects to, is not in the configured `media.hosts`",
        );
      const guard = createGuard({
        reach: allowPrivate ? 'private' : 'public',
        connectMs: limits.timeoutMs,
        resolve: options.resolve,
      });
      progress.hasAnswer = false;
      const answer = await ask(url, guard, progress, { limits, signal, take: options.take });
      if (!(answer instanceof URL)) return answer;
      url = answer;
      allowPrivate &&= guard.reached === 'private';
    }
    return fail('MEDIA_REDIRECTS', `the file's host redirects more than ${MAX_REDIRECTS} times`);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (late.aborted && progress.hasAnswer)
      fail('MEDIA_TIMEOUT', `the download took longer than ${limits.timeoutMs} ms`, true);
    if (error instanceof MediaError) throw error;
    if (error instanceof AddressRefusedError)
      fail('MEDIA_ADDRESS', "the file's host has an address that Sluice may not download from");
    // A refused connection, silence, another protocol and an unknown name are all the same to whoever names the file.
    return fail('MEDIA_UNREACHABLE', "the file's host sends no whole answer over HTTP", true);
  }
}

/** What a download that fails has reached. */
interface Progress {
  /** The head of an answer has arrived. */
  hasAnswer: boolean;
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

/** undici ends a request whose connection is not open yet only when the connection fails. */
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

interface AskOptions {
  readonly limits: MediaLimits;
  readonly signal: AbortSignal;
  readonly take: FetchMediaOptions['take'];
}

/** Sends one request on a connection of its own. Returns the file or the redirect target. */
async function ask(
  url: URL,
  { connect }: Guard,
  progress: Progress,
  { limits, signal, take }: AskOptions,
): Promise<FetchedMedia | URL> {
  // The signal covers the whole exchange.
  const client = new Client(url.origin, { connect, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const request = client.request({
      method: 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'sluice' },
      signal,
    });
    const answer = await orAborted(request, signal);
    progress.hasAnswer = true;
    if (REDIRECTS.has(answer.statusCode)) {
      const { location } = answer.headers;
      if (typeof location !== 'string')
        return fail('MEDIA_REDIRECTS', "the file's host redirects without naming an address");
      return redirectTarget(location, url);
    }
    return await readFile(answer, url, limits, take);
  } finally {
    // This also ends a body that nobody reads to its end.
    await client.destroy();
  }
}

async function readFile(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  url: URL,
  { maxBytes }: MediaLimits,
  take: FetchMediaOptions['take'],
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
    fail(
      'MEDIA_TOO_LARGE',
      `the file is longer than ${maxBytes} bytes (\`media.maxBytes\` of the configuration)`,
    );
  if (Number(one(headers['content-length'])) > maxBytes) tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) tooLarge();
    take?.(chunk.length);
    chunks.push(chunk);
  }
  if (bytes === 0) fail('MEDIA_EMPTY', 'the file is empty');
  const contentType = contentTypeOf(one(headers['content-type']));
  const filename = fileNameOf(one(headers['content-disposition']), url, contentType);
  return { data: Buffer.concat(chunks, bytes), filename, contentType };
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
