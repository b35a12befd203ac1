// Holds an answer against the sandbox's own OpenAPI document: status, content type, headers, body. `context.call` does so with
// every answer of every contract test, so an answer that the document does not show cannot go unnoticed.
import { z } from 'zod';

/** An answer as it came over the wire. */
export interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into whatever came
  readonly json: any;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a document is searched at any depth
type Any = any;

/** Served beside the API, not part of it. */
const isAbout = (path: string) => /^\/(openapi\.json|docs(\/.*)?)$/.test(path);

export class Conformance {
  readonly document: Any;
  readonly #schemas = new Map<unknown, z.ZodType>();
  readonly #paths: readonly (readonly [RegExp, Any])[];

  constructor(document: Any) {
    this.document = document;
    this.#paths = Object.entries(document.paths)
      // A fixed path wins over one with a parameter, as in the router.
      .sort(([a], [b]) => a.split('{').length - b.split('{').length)
      .map(([path, item]) => [new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`), item]);
  }

  /** What is wrong with the answer; null when nothing is, or when the document has no such operation. */
  complaint(method: string, target: string, got: Got): string | null {
    if (isAbout(target)) return null;
    const operation = this.#operation(method, target);
    if (operation === undefined) {
      return got.status >= 400 && got.status < 500 ? null : `${got.status} of an operation that is not shown`;
    }
    const response = this.resolve(operation.responses[got.status]);
    if (response === undefined) return `status ${got.status} is not shown for ${operation.operationId}`;
    return this.#headers(response, got) ?? this.#body(response, got);
  }

  resolve(node: Any): Any {
    if (typeof node?.$ref !== 'string') return node;
    const parts = node.$ref.slice(2).split('/') as string[];
    return parts.reduce((at, part) => at[part], this.document);
  }

  /** A schema of the document as something that parses. */
  schema(schema: Any): z.ZodType {
    const known = this.#schemas.get(schema);
    if (known !== undefined) return known;
    const { schemas } = this.document.components;
    const local = JSON.stringify({ ...schema, $defs: schemas }).replaceAll(
      '#/components/schemas/',
      '#/$defs/',
    );
    const made = z.fromJSONSchema(JSON.parse(local));
    this.#schemas.set(schema, made);
    return made;
  }

  #operation(method: string, target: string): Any {
    const [path = ''] = target.split('?');
    return this.#paths.find(([pattern]) => pattern.test(path))?.[1][method.toLowerCase()];
  }

  #headers(response: Any, got: Got): string | null {
    for (const [name, reference] of Object.entries(response.headers)) {
      const value = got.headers[name.toLowerCase()];
      const { schema } = this.resolve(reference);
      if (!this.schema(schema).safeParse(Number(value)).success) return `header ${name} is ${String(value)}`;
    }
    return null;
  }

  #body(response: Any, got: Got): string | null {
    const content = response.content['application/json'];
    if (!String(got.headers['content-type']).startsWith('application/json')) return 'no JSON';
    const result = this.schema(content.schema).safeParse(got.json);
    return result.success ? null : `${result.error.message}\nin ${got.text.slice(0, 500)}`;
  }
}
