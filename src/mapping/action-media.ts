// Files that a message brings along: only addresses on hosts that the configuration names.
import type { MessageAction } from '../contracts/config.ts';
import { durationMs } from '../contracts/config-base.ts';
import type { RequestOf } from '../contracts/intake.ts';
import { MappingConfigError, ValueError } from './errors.ts';
import type { ExpressionCompiler } from './expression.ts';
import { type Part, partOf } from './parts.ts';
import { toTexts } from './values.ts';

type MediaConfig = NonNullable<MessageAction['media']>;
type Media = NonNullable<RequestOf<'message'>['media']>;

/** Files of one message. The API text names no limit; a worker holds them all while it sends. */
export const MAX_FILES = 10;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Undefined when the event names no file.
 * @throws MappingConfigError for a host with a port that does not exist
 */
export function compileMedia(config: MediaConfig, compiler: ExpressionCompiler): Part<Media | undefined> {
  const { hosts, maxBytes, allowPrivate, timeout } = config;
  const allowed = hosts.map((host, index) => compileHost(host, ['media', 'hosts', String(index)]));
  const urls = partOf(compiler, config.url, ['media', 'url'], (value) => {
    const found = [...new Set(toTexts(value, undefined).map((text) => toFileUrl(text, allowed)))];
    if (found.length <= MAX_FILES) return found;
    throw new ValueError(
      'too_many',
      `a message takes ${MAX_FILES} files at most; send them in several`,
      undefined,
    );
  });
  return (row, report) => {
    const found = urls(row, report) ?? [];
    if (found.length === 0) return undefined;
    return { urls: found, hosts, maxBytes, allowPrivate, timeoutMs: durationMs(timeout) };
  };
}

type AllowsHost = (hostname: string, protocol: string, port: string) => boolean;

/** `host` and `*.suffix` mean the usual port of http and of https; `host:port` that one alone. */
function compileHost(pattern: string, at: readonly string[]): AllowsHost {
  const [name = '', port] = pattern.split(':');
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) {
    throw new MappingConfigError(at, `there is no port ${port}; write 1 to 65535`);
  }
  const fits = name.startsWith('*.')
    ? (hostname: string) => hostname.endsWith(name.slice(1)) && hostname.length > name.length - 1
    : (hostname: string) => hostname === name;
  const wanted = port === undefined ? undefined : String(Number(port));
  return (hostname, protocol, found) => fits(hostname) && found === (wanted ?? DEFAULT_PORTS[protocol]);
}

/** @throws ValueError `invalid_url` or `host_not_allowed` */
function toFileUrl(text: string, allowed: readonly AllowsHost[]): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !(url.protocol in DEFAULT_PORTS)) {
    throw new ValueError('invalid_url', 'the address of a file begins with https:// or http://', text);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ValueError('invalid_url', 'the address of a file holds no user and no password', text);
  }
  const port = url.port || (DEFAULT_PORTS[url.protocol] as string);
  if (!allowed.some((allows) => allows(url.hostname, url.protocol, port))) {
    const reason =
      'files are not taken from this host; name it under `media.hosts` of the action, or host the file elsewhere';
    throw new ValueError('host_not_allowed', reason, text);
  }
  return url.href;
}
