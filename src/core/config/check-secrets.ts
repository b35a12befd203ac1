// Checks a list of secrets: each entry is a reference, and no entry is repeated.
import type { ConfigProblem } from './errors.ts';
import type { YamlFile } from './yaml-file.ts';

/** A secret behind `env:` is a valid name of an environment variable, so the pasted secret would stay in the file. */
const PASTED = /^(?:env|file|command):(?:whsec_|svc_(?:live|test)_)/;

/** @param at path of the list */
export function checkSecrets(
  main: YamlFile,
  at: readonly (string | number)[],
  secrets: unknown,
): ConfigProblem[] {
  if (!Array.isArray(secrets)) return [];
  return secrets.flatMap((ref: unknown, index) => {
    if (typeof ref !== 'string') return [];
    const here = [...at, index];
    if (PASTED.test(ref))
      return [main.problemAt(here, 'this is a secret, not a reference', 'write env:NAME')];
    const first = secrets.indexOf(ref);
    return first < index ? [main.problemAt(here, 'is repeated in the list', 'keep one of them')] : [];
  });
}
