// Messages that operators send, as events of the route of operators. Their texts go into the ledger only, never through Temporal.
import { randomUUID } from 'node:crypto';
import type { OperatorMedia } from '../../../config/schema/operator.ts';
import { durationDays } from '../../../core/config/base.ts';
import { contentTypeOf, uploadNameOf } from '../../../core/media-names.ts';
import { ValueError } from '../../../mapping/errors.ts';
import { canonicalKey } from '../../../mapping/phone/index.ts';
import { OperatorError } from '../../../operator/error.ts';
import type { Handlers, OperatorDeps } from '../../../operator/service/deps.ts';
import type { OperatorEvents } from '../../../operator/service/operator-events.ts';
import type { RequestOf } from '../contract/intake.ts';
import type { MESSAGES, OperatorMessage } from '../contract/messages.ts';
import { MAX_FILES, operatorMedia } from '../rules/action-media.ts';
import { recipientOptedOut } from '../store/recipients.ts';
import { storeUpload } from '../store/uploads.ts';

export function messageHandlers(
  { db, config }: OperatorDeps,
  events: OperatorEvents,
): Handlers<keyof typeof MESSAGES> {
  return {
    'POST /messages': async ({ account, key = randomUUID(), request: wish, toOptedOut = false }) => {
      events.requireAccount(account);
      checkMessage(wish);
      const request = withMedia(wish, config().config.operator.media);
      // A repetition of an accepted message sends nothing more, so an opt-out since does not matter to it.
      if (
        !toOptedOut &&
        (await recipientOptedOut(db, account, request)) &&
        (await events.find(account, key)) === null
      )
        throw new OperatorError('conflict', OPTED_OUT, { code: 'OPTED_OUT' });
      return await events.accept({ account, key, request });
    },
    'POST /messages/files': async ({ account, name, type, data }) => {
      events.requireAccount(account);
      const contentType = contentTypeOf(type);
      const filename = uploadNameOf(undefined, name, contentType);
      const days = durationDays(config().config.retention.uploads);
      const { id } = await storeUpload(db, { account, filename, contentType, data }, days);
      return { upload: id };
    },
  };
}

const OPTED_OUT =
  'the recipient opted out; set toOptedOut (--to-opted-out) if the message is transactional or answers what the person wrote';

function refuse(problem: string): never {
  throw new OperatorError('invalid', problem, { code: 'MESSAGE' });
}

/**
 * The message with what the configuration says about its files.
 * @throws OperatorError (invalid) that contains no URL
 */
export function withMedia({ media, ...rest }: OperatorMessage, rules: OperatorMedia): RequestOf<'message'> {
  if (media === undefined) return rest;
  try {
    return { ...rest, media: operatorMedia(media.urls, rules) };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return refuse(error.message);
  }
}

/**
 * Checks a message against the API text (POST /v1/messages/send and POST /v1/conversations/{ticketId}/messages), and
 * against the rules that apply to a configured route.
 * @throws OperatorError (invalid). The text names the field and the fix, and contains no value.
 */
export function checkMessage({ to, text, template, media, uploads, ...rest }: OperatorMessage): void {
  const files = (media?.urls.length ?? 0) + (uploads?.length ?? 0);
  if (text === undefined && template === undefined && files === 0)
    refuse('the message is empty; add a text, a template or a file');
  if (files > MAX_FILES) refuse(`a message takes ${MAX_FILES} files at most; send them in several`);
  if (rest.outsideWindow === 'template' && template === undefined)
    refuse('outsideWindow is template, and there is no template; add one, or change outsideWindow');
  if (files > 0 && !rest.saveOnTicket)
    refuse('a message with saveOnTicket false can have no files; remove the files or saveOnTicket');
  if ('number' in to) {
    if (to.key !== canonicalKey(to.number))
      refuse('to.key is not the key of to.number; write the number with the Brazilian ninth digit');
    return;
  }
  if (rest.connection !== undefined)
    refuse('a reply uses the connection of its conversation; remove the connection');
  if (rest.contactName !== undefined) refuse('the conversation already has a contact; remove the name');
  if (!rest.saveOnTicket) refuse('a reply is always saved; remove saveOnTicket');
}
