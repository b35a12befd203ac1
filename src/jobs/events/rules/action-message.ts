// The action `message`: the recipient and the content.

import { MappingConfigError, ValueError } from '../../../mapping/errors.ts';
import type { ExpressionCompiler } from '../../../mapping/expression/expression.ts';
import { line, type Part, partOf, required, requirePhoneRules, toNumber } from '../../../mapping/parts.ts';
import { canonicalKey } from '../../../mapping/phone/index.ts';
import { clean, isEmpty, printable, toText } from '../../../mapping/text.ts';
import { toId } from '../../../mapping/values.ts';
import type { MessageAction } from '../config-actions.ts';
import type { RequestOf } from '../contract/intake.ts';
import { compileMedia, compileUploads, MAX_FILES, tooManyFiles } from './action-media.ts';

type MessageRequest = RequestOf<'message'>;

/** @throws MappingConfigError when a message would have no recipient or no content, or when keys exclude each other */
export function compileMessage(
  config: MessageAction,
  compiler: ExpressionCompiler,
): Part<MessageRequest | undefined> {
  checkMessage(config);
  const recipient = compileRecipient(config, compiler);
  const text =
    config.text === undefined ? undefined : partOf(compiler, config.text, ['text'], toMessageText, clean);
  const template = config.template && compileTemplate(config.template, compiler);
  const media = config.media && compileMedia(config.media, compiler);
  const uploads = config.uploads && compileUploads(config.uploads, compiler);
  const contactName =
    config.contactName === undefined
      ? undefined
      : partOf(compiler, config.contactName, ['contactName'], line);
  return (row, report) => {
    let reported = false;
    const take: typeof report = (...problem) => {
      reported = true;
      report(...problem);
    };
    const to = recipient(row, take);
    const found = {
      text: text?.(row, take),
      template: template?.(row, take),
      media: media?.(row, take),
      uploads: uploads?.(row, take),
      contactName: contactName?.(row, take),
    };
    const { saveOnTicket, connection, outsideWindow } = config;
    const { text: words, template: approved, media: urls, uploads: ids } = found;
    if (!reported && [words, approved, urls, ids].every((part) => part === undefined)) {
      const reason = 'the event yields neither a text nor a template nor a file; fill one of them';
      take('text', new ValueError('required', reason, undefined));
    }
    if ((urls?.urls.length ?? 0) + (ids?.length ?? 0) > MAX_FILES) take('uploads.ids', tooManyFiles());
    if (reported || to === undefined) return undefined;
    const request: MessageRequest = { type: 'message', to, saveOnTicket };
    if (words !== undefined) request.text = words;
    if (approved !== undefined) request.template = approved;
    if (urls !== undefined) request.media = urls;
    if (ids !== undefined) request.uploads = ids;
    // An omitted key keeps its meaning, also in earlier events.
    if (outsideWindow !== 'refuse') request.outsideWindow = outsideWindow;
    if (connection !== undefined) request.connection = connection;
    if (found.contactName !== undefined) request.contactName = found.contactName;
    return request;
  };
}

function checkMessage(config: MessageAction): void {
  const refuse = (key: string | undefined, problem: string): never => {
    throw new MappingConfigError(key === undefined ? [] : [key], problem);
  };
  if (config.number === undefined && config.conversation === undefined) {
    refuse(undefined, 'a message needs number or conversation; set one');
  }
  const files = config.media ?? config.uploads;
  if (config.text === undefined && config.template === undefined && files === undefined) {
    refuse(undefined, 'a message needs text, template, media or uploads; set at least one');
  }
  if (files !== undefined && !config.saveOnTicket) {
    const key = config.media === undefined ? 'uploads' : 'media';
    refuse(
      'saveOnTicket',
      `a message with saveOnTicket: false cannot send files; remove saveOnTicket or ${key}`,
    );
  }
  if (config.outsideWindow === 'template') {
    const lacks = config.template === undefined ? 'template' : 'text, media or uploads';
    if (config.template === undefined || (config.text === undefined && files === undefined))
      refuse('outsideWindow', `template needs both text and template, and ${lacks} is missing; set it`);
  }
  if (config.conversation === undefined) return;
  if (config.number !== undefined) {
    refuse('conversation', 'a message goes to a number or into a conversation, not both; remove one');
  }
  if (config.connection !== undefined) {
    refuse('connection', 'a reply uses the connection of its conversation; remove this key');
  }
  if (config.contactName !== undefined) {
    refuse('contactName', 'a conversation already has a contact; remove this key');
  }
  if (!config.saveOnTicket) refuse('saveOnTicket', 'the service always keeps a reply; remove this key');
}

function compileRecipient(
  config: MessageAction,
  compiler: ExpressionCompiler,
): Part<MessageRequest['to'] | undefined> {
  const rules = requirePhoneRules(config);
  if (config.number !== undefined) {
    return partOf(compiler, config.number, ['number'], (value) => {
      const number = toNumber(value, rules);
      return { number, key: canonicalKey(number) };
    });
  }
  const toConversation = required(toId, 'the id of the conversation is required; fill it');
  const conversation = config.conversation ?? '';
  return partOf(compiler, conversation, ['conversation'], (value) => ({
    conversation: toConversation(value),
  }));
}

/** Keeps the event's line breaks and spaces. A text of spaces only counts as empty. */
function toMessageText(value: unknown): string | undefined {
  if (typeof value !== 'string') return toText(value);
  const text = printable(value);
  return isEmpty(text) ? undefined : text;
}

/**
 * Undefined if the event names no template. A template must have all of its parts: Sluice never sends one with gaps.
 */
function compileTemplate(
  config: NonNullable<MessageAction['template']>,
  compiler: ExpressionCompiler,
): Part<MessageRequest['template']> {
  const name = partOf(compiler, config.name, ['template', 'name'], line);
  const toLanguage = required(line, 'a template needs its language, for example pt_BR; fill it');
  const language = partOf(compiler, config.language, ['template', 'language'], toLanguage);
  const toParameter = required(line, 'a template with a hole is never sent; fill it, or give it a `default`');
  const parameters = config.parameters.map((expression, index) =>
    partOf(compiler, expression, ['template', 'parameters', String(index)], toParameter),
  );
  return (row, report) => {
    const wanted = name(row, report);
    if (wanted === undefined) return undefined;
    return {
      name: wanted,
      language: language(row, report) ?? '',
      parameters: parameters.map((parameter) => parameter(row, report) ?? ''),
    };
  };
}
