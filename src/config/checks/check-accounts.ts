// Tokens that stand in the file itself, and assumptions that do not exist.
import type { ConfigProblem } from '../../core/config/errors.ts';
import { child, entriesOf, isRecord } from '../../core/config/raw.ts';
import type { YamlFile } from '../../core/config/yaml-file.ts';
import type { ConfigChecks } from '../config-checks.ts';

export function checkAccounts(main: YamlFile, check: ConfigChecks['checkAssumptions']): ConfigProblem[] {
  return entriesOf(main, 'accounts').flatMap(([name, entry]) => {
    const tokens = child(entry, 'tokens');
    const literal = (Array.isArray(tokens) ? tokens : []).flatMap((ref: unknown, index) =>
      typeof ref === 'string' && /^(?:env|file|command):svc_(?:live|test)_/.test(ref)
        ? [
            main.problemAt(
              ['accounts', name, 'tokens', index],
              'this is a token, not a reference',
              'write env:NAME',
            ),
          ]
        : [],
    );
    const assumptions = child(entry, 'assumptions');
    const wrong = isRecord(assumptions) ? (check?.(assumptions) ?? []) : [];
    return [
      ...literal,
      ...wrong.map(({ path, message, hint }) =>
        main.problemAt(['accounts', name, 'assumptions', ...path], message, hint),
      ),
    ];
  });
}
