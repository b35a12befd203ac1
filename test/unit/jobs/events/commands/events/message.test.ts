// `sluice message` as it is typed, with an operator API of this process behind the lock of the folder: what it receives, what
// is said, and the exit code of whatever can go wrong.
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeError } from '../../../../../../src/cli/lib/describe-error.ts';
import { EXIT } from '../../../../../../src/cli/lib/exit.ts';
import { acquireFolderLock } from '../../../../../../src/core/lock/folder-lock.ts';
import { registerMessage } from '../../../../../../src/jobs/events/commands/events/message.ts';
import { OperatorError } from '../../../../../../src/operator/error.ts';
import { serveSocket } from '../../../../../../src/operator/socket/serve.ts';

const NUMBER = '5511987654321';
const CANARY = 'canary text';
const SEND = ['send', '--account', 'acme', '--to', `+${NUMBER}`, '--text', CANARY, '--no-wait'];

let dir: string;
let state: string;
let closers: (() => Promise<unknown>)[];
let calls: [string, Record<string, unknown>][];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sluice-message-'));
  state = join(dir, 'state');
  closers = [];
  calls = [];
});
afterEach(async () => {
  for (const close of closers.toReversed()) await close();
  await rm(dir, { recursive: true, force: true });
  process.exitCode = undefined;
});

type Send = (input: Record<string, unknown>) => Promise<{ event: string; duplicate: boolean }>;

/** Locks the folder for this process and opens the operator API with prepared answers. */
async function hold(send?: Send): Promise<void> {
  await mkdir(state);
  const answer = send ?? (async ({ key }) => ({ event: 'event-1', duplicate: key === 'again' }));
  const socket = await serveSocket({
    folder: state,
    log: { error() {} },
    dispatch: async (route, given) => {
      const { data, ...input } = given as Record<string, unknown> & { data?: Uint8Array };
      if (route === 'POST /messages/files') {
        calls.push(['upload', { ...input, bytes: data?.length }]);
        return { upload: `up_${calls.length}` };
      }
      calls.push(['send', input]);
      return await answer(input);
    },
    caller: async () => ({ identity: 'unix:me', name: 'me', role: 'admin', via: 'socket' }),
  });
  closers.push(() => socket.close());
  await note({ operator: socket.path });
}

async function note(more: Record<string, string | null>): Promise<void> {
  const lock = await acquireFolderLock(state, { command: 'sluice dev', ...more });
  closers.push(() => lock.release());
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function sluice(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    }),
  );
  const program = new Command('sluice').exitOverride();
  registerMessage(program, env);
  try {
    await program.parseAsync(['message', ...args, '--state', state], { from: 'user' });
    return { code: Number(process.exitCode), ...said };
  } catch (error) {
    const { message, exitCode } = describeError(error);
    return { code: exitCode, stdout: said.stdout, stderr: `${said.stderr}${message ?? ''}` };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

describe('what comes in by the socket', () => {
  it('a text to a number, under a key that is printed', async () => {
    await hold();
    const { code, stdout, stderr } = await sluice(SEND);
    expect({ code, stdout }, stderr).toEqual({ code: EXIT.ok, stdout: 'event-1\n' });
    const [[, message] = ['', {}]] = calls;
    expect(message).toEqual({
      account: 'acme',
      key: expect.stringMatching(/^[0-9a-f-]{36}$/),
      request: {
        type: 'message',
        to: { number: NUMBER, key: NUMBER },
        text: CANARY,
        outsideWindow: 'refuse',
        saveOnTicket: true,
      },
    });
    expect(stderr).toContain(`key ${message?.key}`);
    for (const personal of [CANARY, NUMBER]) expect(stdout + stderr).not.toContain(personal);
  });

  it.each([
    ['nothing of opt-outs, without the option', SEND, {}],
    ['that opt-outs do not matter to a message', [...SEND, '--to-opted-out'], { toOptedOut: true }],
    [
      'that opt-outs do not matter to a reply',
      ['reply', '--account', 'a', '--conversation', '5', '--text', 'x', '--no-wait', '--to-opted-out'],
      { toOptedOut: true },
    ],
  ])('%s', async (_, args, said) => {
    await hold();
    expect((await sluice(args)).code).toBe(EXIT.ok);
    const [[, { account: _account, key: _key, request: _request, ...rest }] = ['', {}]] = calls;
    expect(rest).toEqual(said);
  });

  it('a reply with a template and files, which are uploaded before it', async () => {
    await hold();
    const [one, two] = [join(dir, 'a.png'), join(dir, 'b')];
    await writeFile(one, 'png');
    await writeFile(two, 'bytes');
    const content = ['--template', 't', '--language', 'pt_BR', '--param', 'Bia', '--param', '-5 %'];
    const reply = [
      'reply',
      '--account',
      'acme',
      '--conversation',
      '5',
      '--key',
      'again',
      '--json',
      '--no-wait',
    ];
    const { stdout, stderr } = await sluice([...reply, ...content, '--file', one, '--file', two]);
    expect(JSON.parse(stdout)).toEqual({ id: 'event-1', account: 'acme', key: 'again', duplicate: true });
    expect(stderr).toContain('accepted before');
    expect(calls).toEqual([
      ['upload', { account: 'acme', name: 'a.png', type: 'image/png', bytes: 3 }],
      ['upload', { account: 'acme', name: 'b', type: 'application/octet-stream', bytes: 5 }],
      [
        'send',
        expect.objectContaining({
          key: 'again',
          request: expect.objectContaining({
            to: { conversation: 5 },
            template: { name: 't', language: 'pt_BR', parameters: ['Bia', '-5 %'] },
            uploads: ['up_1', 'up_2'],
          }),
        }),
      ],
    ]);
  });
});

describe('what can go wrong at the socket', () => {
  const cases: [string, Error, number, RegExp][] = [
    [
      'an account that is not there',
      new OperatorError('notFound', 'there is no account "x"; did you mean "acme"?'),
      3,
      /did you mean/,
    ],
    [
      'a message that can not be',
      new OperatorError('invalid', 'leave the name out'),
      2,
      /leave the name out/,
    ],
    [
      'no place for it now',
      new OperatorError('unavailable', 'not accepted: too much is open', { code: 'BUSY', retryAfterMs: 10 }),
      8,
      /too much is open; repeat with --key k1/,
    ],
    [
      'somebody who opted out',
      new OperatorError('conflict', 'the recipient opted out; set --to-opted-out', { code: 'OPTED_OUT' }),
      5,
      /--to-opted-out/,
    ],
    ['an error of the other side', new Error(CANARY), 1, /repeat with --key k1/],
  ];
  it.each(cases)('%s', async (_, error, exitCode, problem) => {
    await hold(() => Promise.reject(error));
    const { code, stderr, stdout } = await sluice([...SEND, '--key', 'k1']);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toMatch(problem);
    expect(stderr).not.toContain(CANARY);
  });

  it('an answer that is lost: it may be accepted, and can be repeated', async () => {
    await mkdir(state);
    const path = join(dir, 's');
    const server = createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((done) => server.listen(path, done));
    closers.push(() => new Promise((done) => server.close(done)));
    await note({ operator: path });
    const { code, stderr } = await sluice([...SEND, '--key', 'k1']);
    expect(code).toBe(EXIT.unavailable);
    expect(stderr).toMatch(/no answer came from .*; repeat with --key k1/);
  });

  it('a socket that somebody has left without closing it', async () => {
    await mkdir(state);
    await note({ operator: join(dir, 'nobody') });
    const { code, stderr } = await sluice([...SEND, '--key', 'k1']);
    expect(code).toBe(EXIT.unavailable);
    expect(stderr).toMatch(/no Sluice answers at .*--key k1/);
  });
});

describe('no way in', () => {
  it('nothing has run, and this command would not stay: nothing is opened', async () => {
    const { code, stderr } = await sluice(SEND);
    expect(code).toBe(EXIT.notFound);
    expect(stderr).toMatch(/nothing has run there yet. Start `sluice dev`/);
    expect(await readdir(dir)).toEqual([]);
  });
});

describe('what is typed wrong never reaches the socket', () => {
  it.each<[string, string[], RegExp]>([
    [
      'a number without its country',
      ['send', '--account', 'a', '--to', '11 98765-4321', '--text', 'x'],
      /--country/,
    ],
    ['nothing to send', ['send', '--account', 'a', '--to', `+${NUMBER}`], /nothing to send/],
    ['a conversation that is no number', ['reply', '--account', 'a', '--conversation', 'x'], /whole number/],
    [
      'a connection for a reply',
      ['reply', '--account', 'a', '--conversation', '5', '--connection', '1'],
      /--connection/,
    ],
    ['another way outside the window', [...SEND, '--outside-window', 'hope'], /refuse, template, send/],
    ['an empty key', [...SEND, '--key', ' '], /--key/],
    ['a key that is too long', [...SEND, '--key', 'k'.repeat(256)], /--key/],
    ['to wait and not to', [...SEND, '--follow'], /--follow and --no-wait/],
  ])('%s', async (_, args, problem) => {
    await hold();
    const { code, stderr } = await sluice(args);
    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(problem);
    expect(calls).toEqual([]);
  });

  it('a file that is not there, before anything is uploaded', async () => {
    await hold();
    const there = join(dir, 'a.png');
    await writeFile(there, 'png');
    const { code, stderr } = await sluice([...SEND, '--file', there, '--file', join(dir, 'missing.png')]);
    expect(code).toBe(EXIT.notFound);
    expect(stderr).toContain('ENOENT');
    expect(calls).toEqual([]);
  });
});
