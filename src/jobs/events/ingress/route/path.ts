// Compiles a dot-path of a route, by the rules of mappings.
import { Columns } from '../../../../mapping/columns.ts';
import { MappingConfigError } from '../../../../mapping/index.ts';
import { RouteConfigError } from './errors.ts';
import type { JsonObject } from './json.ts';

/** Returns undefined if the path leads nowhere. */
export type ReadPath = (view: JsonObject) => unknown;

/** @throws RouteConfigError for a path that could reach inherited properties */
export function compilePath(route: string, key: 'key' | 'order', path: string): ReadPath {
  const columns = new Columns();
  try {
    const slot = columns.add(path, [key]);
    return (view) => {
      columns.bind(view);
      return columns.read(slot, view);
    };
  } catch (error) {
    if (!(error instanceof MappingConfigError)) throw error;
    const problem = `"${path}" contains a name that every object inherits; rename the field at its sender`;
    throw new RouteConfigError(route, [key], problem, { cause: error });
  }
}
