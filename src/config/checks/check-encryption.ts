// Checks the keys of encryption: a key never stands in the file itself.

import type { ConfigProblem } from '../../core/config/errors.ts';
import { child } from '../../core/config/raw.ts';
import type { YamlFile } from '../../core/config/yaml-file.ts';
import { problemOfKey } from '../../core/encryption/payload-keys.ts';

/** A key of letters and digits behind `env:` is a valid name of a variable, which messages would repeat. */
export function checkEncryption(main: YamlFile): ConfigProblem[] {
  return ['temporal', 'ledger'].flatMap((part) => {
    const keys = child(child(child(main.value, part), 'encryption'), 'keys');
    return (Array.isArray(keys) ? keys : []).flatMap((entry: unknown, index) => {
      const ref = child(entry, 'key');
      const isKey =
        typeof ref === 'string' && problemOfKey(ref.replace(/^(?:env|file|command):/, '')) === null;
      if (!isKey) return [];
      const at = [part, 'encryption', 'keys', index, 'key'];
      return [main.problemAt(at, 'this is a key, not a reference', 'write env:NAME; make a new key')];
    });
  });
}
