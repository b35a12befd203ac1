// Files of a message: from URLs on hosts that the configuration names, or from earlier uploads.

import { durationMs } from '../../../core/config/base.ts';
import { isPlainRemote } from '../../../core/net/loopback.ts';
import { isAllowedHost } from '../../../core/net/media-hosts.ts';
import { MappingConfigError, ValueError } from '../../../mapping/errors.ts';
import type { ExpressionCompiler } from '../../../mapping/expression/expression.ts';
import { type Part, partOf } from '../../../mapping/parts.ts';
import { toTexts } from '../../../mapping/values.ts';
import type { MessageAction } from '../config-actions.ts';
import type { RequestOf } from '../contract/intake.ts';

type MediaConfig = NonNullable<MessageAction['media']>;
type Media = NonNullable<RequestOf<'message'>['media']>;

/**
 * Maximum number of files per message. The API text names no limit; a worker keeps all of them in memory while it
 * sends.
 */
export const MAX_FILES = 10;

/**
 * Undefined if the event names no file.
 * @throws MappingConfigError for a host with a port that does not exist
 */
export function compileMedia(config: MediaConfig, compiler: ExpressionCompiler): Part<Media | undefined> {
  for (const [index, host] of config.hosts.entries()) requirePort(host, ['media', 'hosts', String(index)]);
  const urls = partOf(compiler, config.url, ['media', 'url'], (value) =>
    toFileUrls(toTexts(value, undefined), config, OF_ACTION),
  );
  return (row, report) => {
    const found = urls(row, report) ?? [];
    return found.length === 0 ? undefined : mediaOf(found, config);
  };
}

/** What the configuration says about files that are named by URL. */
type MediaRules = Omit<MediaConfig, 'url'>;

/** Names a section of the configuration in messages: its keys, and where they are. */
interface Section {
  readonly key: string;
  readonly of: string;
}

const OF_ACTION: Section = { key: 'media', of: ' of the action' };
const OF_OPERATOR: Section = { key: 'operator.media', of: ' in the configuration' };

/**
 * Files of an operator's message.
 * @throws ValueError `invalid_url`, `host_not_allowed` or `too_many`
 */
export function operatorMedia(urls: readonly string[], rules: MediaRules): Media {
  return mediaOf(toFileUrls(urls, rules, OF_OPERATOR), rules);
}

function mediaOf(urls: string[], { hosts, maxBytes, allowPrivate, timeout }: MediaRules): Media {
  return { urls, hosts, maxBytes, allowPrivate, timeoutMs: durationMs(timeout) };
}

function toFileUrls(texts: readonly string[], rules: MediaRules, section: Section): string[] {
  const found = [...new Set(texts.map((text) => toFileUrl(text, rules, section)))];
  if (found.length > MAX_FILES) throw tooManyFiles();
  return found;
}

/** Files from URLs and from uploads count together. */
export function tooManyFiles(): ValueError {
  const reason = `a message takes ${MAX_FILES} files at most; send them in several`;
  return new ValueError('too_many', reason, undefined);
}

function requirePort(host: string, at: readonly string[]): void {
  const [, port = '80'] = host.split(':');
  if (Number(port) >= 1 && Number(port) <= 65_535) return;
  throw new MappingConfigError(at, `${port} is not a port; use 1 to 65535`);
}

/** @throws ValueError `invalid_url` or `host_not_allowed` */
function toFileUrl(text: string, { hosts, insecure = false }: MediaRules, { key, of }: Section): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ValueError('invalid_url', 'the address of a file must begin with https:// or http://', text);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ValueError('invalid_url', 'the address of a file must not contain a user or a password', text);
  }
  if (!insecure && isPlainRemote(url.href)) {
    const reason = `Sluice does not download files unencrypted; send an https:// address, or set insecure: true under \`${key}\`${of}`;
    throw new ValueError('invalid_url', reason, text);
  }
  if (isAllowedHost(url, hosts)) return url.href;
  const reason = `Sluice does not download files from this host; add it to \`${key}.hosts\`${of}, or move the file to another host`;
  throw new ValueError('host_not_allowed', reason, text);
}

type UploadsConfig = NonNullable<MessageAction['uploads']>;

/** The format of an upload id. Whether the file exists shows when the message is sent. */
const UPLOAD_ID = /^[\w-]{1,100}$/;

/** Uploads that the event names by their ids. Undefined if it names none. A repeated id counts once. */
export function compileUploads(
  config: UploadsConfig,
  compiler: ExpressionCompiler,
): Part<string[] | undefined> {
  const ids = partOf(compiler, config.ids, ['uploads', 'ids'], (value) => {
    const found = [...new Set(toTexts(value, undefined))];
    const odd = found.find((id) => !UPLOAD_ID.test(id));
    if (odd !== undefined)
      throw new ValueError(
        'invalid_upload',
        'this is not an upload id; send the id that the upload returned',
        odd,
      );
    if (found.length > MAX_FILES) throw tooManyFiles();
    return found;
  });
  return (row, report) => {
    const found = ids(row, report) ?? [];
    return found.length === 0 ? undefined : found;
  };
}
