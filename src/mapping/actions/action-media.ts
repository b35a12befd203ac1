// Files that a message brings along: only addresses on hosts that the configuration names.
import type { MessageAction } from '../../contracts/config/config.ts';
import { durationMs } from '../../contracts/config/config-base.ts';
import { isPlainRemote } from '../../contracts/loopback.ts';
import { isAllowedHost } from '../../contracts/media-hosts.ts';
import type { RequestOf } from '../../contracts/wire/intake.ts';
import { MappingConfigError, ValueError } from '../errors.ts';
import type { ExpressionCompiler } from '../expression/expression.ts';
import { type Part, partOf } from '../parts.ts';
import { toTexts } from '../values.ts';

type MediaConfig = NonNullable<MessageAction['media']>;
type Media = NonNullable<RequestOf<'message'>['media']>;

/** Files of one message. The API text names no limit; a worker holds them all while it sends. */
export const MAX_FILES = 10;

/**
 * Undefined when the event names no file.
 * @throws MappingConfigError for a host with a port that does not exist
 */
export function compileMedia(config: MediaConfig, compiler: ExpressionCompiler): Part<Media | undefined> {
  const { hosts, maxBytes, allowPrivate, timeout, insecure = false } = config;
  for (const [index, host] of hosts.entries()) requirePort(host, ['media', 'hosts', String(index)]);
  const urls = partOf(compiler, config.url, ['media', 'url'], (value) => {
    const found = [...new Set(toTexts(value, undefined).map((text) => toFileUrl(text, hosts, insecure)))];
    if (found.length <= MAX_FILES) return found;
    throw tooManyFiles();
  });
  return (row, report) => {
    const found = urls(row, report) ?? [];
    if (found.length === 0) return undefined;
    return { urls: found, hosts, maxBytes, allowPrivate, timeoutMs: durationMs(timeout) };
  };
}

/** Files from addresses and uploads count together. */
export function tooManyFiles(): ValueError {
  const reason = `a message takes ${MAX_FILES} files at most; send them in several`;
  return new ValueError('too_many', reason, undefined);
}

function requirePort(host: string, at: readonly string[]): void {
  const [, port = '80'] = host.split(':');
  if (Number(port) >= 1 && Number(port) <= 65_535) return;
  throw new MappingConfigError(at, `there is no port ${port}; write 1 to 65535`);
}

/** @throws ValueError `invalid_url` or `host_not_allowed` */
function toFileUrl(text: string, hosts: readonly string[], insecure: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ValueError('invalid_url', 'the address of a file begins with https:// or http://', text);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ValueError('invalid_url', 'the address of a file holds no user and no password', text);
  }
  if (!insecure && isPlainRemote(url.href)) {
    const reason =
      'a file is not fetched unencrypted: send an address with https://, or set insecure: true under `media` of the action';
    throw new ValueError('invalid_url', reason, text);
  }
  if (isAllowedHost(url, hosts)) return url.href;
  const reason =
    'files are not taken from this host; name it under `media.hosts` of the action, or keep the file elsewhere';
  throw new ValueError('host_not_allowed', reason, text);
}
