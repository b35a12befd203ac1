// Webhooks: posts a notice as JSON. Redirects are not followed, so nothing gets to another host.
import { Agent, request } from 'undici';
import { createGuard } from '../../../connectors/outbound/guard.ts';
import { readCapped } from '../../../connectors/outbound/read-capped.ts';
import { SecretRef } from '../../../core/config/base.ts';
import { deadlineSignal } from '../../../core/deadline.ts';
import { isPlainRemote } from '../../../core/net/loopback.ts';
import type { WebhookChannel } from '../config.ts';
import { asSlack, asTeams } from '../formats.ts';
import type { Notice } from '../notice.ts';
import type { ChannelContext } from './context.ts';
import { NoticeError, systemCode } from './error.ts';

/** For the whole exchange. */
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES = 16_384;
/** Of an answer, for the person who tests the channel. */
const SHOWN = 200;
/** Nothing was sent. */
const NOT_SENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ADDRESS_REFUSED|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|UNABLE_TO_.*|SELF_SIGNED_.*|DEPTH_ZERO_.*)$/;

export async function sendToWebhook(
  channel: WebhookChannel,
  notice: Notice,
  { secret, timeoutMs = TIMEOUT_MS }: ChannelContext,
): Promise<string> {
  const url = await targetOf(channel, secret);
  const token = channel.token === undefined ? null : await secret(channel.token);
  const agent = new Agent({ connect: createGuard({ reach: 'private', connectMs: timeoutMs }).connect });
  try {
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      signal: deadlineSignal(timeoutMs),
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Sluice',
        'idempotency-key': notice.id,
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(bodyOf(channel, notice)),
    });
    const { statusCode: status } = answer;
    const body = await readCapped(answer.body, ANSWER_BYTES);
    const text = (body?.toString('utf8') ?? '').trim().slice(0, SHOWN);
    if (status >= 200 && status < 300) return `HTTP ${status}${text === '' ? '' : `: ${text}`}`;
    const why =
      status >= 300 && status < 400
        ? ', a redirect, which is not followed; write the URL that it leads to'
        : '';
    throw new NoticeError(`HTTP_${status}`, `${url.host} answered with HTTP ${status}${why}`, {
      answer: text,
    });
  } catch (error) {
    if (error instanceof NoticeError) throw error;
    throw connectionError(error, url.host, timeoutMs);
  } finally {
    await agent.destroy();
  }
}

function connectionError(error: unknown, host: string, timeoutMs: number): NoticeError {
  if ((error as Error).name === 'TimeoutError')
    return new NoticeError(
      'TIMEOUT',
      `${host} did not answer within ${timeoutMs / 1000} s; the notice may have arrived`,
      {
        unclear: true,
        cause: error,
      },
    );
  const code = systemCode(error);
  const unclear = !NOT_SENT.test(code);
  const end = unclear
    ? 'the connection closed before an answer; the notice may have arrived'
    : 'there is no connection';
  return new NoticeError('UNREACHABLE', `${host}: ${end}${code === '' ? '' : ` (${code})`}`, {
    unclear,
    cause: error,
  });
}

/** A URL in the file is checked when it is loaded; one behind a reference here. */
async function targetOf({ url, insecure }: WebhookChannel, secret: ChannelContext['secret']): Promise<URL> {
  const text = SecretRef.safeParse(url).success ? await secret(url) : url;
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new NoticeError('URL', `the secret behind ${url} is no URL with https://`);
  if (isPlainRemote(text) && insecure !== true)
    throw new NoticeError(
      'INSECURE',
      `the URL behind ${url} begins with http://, which sends notices unencrypted; use https://, or set insecure: true in a private network`,
    );
  return new URL(text);
}

function bodyOf({ format }: WebhookChannel, notice: Notice): object {
  switch (format) {
    case 'json':
      return notice;
    case 'slack':
      return asSlack(notice);
    case 'teams':
      return asTeams(notice);
  }
}
