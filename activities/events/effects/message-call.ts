// The call that sends an event's message.
import type { FetchedMedia } from '../../../src/connectors/media/fetch-media.ts';
import type { RequestOf } from '../../../src/jobs/events/contract/intake.ts';
import type { SentMessage } from '../../../src/service/api-client/schemas/message.ts';
import type { Call } from '../../shared/api-call.ts';

interface Sent {
  readonly ticket: number | null;
  readonly contact: number | null;
  readonly messages: readonly SentMessage[];
}

/** Builds the call that sends the message and its files. */
export function sendingOf(request: RequestOf<'message'>, files: readonly FetchedMedia[]): Call<Sent> {
  const { to, text, template, connection, contactName, saveOnTicket } = request;
  const content = {
    body: text,
    templateData: template && templateData(template),
    medias: files,
  };
  if ('conversation' in to) {
    return async (client, options) => {
      const { data, meta } = await client.conversations.reply(to.conversation, content, options);
      return { data: { ticket: to.conversation, contact: null, messages: data.messages }, meta };
    };
  }
  const message = {
    number: to.number,
    ...content,
    whatsappId: typeof connection === 'number' ? connection : undefined,
    whatsappName: typeof connection === 'string' ? connection : undefined,
    contactName,
    ...(saveOnTicket ? {} : { saveOnTicket }),
  };
  return async (client, options) => {
    const { data, meta } = await client.messages.send(message, options);
    return { data: { ticket: data.ticketId, contact: data.contactId, messages: data.messages }, meta };
  };
}

function templateData({ name, language, parameters }: NonNullable<RequestOf<'message'>['template']>) {
  return { templateName: name, templateLanguage: language, templateParameters: parameters };
}
