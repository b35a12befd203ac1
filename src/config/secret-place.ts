// Where a secret is read from, as people may see it.
import { commandProgram } from './secret-command.ts';

export interface SecretPlace {
  readonly kind: 'env' | 'file' | 'command';
  /** Name of the variable, path of the file, or the program without its arguments, which can contain a secret. */
  readonly place: string;
}

/** @param ref as the configuration has it: `env:NAME`, `file:path` or `command:program argument` */
export function secretPlace(ref: string): SecretPlace {
  if (ref.startsWith('env:')) return { kind: 'env', place: ref.slice('env:'.length) };
  if (ref.startsWith('file:')) return { kind: 'file', place: ref.slice('file:'.length) };
  return { kind: 'command', place: commandProgram(ref) };
}
