// The secrets of a process. It keeps what commands printed, so that a command runs once and not for each use.
import { resolve } from 'node:path';
import pLimit from 'p-limit';
import { SecretError } from '../core/config/errors.ts';
import { type Prints, printsOf } from './file-prints.ts';
import {
  type Environment,
  probeSecret,
  type ResolvedSecret,
  resolveSecret,
  type SecretPresence,
} from './secrets.ts';

/** Commands that run at once: a thousand accounts must not start a thousand programs. */
const COMMANDS = 8;

/** A failure that takes longer is kept for a while. */
const SLOW_MS = 2000;

export interface SecretStore {
  /** @throws SecretError */
  read(ref: string, baseDir: string): Promise<ResolvedSecret>;
  /** Whether a secret is there. It reads none, and runs no command; what a command printed before counts. */
  probe(ref: string, baseDir: string): Promise<SecretPresence>;
  /**
   * Runs every command again that was run before. The last value of a command that fails stays in use.
   * @returns whether a value changed, and the errors
   */
  renew(): Promise<{ readonly changed: boolean; readonly errors: readonly SecretError[] }>;
  /** Forgets commands that are not in this list. If somebody reads one again, it runs again. */
  keepOnly(refs: ReadonlySet<string>): void;
  /** Absolute paths of the secret files that were read, or that did not exist. */
  files(): readonly string[];
  /** Their prints from before they were first read: a file that changes after that counts as changed. */
  prints(): Promise<Prints>;
  /** Whether a secret comes from a command. */
  hasCommands(): boolean;
}

interface Kept {
  readonly ref: string;
  readonly baseDir: string;
  value: Promise<ResolvedSecret>;
}

const keyOf = (ref: string, baseDir: string) => JSON.stringify([ref, baseDir]);

export function createSecretStore(env: Environment): SecretStore {
  const commands = new Map<string, Kept>();
  /** Failures of commands that rest. */
  const slow = new Map<string, Promise<ResolvedSecret>>();
  const files = new Map<string, Promise<Prints>>();
  const limit = pLimit(COMMANDS);
  const run = (ref: string, baseDir: string) => limit(() => resolveSecret(ref, { env, baseDir }));

  function readCommand(ref: string, baseDir: string): Promise<ResolvedSecret> {
    const key = keyOf(ref, baseDir);
    const known = commands.get(key)?.value ?? slow.get(key);
    if (known !== undefined) return known;
    const began = performance.now();
    const value = run(ref, baseDir);
    commands.set(key, { ref, baseDir, value });
    // The next use tries again. A command that takes long to fail would make each use wait: it rests for as long.
    value.catch(() => {
      commands.delete(key);
      const took = performance.now() - began;
      if (took < SLOW_MS) return;
      slow.set(key, value);
      setTimeout(() => slow.delete(key), took).unref();
    });
    return value;
  }

  async function noteFile(file: string): Promise<void> {
    const print = files.get(file) ?? printsOf([file]);
    files.set(file, print);
    await print;
  }

  async function renewOne(kept: Kept): Promise<boolean> {
    const [before, after] = await Promise.all([kept.value, run(kept.ref, kept.baseDir)]);
    kept.value = Promise.resolve(after);
    return before.value !== after.value;
  }

  return {
    async read(ref, baseDir) {
      if (ref.startsWith('command:')) return await readCommand(ref, baseDir);
      if (ref.startsWith('file:')) await noteFile(resolve(baseDir, ref.slice('file:'.length)));
      return await resolveSecret(ref, { env, baseDir });
    },
    async probe(ref, baseDir) {
      if (commands.has(keyOf(ref, baseDir))) return { found: true, notes: [] };
      return await probeSecret(ref, { env, baseDir });
    },
    async renew() {
      const errors: SecretError[] = [];
      const changes = await Promise.all(
        [...commands.values()].map((kept) =>
          renewOne(kept).catch((error: unknown) => {
            if (!(error instanceof SecretError)) throw error;
            errors.push(error);
            return false;
          }),
        ),
      );
      return { changed: changes.includes(true), errors };
    },
    keepOnly(refs) {
      for (const [key, { ref }] of commands) if (!refs.has(ref)) commands.delete(key);
    },
    files: () => [...files.keys()],
    prints: async () => new Map((await Promise.all(files.values())).flatMap((print) => [...print])),
    hasCommands: () => commands.size > 0,
  };
}

/** The `command:` references in a configuration, or in a part of it. */
export function commandsIn(part: unknown): string[] {
  if (typeof part === 'string') return part.startsWith('command:') ? [part] : [];
  if (typeof part !== 'object' || part === null) return [];
  return Object.values(part).flatMap(commandsIn);
}
