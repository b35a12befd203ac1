// The definitions of a JSON Schema, and the references that lead to them.
import { RouteConfigError } from './errors.ts';
import { isObject, type JsonObject, kindOf } from './json.ts';

/** Of JSON Schema, so `true` takes anything and `false` nothing. */
export type Schema = JsonObject | boolean;
/** The way from the schema's entry in the route to a part of it. */
export type Place = readonly string[];

interface Definition {
  readonly schema: Schema;
  readonly at: Place;
  /** As `$ref` writes it, with percent signs decoded. */
  readonly reference: string;
}

/** Out of `$defs` and `definitions` of the root, under new names: those of the schema may be any text. */
export class Definitions {
  readonly #route: string;
  readonly #list: readonly Definition[];
  /** Which definition is another one, or part of the same value: a circle of those would never end. */
  readonly #sameValue = new Map<string, Set<string>>();

  constructor(route: string, { $defs = {}, definitions = {} }: JsonObject) {
    this.#route = route;
    this.#list = Object.entries({ $defs, definitions }).flatMap(([keyword, group]) => {
      if (!isObject(group)) {
        throw new RouteConfigError(route, ['schema', keyword], `"${keyword}" is ${kindOf(group)}, no object`);
      }
      return Object.entries(group).map(([name, schema]) => {
        const at = ['schema', keyword, name];
        const reference = `#/${keyword}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        return { schema: requireSchema(route, schema, at), at, reference };
      });
    });
  }

  /** All of them by their new names, each as `rewrite` has it. */
  map(rewrite: (definition: Definition) => Schema): Record<string, Schema> {
    return Object.fromEntries(this.#list.map((definition, index) => [`d${index}`, rewrite(definition)]));
  }

  /**
   * @param same the definition whose own value the reference stands for; undefined where it stands for a part of it
   * @returns the reference by its new name
   * @throws RouteConfigError
   */
  resolve(value: unknown, at: Place, same: string | undefined): string {
    const target = typeof value === 'string' ? decodeFragment(value) : undefined;
    const index = this.#list.findIndex(({ reference }) => reference === target);
    if (target === undefined || (target !== '#' && index === -1)) {
      const problem =
        '"$ref" leads nowhere; it can be "#", or lead to an entry of "$defs" or "definitions" of this schema';
      throw new RouteConfigError(this.#route, at, problem);
    }
    if (same !== undefined) {
      this.#sameValue.set(same, (this.#sameValue.get(same) ?? new Set()).add(target));
    }
    return target === '#' ? '#' : `#/$defs/d${index}`;
  }

  /** Must follow the last `resolve`. @throws RouteConfigError when a reference comes back without a step into the value */
  requireProgress(): void {
    for (const reference of this.#sameValue.keys()) this.#follow(reference, [reference]);
  }

  #follow(reference: string, way: readonly string[]): void {
    for (const next of this.#sameValue.get(reference) ?? []) {
      if (way.includes(next)) {
        const at = this.#list.find((definition) => definition.reference === next)?.at ?? ['schema'];
        const problem = '"$ref" comes back to where it began without a property or item between';
        throw new RouteConfigError(this.#route, at, problem);
      }
      this.#follow(next, [...way, next]);
    }
  }
}

/** @throws RouteConfigError */
export function requireSchema(route: string, value: unknown, at: Place): Schema {
  if (typeof value === 'boolean' || isObject(value)) return value;
  throw new RouteConfigError(route, at, `a schema is needed here, found ${kindOf(value)}`);
}

function decodeFragment(reference: string): string | undefined {
  try {
    return decodeURIComponent(reference);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return undefined;
  }
}
