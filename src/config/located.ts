// Issues of a schema as problems with their place in a file.
import type { ConfigProblem } from '../core/config/errors.ts';
import type { YamlFile } from '../core/config/yaml-file.ts';
import { describeIssues } from './issues.ts';
import type { JsonSchema } from './json-schema.ts';

export function described(
  file: YamlFile,
  issues: Parameters<typeof describeIssues>[0],
  schema: Record<string, unknown>,
): ConfigProblem[] {
  const all = describeIssues(issues, file.value, schema as JsonSchema);
  return all.map(({ path, message, hint, note }) => file.problemAt(path, message, hint, note));
}
