// Reads the content of a send and builds its messages (API text, POST /v1/messages/send and POST conversation
// messages).
import { randomBytes, randomUUID } from 'node:crypto';
import { Problem } from '../http/errors.ts';
import { checked, isMissing, type Scene } from '../http/route.ts';
import { ContentFields, TemplateField } from '../openapi/message-inputs.ts';
import type { Account } from '../state/account.ts';
import type { Connection, Contact, Conversation, Fate, Media, Message, Template } from '../state/model.ts';
import { isWindowOpen } from './conversations.ts';

type Body = Readonly<Record<string, unknown>>;

export interface Content {
  readonly body: string | null;
  readonly template: Template | null;
  readonly files: readonly Media[];
}

/** Rule 1, checked before any type. @throws Problem ERR_MISSING_CONTENT */
export function needContent(body: Body, files: readonly Media[]): void {
  if (isMissing(body['body']) && isMissing(body['templateData']) && files.length === 0) {
    throw new Problem('ERR_MISSING_CONTENT');
  }
}

/** @throws Problem ERR_INVALID_BODY */
export function contentOf(body: Body, files: readonly Media[]): Content {
  const given = checked(ContentFields, body).body;
  return {
    body: isMissing(given) ? null : (given as string),
    template: templateOf(body['templateData']),
    files,
  };
}

/** Reads the template: an object, or the same structure as a JSON string. */
function templateOf(given: unknown): Template | null {
  if (isMissing(given)) return null;
  const templateData = typeof given === 'string' ? parsed(given) : given;
  return checked(TemplateField, { templateData }).templateData;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Problem('ERR_INVALID_BODY', {
      text: 'templateData: neither an object nor a JSON string of one',
    });
  }
}

/** "When the instance storage limit is reached media sending is blocked." @throws Problem ERR_STORAGE_LIMIT_REACHED */
export function needStorage(account: Account, files: readonly Media[]): void {
  if (files.length > 0 && account.settings.storageLimitReached) {
    throw new Problem('ERR_STORAGE_LIMIT_REACHED');
  }
}

/** Converts the text fields of a multipart body to their JSON form. templateData may remain a string. */
export function formBody(fields: Readonly<Record<string, string>>): Record<string, unknown> {
  const { whatsappId, saveOnTicket } = fields;
  return {
    ...fields,
    ...(/^\d{1,15}$/.test(whatsappId ?? '') ? { whatsappId: Number(whatsappId) } : {}),
    ...(saveOnTicket === 'true' || saveOnTicket === 'false' ? { saveOnTicket: saveOnTicket === 'true' } : {}),
  };
}

export interface Route {
  readonly connection: Connection;
  readonly contact: Contact;
  readonly conversation: Conversation;
}

/** Returns one message for the template, the text and each file; not stored yet. */
export function outgoingMessages(
  { account, at }: Scene,
  { connection, contact, conversation }: Route,
  content: Content,
): Message[] {
  const isOpen = connection.channel !== 'waba' || isWindowOpen(account, conversation.id, at);
  const message = (part: Pick<Message, 'body' | 'media' | 'templateData'>): Message => {
    const fate = fateOf(account, connection, contact, isOpen || part.templateData !== undefined);
    return {
      id: messageId(connection),
      conversationId: conversation.id,
      fromMe: true,
      at,
      ...part,
      ...(fate === null ? {} : { fate }),
    };
  };
  return [
    ...(content.template === null ? [] : [message({ body: '', templateData: content.template })]),
    ...(content.body === null ? [] : [message({ body: content.body })]),
    ...content.files.map((media) => message({ body: '', media })),
  ];
}

function fateOf(account: Account, connection: Connection, contact: Contact, allowed: boolean): Fate | null {
  if (!allowed || account.isOffNetwork(contact.number)) return 'failed';
  return connection.status === 'CONNECTED' ? null : 'blocked';
}

/** Returns a channel message id on waba, an internal uuid on other channels. */
const messageId = (connection: Connection) =>
  connection.channel === 'waba' ? `wamid.${randomBytes(18).toString('base64url')}==` : randomUUID();
