// Sends to a number and reads the outcome of a message (API text, Endpoints, Conversations).
import { route } from '../arguments.ts';
import type { Assumptions } from '../assumptions.ts';
import type { ApiResult, Call, CallOptions } from '../call.ts';
import { InvalidArgumentError } from '../errors.ts';
import { readMessageStatus } from '../readers.ts';
import { type MessageSend, type MessageStatus, readReceipt, type SendReceipt } from '../schemas/message.ts';
import { contentSpec, mediaInputs } from './message-content.ts';

export class MessagesResource {
  readonly #call: Call;
  readonly #assumptions: Assumptions;

  constructor(call: Call, assumptions: Assumptions) {
    this.#call = call;
    this.#assumptions = assumptions;
  }

  /**
   * Sends to a number. The service creates the contact and the conversation if they do not exist. POST
   * /v1/messages/send, scope messages:send. Not idempotent: see `isAmbiguous` before repeating one that failed.
   * Medias are streamed; the deadline and the signal include the upload. With `saveOnTicket: false` the answer's
   * `ticketId` and `contactId` are null. Every field that the answer does not show is null, too: the message was
   * sent.
   *
   * @throws InvalidArgumentError for medias with `saveOnTicket: false` (the service would drop them silently), and
   *   for a media file that cannot be opened
   */
  async send(message: MessageSend, options?: CallOptions): Promise<ApiResult<SendReceipt>> {
    const unsaved = message.saveOnTicket === false;
    if (unsaved && message.medias !== undefined && message.medias.length > 0) {
      throw new InvalidArgumentError(
        'medias',
        message.medias,
        'saveOnTicket: false sends no medias; leave one of the two out',
      );
    }
    return this.#call(
      {
        method: 'POST',
        route: route('/v1/messages/send'),
        ...contentSpec(message, this.#assumptions),
        inputs: mediaInputs(message),
        read: readReceipt,
      },
      options,
    );
  }

  /**
   * Returns the delivery status of a message. GET /v1/messages/{messageId}/status, scope messages:read. `messageId`
   * is the id from the answer to sending.
   */
  async status(messageId: string, options?: CallOptions): Promise<ApiResult<MessageStatus>> {
    return this.#call(
      {
        method: 'GET',
        route: route('/v1/messages/{messageId}/status', {}, { messageId }),
        read: (body) => readMessageStatus(body, this.#assumptions),
      },
      options,
    );
  }
}
