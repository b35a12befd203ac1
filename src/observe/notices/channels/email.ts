// E-mail: sends a notice as plain text over SMTP.
import { isLoopbackHost } from '../../../core/net/loopback.ts';
import type { EmailChannel } from '../config.ts';
import { asText } from '../formats.ts';
import type { Notice } from '../notice.ts';
import type { ChannelContext } from './context.ts';
import { NoticeError } from './error.ts';

/** Of each step of the exchange. */
const STEP_MS = 10_000;
/** Of all of them. */
const TIMEOUT_MS = 30_000;
/** Codes of nodemailer before the server has the message. */
const NOT_SENT = /^(?:ECONNECTION|EDNS|ETLS|EREQUIRETLS|EAUTH|ENOAUTH|EOAUTH2|EENVELOPE|ECONFIG|EPROXY)$/;

export async function sendByEmail(
  channel: EmailChannel,
  notice: Notice,
  { secret, timeoutMs = TIMEOUT_MS }: ChannelContext,
): Promise<string> {
  const { user, password, from, to } = channel;
  const { protocol, hostname, port, host } = new URL(channel.server);
  const secure = protocol === 'smtps:';
  const mayBePlain = channel.insecure === true || isLoopbackHost(hostname);
  const auth =
    user === undefined || password === undefined ? undefined : { user, pass: await secret(password) };
  // Imported at use: most processes send no e-mail.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !mayBePlain,
    ...(auth !== undefined && { auth }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const limit = Promise.withResolvers<never>();
  const late = `${host} did not take the e-mail within ${timeoutMs / 1000} s; it may have arrived`;
  const timer = setTimeout(
    () => limit.reject(new NoticeError('TIMEOUT', late, { unclear: true })),
    timeoutMs,
  );
  try {
    const sending = transport.sendMail({
      from,
      to: [...to],
      subject: notice.title,
      text: asText(notice),
      messageId: `<${notice.id}.${Date.parse(notice.at)}@sluice>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    const { response, rejected } = await Promise.race([sending, limit.promise]);
    if (rejected.length > 0)
      throw new NoticeError(
        'RECIPIENT',
        `${host} refused ${rejected.length} of ${to.length} recipients; correct \`to\``,
        { unclear: true },
      );
    return response;
  } catch (error) {
    throw error instanceof NoticeError ? error : smtpError(error, host);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

/** The server's words may have addresses in them, so they are for the test only. */
function smtpError(error: unknown, host: string): NoticeError {
  const {
    code = 'UNKNOWN',
    responseCode,
    response,
    message,
  } = error as {
    code?: string;
    responseCode?: number;
    response?: string;
    message: string;
  };
  const status = responseCode === undefined ? code : `${code}, SMTP ${responseCode}`;
  const unclear = responseCode === undefined && !NOT_SENT.test(code);
  const end = unclear ? '; the notice may have arrived' : '';
  const kind = code === 'EAUTH' ? 'SMTP_LOGIN' : unclear ? 'SMTP_UNCLEAR' : 'SMTP_FAILED';
  return new NoticeError(kind, `${host} did not take the e-mail (${status})${end}`, {
    unclear,
    answer: response ?? message,
    cause: error,
  });
}
