// Options of `sluice message` → what is sent, or what is wrong with them; a message is never guessed at.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliError, EXIT } from '../../../../../../src/cli/lib/exit.ts';
import { readText } from '../../../../../../src/cli/lib/read-file.ts';
import { describeFile, readFiles } from '../../../../../../src/jobs/events/commands/events/message-files.ts';
import {
  type MessageOptions,
  requestOf,
} from '../../../../../../src/jobs/events/commands/events/message-request.ts';
import { OperatorMessage } from '../../../../../../src/jobs/events/contract/messages.ts';
import { checkMessage } from '../../../../../../src/jobs/events/operator/messages.ts';

const BASE = {
  to: '+55 11 98765-4321',
  param: [],
  file: [],
  media: [],
  outsideWindow: 'refuse',
} satisfies MessageOptions;
const PERSON = { number: '5511987654321', key: '5511987654321' };

const noText = () => Promise.reject(new Error('not asked for a file'));
const request = (options: Partial<MessageOptions>) => requestOf({ ...BASE, ...options }, noText);

async function refusal(work: Promise<unknown>): Promise<CliError> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CliError);
  return error as CliError;
}

describe('the receiver', () => {
  it.each([
    ['+55 11 98765-4321', undefined],
    ['(11) 98765-4321', 'BR'],
    ['011 98765 4321', 'br'],
    ['5511987654321@c.us', undefined],
    ['5511987654321', 'BR'],
    ['+55 11 8765-4321', undefined],
    ['0055 11 98765-4321', undefined],
  ])('%s (country %s) is one person', async (to, country) => {
    const { to: person } = await request({ to, text: 'x', ...(country === undefined ? {} : { country }) });
    expect(person).toEqual(PERSON);
  });

  it.each([
    ['11 98765-4321', undefined, /--country, for example BR/],
    ['5511987654321', undefined, /--country, for example BR/],
    ['', undefined, /--country/],
    ['+55 11 1', undefined, /--to/],
    ['98765-432', 'BR', /--to: /],
    ['5.51199E+12', 'BR', /spreadsheet/],
    ['a friend', 'BR', /letters/],
    ['+55 11 98765-4321', 'BRA', /BRA is not a country/],
    ['+55 11 98765-4321', '', /not a country/],
  ])('%s (country %s) is nobody: usage, without the number', async (to, country, problem) => {
    const { exitCode, message } = await refusal(
      request({ to, text: 'x', ...(country === undefined ? {} : { country }) }),
    );
    expect(exitCode).toBe(EXIT.usage);
    expect(message).toMatch(problem);
    if (to.length > 3 && country?.length === 2) expect(message).not.toContain(to);
  });

  it('a conversation is whatever its id says', async () => {
    expect(await request({ conversation: 5, text: 'x' })).toMatchObject({ to: { conversation: 5 } });
  });
});

describe('what is sent', () => {
  const cases: [string, Partial<MessageOptions>, object][] = [
    ['a text, with its line breaks', { text: ' Oi\n\nBia ' }, { text: ' Oi\n\nBia ' }],
    ['a text without what can be stored nowhere', { text: 'O\u0000i\ud800' }, { text: 'Oi' }],
    [
      'a template with its parameters in order',
      { template: 'welcome', language: 'pt_BR', param: ['Bia', 'São  Paulo'] },
      { template: { name: 'welcome', language: 'pt_BR', parameters: ['Bia', 'São Paulo'] } },
    ],
    ['a connection by id', { text: 'x', connection: '12' }, { connection: 12 }],
    ['a connection by name', { text: 'x', connection: '12 sales' }, { connection: '12 sales' }],
    ['a name', { text: 'x', name: ' Bia  Reis ' }, { contactName: 'Bia Reis' }],
    [
      'what goes when the window is closed',
      { text: 'x', template: 't', language: 'en', outsideWindow: 'template' },
      { outsideWindow: 'template' },
    ],
    [
      'files from addresses, and nothing about hosts, sizes or times',
      { media: ['https://a.example/x.png', 'http://b.example:8080/y'] },
      { media: { urls: ['https://a.example/x.png', 'http://b.example:8080/y'] } },
    ],
    ['nothing of its own beside files of this machine', { file: ['a.png'] }, { saveOnTicket: true }],
  ];
  it.each(cases)('%s', async (_, options, expected) => {
    const made = await request(options);
    expect(made).toMatchObject(expected);
    expect(OperatorMessage.parse(made)).toEqual(made);
    if (options.file === undefined) checkMessage(made);
  });

  it('a text out of a file, without the line break at its end', async () => {
    const read = () => Promise.resolve('Olá\r\n\r\n');
    expect(await requestOf({ ...BASE, textFile: '-' }, read)).toMatchObject({ text: 'Olá\r\n' });
  });

  const refused: [string, Partial<MessageOptions>, RegExp][] = [
    ['nothing', {}, /nothing to send/],
    ['blanks', { text: ' \n' }, /--text is empty/],
    ['two texts', { text: 'x', textFile: 'y' }, /exclude/],
    ['a template without its language', { template: 't' }, /--language, for example pt_BR/],
    ['a template with a hole', { template: 't', language: 'en', param: ['a', ' '] }, /--param number 2/],
    ['parameters of no template', { text: 'x', param: ['a'] }, /--template/],
    ['a language of no template', { text: 'x', language: 'en' }, /--template/],
    [
      'a template outside the window that is not there',
      { text: 'x', outsideWindow: 'template' },
      /--template/,
    ],
    ['an address that is none', { media: ['file.png'] }, /--media/],
    ['a file of this machine by address', { media: ['file:///etc/passwd'] }, /https/],
    ['an address with a password', { media: ['https://u:p@a.example/'] }, /password/],
    ['eleven files', { media: ['https://a.example/'], file: Array(10).fill('a') }, /10 files at most/],
  ];
  it.each(refused)('not %s', async (_, options, problem) => {
    const { exitCode, message } = await refusal(request(options));
    expect(exitCode).toBe(EXIT.usage);
    expect(message).toMatch(problem);
  });
});

describe('files of this machine', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sluice-message-'));
  });
  afterAll(async () => {
    await rm(dir, { recursive: true, force: true });
  });
  const put = async (name: string, data: string | Uint8Array) => {
    await writeFile(join(dir, name), data);
    return join(dir, name);
  };

  it.each([
    ['/x/Foto.JPG', 'Foto.JPG', 'image/jpeg'],
    ['notes', 'notes', 'application/octet-stream'],
    ['a.b/c.PDF', 'c.PDF', 'application/pdf'],
    ['x.constructor', 'x.constructor', 'application/octet-stream'],
  ])('%s goes as %s, %s', (path, name, type) => {
    expect(describeFile(path)).toEqual({ name, type });
  });

  it('are read whole, in their order', async () => {
    const paths = [await put('b.txt', 'two'), await put('a.png', Uint8Array.of(0, 255))];
    const files = await readFiles(paths);
    expect(files.map(({ name, type, data }) => [name, type, [...data]])).toEqual([
      ['b.txt', 'text/plain', [...Buffer.from('two')]],
      ['a.png', 'image/png', [0, 255]],
    ]);
  });

  it.each([
    ['missing.png', undefined, EXIT.notFound, /ENOENT/],
    ['empty.png', '', EXIT.usage, /empty/],
    ['.', undefined, EXIT.usage, /it is a folder/],
  ])('not %s', async (name, content, code, problem) => {
    const path = content === undefined ? join(dir, name) : await put(name, content);
    const { exitCode, message } = await refusal(readFiles([path]));
    expect(exitCode).toBe(code);
    expect(message).toMatch(problem);
  });

  it('a text comes from a file or from stdin, in UTF-8', async () => {
    expect(await readText('--text-file', await put('t.txt', '\ufeffOlá'))).toBe('Olá');
    async function* stdin() {
      yield Buffer.from([0x4f, 0x6c, 0xc3]);
      yield Buffer.from([0xa1]);
    }
    expect(await readText('--text-file', '-', stdin())).toBe('Olá');
  });

  it.each([
    ['no UTF-8', Uint8Array.of(0x4f, 0xff), /UTF-8/],
    ['more than 1 MB', new Uint8Array(1_048_577), /1 MB/],
  ])('a text is refused that is %s', async (_, data, problem) => {
    async function* stdin() {
      yield data;
    }
    for (const file of ['-', await put('bad.txt', data)]) {
      const { exitCode, message } = await refusal(readText('--text-file', file, stdin()));
      expect(exitCode).toBe(EXIT.usage);
      expect(message).toMatch(problem);
    }
  });
});
