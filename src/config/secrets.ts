// Resolves references to secrets. Secrets stay outside sluice.yaml, and Sluice reads one only when a caller needs it.
import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SecretError } from '../core/config/errors.ts';
import { openToOthers } from '../core/files/open-to-others.ts';
import { readRegularFile } from '../core/files/regular-file.ts';
import { runSecretCommand } from './secret-command.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ResolvedSecret {
  readonly value: string;
  /** Risks of the place where the secret was found. They are logged and not fatal. */
  readonly warnings: readonly string[];
}

const MAX_BYTES = 64 * 1024;

/**
 * Reads the value of `env:NAME`, `file:path` or `command:program argument` (relative to `baseDir`), without a newline at
 * its start or end.
 * @throws SecretError when it is not set, empty, unreadable, or longer than one line, or when the command fails.
 */
export async function resolveSecret(
  ref: string,
  options: { env: Environment; baseDir: string },
): Promise<ResolvedSecret> {
  if (ref.startsWith('env:')) {
    const name = ref.slice('env:'.length);
    const value = variable(options.env, name);
    if (value === undefined) {
      throw new SecretError(
        ref,
        `environment variable ${name} is not set; set it, or name another in sluice.yaml`,
      );
    }
    return { value: clean(ref, `environment variable ${name}`, value), warnings: [] };
  }
  if (ref.startsWith('file:')) {
    const path = ref.slice('file:'.length);
    const { text, warnings } = await readSecretFile(ref, path, resolve(options.baseDir, path));
    return { value: clean(ref, `secret file ${path}`, text), warnings };
  }
  if (ref.startsWith('command:')) {
    const text = await runSecretCommand(ref, options);
    return { value: clean(ref, 'the output of the secret command', text), warnings: [] };
  }
  throw new SecretError(
    '(not shown)',
    'a secret reference must be env:NAME, file:path or command:program argument',
  );
}

/** Objects have properties that no environment has, such as `constructor`. */
function variable(env: Environment, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

async function readSecretFile(ref: string, shown: string, absolute: string) {
  try {
    const info = await stat(absolute);
    if (info.size > MAX_BYTES)
      throw new SecretError(
        ref,
        `secret file ${shown} has ${info.size} bytes; a secret has at most ${MAX_BYTES}`,
      );
    return {
      text: (await readRegularFile(absolute)).toString('utf8'),
      warnings: openToOthers(`secret file ${shown}`, info),
    };
  } catch (cause) {
    if (cause instanceof SecretError) throw cause;
    throw new SecretError(ref, unreadable(shown, cause), { cause });
  }
}

function unreadable(shown: string, cause: unknown): string {
  const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error';
  return `secret file ${shown} ${code === 'ENOENT' ? 'does not exist' : `can't be read (${code})`}`;
}

/** Whether a secret is where its reference says. */
export interface SecretPresence {
  /** Null: only its command knows, and it was not run. */
  readonly found: boolean | null;
  /** Why it was not found, or what is dangerous about where it is. */
  readonly notes: readonly string[];
}

/** Checks that a variable is set, or that a file can be read, without reading it. It runs no command. */
export async function probeSecret(
  ref: string,
  options: { env: Environment; baseDir: string },
): Promise<SecretPresence> {
  const [, source = '', place = ''] = /^(env|file|command):(.*)$/s.exec(ref) ?? [];
  if (source === 'env') {
    const isSet = (variable(options.env, place) ?? '') !== '';
    return { found: isSet, notes: isSet ? [] : [`environment variable ${place} is not set, or empty`] };
  }
  if (source !== 'file') return { found: null, notes: [] };
  const absolute = resolve(options.baseDir, place);
  try {
    const info = await stat(absolute);
    await access(absolute, constants.R_OK);
    if (!info.isFile() || info.size === 0)
      return { found: false, notes: [`secret file ${place} is empty, or no regular file`] };
    return { found: true, notes: openToOthers(`secret file ${place}`, info) };
  } catch (cause) {
    return { found: false, notes: [unreadable(place, cause)] };
  }
}

// A secret goes into an HTTP header, which refuses a newline or control character later and with a worse message.
function clean(ref: string, what: string, text: string): string {
  const value = text.replace(/^\uFEFF/, '').replace(/^[\r\n]+|[\r\n]+$/g, '');
  if (value.trim() === '') throw new SecretError(ref, `${what} is empty`);
  for (const char of value) {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) {
      throw new SecretError(
        ref,
        `${what} has a newline or control character inside; it must be one line of text`,
      );
    }
  }
  return value;
}
