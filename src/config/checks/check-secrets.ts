// Lists of secrets: references only, and each once.
import type { ConfigProblem } from '../errors.ts';
import type { YamlFile } from '../yaml-file.ts';

/** A secret of Standard Webhooks behind `env:` is a name that environments take, and the mistake would be in the file. */
const PASTED = /^(?:env|file):(?:whsec_|svc_(?:live|test)_)/;

/** @param at the place of the list */
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
    return first < index ? [main.problemAt(here, 'stands twice in the list', 'keep one of them')] : [];
  });
}
