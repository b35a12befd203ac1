// Turns the options of a command into a message, or says what is wrong with them. It opens nothing.

import { CliError, EXIT } from '../../../../cli/lib/exit.ts';
import { canonicalKey, isCountry, parsePhone } from '../../../../mapping/phone/index.ts';
import { oneLine, printable } from '../../../../mapping/text.ts';
import type { OperatorMessage } from '../../contract/messages.ts';
import { MAX_FILES } from '../../rules/action-media.ts';

/** Options from commander. */
export interface MessageOptions {
  readonly to?: string;
  readonly conversation?: number;
  readonly text?: string;
  readonly textFile?: string;
  readonly template?: string;
  readonly language?: string;
  readonly param: readonly string[];
  readonly file: readonly string[];
  readonly media: readonly string[];
  readonly connection?: string;
  readonly name?: string;
  readonly outsideWindow: 'refuse' | 'template' | 'send';
  readonly country?: string;
}

export type MessageDraft = OperatorMessage;

/** @throws CliError (usage) that names the option and the fix */
function refuse(problem: string): never {
  throw new CliError(EXIT.usage, problem);
}

/**
 * The message without the files of this machine, which are uploaded first.
 * @param readText reads the file of `--text-file`
 * @throws CliError (usage)
 */
export async function requestOf(
  options: MessageOptions,
  readText: (file: string) => Promise<string>,
): Promise<MessageDraft> {
  const { template, file, media, connection, name } = options;
  if (options.text !== undefined && options.textFile !== undefined)
    refuse('--text and --text-file exclude each other; leave one out');
  const to = recipientOf(options);
  const text = await textOf(options, readText);
  const request: MessageDraft = {
    type: 'message',
    to,
    saveOnTicket: true,
    outsideWindow: options.outsideWindow,
  };
  if (text !== undefined) request.text = text;
  if (template !== undefined) request.template = templateOf(options);
  else if (options.language !== undefined || options.param.length > 0)
    refuse('--language and --param belong to a template; add --template');
  if (media.length > 0) request.media = mediaOf(media);
  if (connection !== undefined)
    request.connection = /^[1-9]\d{0,15}$/.test(connection) ? Number(connection) : connection;
  const contact = name === undefined ? '' : oneLine(name);
  if (contact !== '') request.contactName = contact;
  if (file.length + media.length > MAX_FILES)
    refuse(`a message takes ${MAX_FILES} files at most; send them in several`);
  if (text === undefined && template === undefined && file.length + media.length === 0)
    refuse('there is nothing to send; give --text, --text-file, --template, --file or --media');
  if (options.outsideWindow === 'template' && template === undefined)
    refuse('--outside-window template sends the template alone; add --template');
  return request;
}

function recipientOf({ to, conversation, country }: MessageOptions): MessageDraft['to'] {
  if (conversation !== undefined) return { conversation };
  const code = country?.toUpperCase();
  if (code !== undefined && !isCountry(code))
    refuse(`--country ${country} is not a country with phone numbers; use ISO 3166 letters, for example BR`);
  const phone = parsePhone(to ?? '', { country: code });
  if (phone.ok) return { number: phone.number, key: canonicalKey(phone.number) };
  // The number is not repeated: output of commands ends up in logs.
  if (code === undefined && !/^\s*(\+|00)/.test(to ?? ''))
    refuse('--to has no country code; write + and the country code, or add --country, for example BR');
  refuse(`--to: ${phone.reason}`);
}

async function textOf(
  { text, textFile }: MessageOptions,
  readText: (file: string) => Promise<string>,
): Promise<string | undefined> {
  if (text === undefined && textFile === undefined) return undefined;
  // The line break that editors add at the end of a file is not part of the text.
  const found = printable(text ?? (await readText(textFile ?? '')).replace(/\r?\n$/, ''));
  if (found.trim() === '') refuse(`${text === undefined ? '--text-file' : '--text'} is empty`);
  return found;
}

function templateOf({ template, language, param }: MessageOptions): NonNullable<MessageDraft['template']> {
  const name = oneLine(template ?? '');
  if (name === '') refuse('--template is empty; name an approved template');
  const locale = oneLine(language ?? '');
  if (locale === '') refuse('a template needs its language; add --language, for example pt_BR');
  const parameters = param.map(oneLine);
  const hole = parameters.indexOf('');
  if (hole >= 0) refuse(`--param number ${hole + 1} is empty; a template with a hole is never sent`);
  return { name, language: locale, parameters };
}

/** The server decides which hosts are allowed: see `operator.media` in its configuration. */
function mediaOf(media: readonly string[]): NonNullable<MessageDraft['media']> {
  const addresses = media.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : refuse('--media is not an address; write https://…');
    if (!/^https?:$/.test(url.protocol)) refuse('--media begins with https:// or http://');
    if (url.username !== '' || url.password !== '') refuse('--media must not contain a user or password');
    return url.href;
  });
  return { urls: [...new Set(addresses)] };
}
