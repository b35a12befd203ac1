// Reads and checks the JSON Schemas of routes, including those in files.

import type { ConfigProblem } from '../core/config/errors.ts';
import { child, entriesOf, isRecord } from '../core/config/raw.ts';
import type { YamlFile } from '../core/config/yaml-file.ts';
import type { ConfigChecks } from './config-checks.ts';
import { readLinked } from './linked-file.ts';

export interface RouteSchemas {
  /** By route. A route without a valid schema has no entry. */
  readonly schemas: Readonly<Record<string, Record<string, unknown>>>;
  readonly problems: readonly ConfigProblem[];
}

/** Problems of a schema in a file point into that file. */
export async function readSchemas(
  main: YamlFile,
  dir: string,
  check: ConfigChecks['checkSchema'],
): Promise<RouteSchemas> {
  const schemas: Record<string, Record<string, unknown>> = {};
  const problems: ConfigProblem[] = [];
  const take = (name: string, schema: unknown, file: YamlFile, prefix: readonly string[]) => {
    if (!isRecord(schema)) {
      problems.push(file.problemAt(prefix, 'is not a JSON Schema; expected keys with values'));
      return;
    }
    schemas[name] = schema;
    for (const { path, message, hint } of check?.(schema) ?? []) {
      problems.push(file.problemAt([...prefix, ...path], message, hint));
    }
  };
  for (const [name, route] of entriesOf(main, 'routes')) {
    const schema = child(route, 'schema');
    const at = ['routes', name, 'schema'];
    if (isRecord(schema)) take(name, schema, main, at);
    if (typeof schema !== 'string' || schema === '') continue;
    const linked = await readLinked(main, dir, at, schema, 'a schema');
    problems.push(...linked.problems);
    if (linked.problems.length === 0) take(name, linked.file.value, linked.file, []);
  }
  return { schemas, problems };
}
