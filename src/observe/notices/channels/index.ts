// Sends one notice to one channel.
import { SecretError } from '../../../core/config/errors.ts';
import type { NoticeChannel } from '../config.ts';
import type { Notice } from '../notice.ts';
import { sendToCommand } from './command.ts';
import type { ChannelContext } from './context.ts';
import { sendByEmail } from './email.ts';
import { NoticeError } from './error.ts';
import { sendToWebhook } from './webhook.ts';

/**
 * @returns what the receiver answered
 * @throws NoticeError
 */
export async function sendNotice(
  channel: NoticeChannel,
  notice: Notice,
  context: ChannelContext,
): Promise<string> {
  try {
    switch (channel.type) {
      case 'webhook':
        return await sendToWebhook(channel, notice, context);
      case 'email':
        return await sendByEmail(channel, notice, context);
      case 'command':
        return await sendToCommand(channel, notice, context);
    }
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    throw new NoticeError('SECRET', error.message, { cause: error });
  }
}
