import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveSecret, SecretError } from '../../../src/config/index.ts';

let baseDir: string;
beforeEach(async () => {
  baseDir = await mkdtemp(join(tmpdir(), 'sluice-secret-'));
});
afterEach(() => rm(baseDir, { recursive: true }));

const CANARY = 'svc_live_CANARY';
const env = (value: string | undefined) => ({ env: { TOKEN: value }, baseDir });

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

it.each([CANARY, `env:${CANARY}`, `file:${CANARY}`])(
  'a token in place of a reference is not shown',
  async (ref) => {
    const error = await resolveSecret(ref, env(undefined)).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SecretError);
    expect(JSON.stringify([String(error), { ...(error as SecretError) }])).not.toContain('CANARY');
  },
);
