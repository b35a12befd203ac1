import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { resolveSecret, SecretError } from '../../../src/config/index.ts';
import { runSecretCommand } from '../../../src/config/secret-command.ts';
import { createSecretStore } from '../../../src/config/secret-store.ts';

let baseDir: string;
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'sluice-secret-'));
});
afterEach(() => rm(baseDir, { recursive: true }));

const CANARY = 'svc_live_CANARY';
const env = (value: string | undefined) => ({ env: { PATH: process.env.PATH, TOKEN: value }, baseDir });

describe('env:', () => {
  it.each([
    ['plain', CANARY],
    ['with the newline that `$(cat file)` would have cut', `${CANARY}\n`],
    ['with a Windows newline and a byte order mark', `\uFEFF${CANARY}\r\n`],
  ])('%s', async (_name, value) => {
    expect(await resolveSecret('env:TOKEN', env(value))).toEqual({ value: CANARY, warnings: [] });
  });

  it.each([
    ['unset', undefined, 'is not set'],
    ['empty', '', 'is empty'],
    ['blank', ' \n', 'is empty'],
    ['two lines', `${CANARY}\nX-Header: 1`, 'one line'],
    ['a NUL', `${CANARY}\0`, 'control character'],
  ])('%s is refused without showing it', async (_name, value, message) => {
    const error = await resolveSecret('env:TOKEN', env(value)).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SecretError);
    expect((error as SecretError).message).toContain(message);
    expect((error as SecretError).message).toContain('TOKEN');
    expect(JSON.stringify([String(error), { ...(error as SecretError) }])).not.toContain('CANARY');
  });
});

describe('file:', () => {
  it('is relative to the configuration, loses its last newline, and warns when everyone may read it', async () => {
    await writeFile(join(baseDir, 'token'), `${CANARY}\n`, { mode: 0o600 });
    expect(await resolveSecret('file:token', env(undefined))).toEqual({ value: CANARY, warnings: [] });
    await chmod(join(baseDir, 'token'), 0o644);
    const { warnings } = await resolveSecret('file:token', env(undefined));
    expect(warnings).toEqual([expect.stringContaining('chmod 600')]);
  });

  it.each([
    ['file:none', 'does not exist'],
    ['file:.', "can't be read"],
    ['file:empty', 'is empty'],
    ['file:huge', 'a secret has at most'],
  ])('%s is refused', async (ref, message) => {
    await writeFile(join(baseDir, 'empty'), '\n');
    await writeFile(join(baseDir, 'huge'), 'x'.repeat(100_000));
    await expect(resolveSecret(ref, env(undefined))).rejects.toThrow(message);
  });
});

describe('command:', () => {
  const run = (ref: string) => resolveSecret(ref, env(undefined));
  const script = (text: string) => `command:${JSON.stringify([process.execPath, '-e', text])}`;

  it('the secret is the output of the program, in the folder of the configuration, without a shell', async () => {
    await writeFile(join(baseDir, 'token'), `${CANARY}\n`);
    expect(await run('command:cat token')).toEqual({ value: CANARY, warnings: [] });
    expect((await run('command:echo a;b $(id) "q"')).value).toBe('a;b $(id) "q"');
    expect((await run('command:["printf", "%s", "two words"]')).value).toBe('two words');
  });

  it.each([
    ['a program that does not exist', 'command:sluice-no-such-program', 'does not exist'],
    ['a failing program', script(`console.error('${CANARY}'); process.exit(3)`), 'failed with exit code 3'],
    ['no output', script(''), 'is empty'],
    ['two lines', script(`console.log('${CANARY}\\nX: 1')`), 'one line'],
    ['too much output', script(`console.log('${CANARY}'.repeat(10_000))`), 'printed more than 65536 bytes'],
    ['a list that is none', `command:["${CANARY}"`, 'a secret command needs a program'],
  ])('%s is refused without showing it', async (_name, ref, message) => {
    const error = await run(ref).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SecretError);
    expect((error as SecretError).message).toContain(message);
    expect((error as SecretError).message).not.toContain('CANARY');
  });

  it('a program that never ends is killed', async () => {
    const hangs = runSecretCommand('command:sleep 60', { env: process.env, baseDir, timeoutMs: 50 });
    await expect(hangs).rejects.toThrow('the secret command sleep did not end within 0.05 s');
  });

  it.skipIf(process.platform === 'win32')('what a program has started is killed with it', async () => {
    const started = join(baseDir, 'started');
    const ref = `command:["sh", "-c", "sleep 600 & echo $! > '${started}'; wait"]`;
    const place = { env: process.env, baseDir, timeoutMs: 1_000 };
    await expect(runSecretCommand(ref, place)).rejects.toThrow('did not end within 1 s');
    const pid = Number(await readFile(started, 'utf8'));
    await vi.waitUntil(() => !isRunning(pid), { timeout: 10_000 });
  });

  it.skipIf(process.platform === 'win32')(
    'an agent that a program leaves behind delays nothing',
    async () => {
      const ref = 'command:["sh", "-c", "sleep 600 & echo $!"]';
      const pid = await runSecretCommand(ref, { env: process.env, baseDir, timeoutMs: 60_000 });
      expect(isRunning(Number(pid))).toBe(true);
      process.kill(Number(pid), 'SIGKILL');
    },
  );

  it('a program that a signal ends is named with it', async () => {
    const ref = 'command:["sh", "-c", "kill -9 $$"]';
    await expect(run(ref)).rejects.toThrow(
      'the secret command sh was ended by SIGKILL; run it by hand to see why',
    );
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

describe('secrets of a process', () => {
  it('a command that takes long to fail runs once for uses that follow each other', async () => {
    const store = createSecretStore(process.env);
    const ref = `command:["sh", "-c", "echo run >> ${join(baseDir, 'runs')}; sleep 2.1; exit 1"]`;
    for (let use = 0; use < 3; use++) await expect(store.read(ref, baseDir)).rejects.toThrow(SecretError);
    expect(await readFile(join(baseDir, 'runs'), 'utf8')).toBe('run\n');
  });

  it('a command runs once, and again when the secrets are renewed; a failure keeps the last value', async () => {
    const file = join(baseDir, 'runs');
    const next = (text: string) => writeFile(join(baseDir, 'token'), text);
    await next('first');
    const store = createSecretStore(process.env);
    const ref = 'command:["sh", "-c", "echo x >> runs && cat token"]';
    const values = await Promise.all([1, 2, 3].map(() => store.read(ref, baseDir)));
    expect(values.map(({ value }) => value)).toEqual(['first', 'first', 'first']);
    expect(await readFile(file, 'utf8')).toBe('x\n');
    expect(await store.renew()).toEqual({ changed: false, errors: [] });
    await next('second');
    expect(await store.renew()).toEqual({ changed: true, errors: [] });
    expect((await store.read(ref, baseDir)).value).toBe('second');
    await rm(join(baseDir, 'token'));
    const { changed, errors } = await store.renew();
    expect(changed).toBe(false);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('failed with exit code 1'),
    ]);
    expect((await store.read(ref, baseDir)).value).toBe('second');
  });

  it('a thousand commands run eight at a time', async () => {
    const store = createSecretStore(process.env);
    const script = 'mkdir busy-$0 && ls -d busy-* | wc -l && sleep 0.05 && rmdir busy-$0';
    const counts = await Promise.all(
      Array.from({ length: 40 }, (_, n) => store.read(`command:["sh", "-c", "${script}", "${n}"]`, baseDir)),
    );
    expect(Math.max(...counts.map(({ value }) => Number(value)))).toBeLessThanOrEqual(8);
  });
});

it.each([CANARY, `env:${CANARY}`, `file:${CANARY}`, `command:${CANARY}`])(
  'a token in place of a reference is not shown',
  async (ref) => {
    const error = await resolveSecret(ref, env(undefined)).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SecretError);
    expect(JSON.stringify([String(error), { ...(error as SecretError) }])).not.toContain('CANARY');
  },
);

describe('a probe', () => {
  const CONTENT = 'a-secret-of-16-bytes';
  const marker = () => join(baseDir, 'ran');
  const probe = (ref: string) => createSecretStore({ SET: CONTENT, EMPTY: '' }).probe(ref, baseDir);
  const found = { found: true, notes: [] };

  it.each([
    ['a variable that is set', 'env:SET', found],
    [
      'an empty variable',
      'env:EMPTY',
      { found: false, notes: [expect.stringContaining('EMPTY is not set')] },
    ],
    ['no variable', 'env:GONE', { found: false, notes: [expect.stringContaining('GONE is not set')] }],
    ['a name of every object', 'env:constructor', { found: false, notes: [expect.any(String)] }],
    ['a file', 'file:private', found],
    ['an open file', 'file:open', { found: true, notes: [expect.stringContaining('chmod 600')] }],
    ['an empty file', 'file:empty', { found: false, notes: [expect.stringContaining('is empty')] }],
    ['no file', 'file:gone', { found: false, notes: ['secret file gone does not exist'] }],
    ['a folder', 'file:.', { found: false, notes: [expect.stringContaining('no regular file')] }],
    ['a command', `command:["sh", "-c", "touch ran; echo ${CONTENT}"]`, { found: null, notes: [] }],
  ])('of %s says whether it is there, without its content', async (_what, ref, expected) => {
    await writeFile(join(baseDir, 'private'), CONTENT, { mode: 0o600 });
    await writeFile(join(baseDir, 'open'), CONTENT, { mode: 0o644 });
    await writeFile(join(baseDir, 'empty'), '', { mode: 0o600 });
    const presence = await probe(ref);
    expect(presence).toEqual(expected);
    expect(JSON.stringify(presence)).not.toContain(CONTENT);
    await expect(stat(marker())).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('knows what a command printed before', async () => {
    const store = createSecretStore(process.env);
    const ref = `command:echo ${CONTENT}`;
    await store.read(ref, baseDir);
    expect(await store.probe(ref, baseDir)).toEqual(found);
  });
});
