// Builds the OpenAPI 3.1 document of one sandbox from its routes, their schemas and the error catalogue.
import { z } from 'zod';
import type { Choices } from '../choices.ts';
import { INTERNAL_ERROR, Problem } from '../http/errors.ts';
import type { Route } from '../http/route.ts';
import { Components, type Json } from './json-schema.ts';
import { ERROR_EXTRAS, GROUPS, type Operation, type Refusal, sharedErrors } from './operation.ts';
import { requestId } from './wire.ts';

export interface Described {
  readonly method: string;
  /** Express form: `/v1/cards/:cardId`. */
  readonly path: string;
  /** Null for the only route without a token. */
  readonly scope: Route['scope'] | null;
  readonly operation: Operation;
}

export interface OpenApiDocument extends Json {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: { readonly [path: string]: { readonly [method: string]: Json } };
  readonly components: { readonly schemas: Json } & Json;
}

const ABOUT = `A faithful server of the messaging API for development and tests. Generated from the schemas that it checks with.

Success bodies carry requestId. Errors are flat: {error, code, ...extras}; branch on code alone. Every answer carries the rate headers: a fixed minute for each token, counted from its first call. What is larger than a limit of a page is capped without an error, and a query parameter that cannot be read counts as not sent or matches nothing; only dates are refused. Inputs that are not shown here are ignored. A path or method that is not shown here is 404 ERR_ROUTE_NOT_FOUND.`;

/** Responses that nearly all operations share. They are in the document once, in the components. */
const SHARED_RESPONSES: { readonly [status: number]: string } = {
  401: 'TokenRefused',
  413: 'BodyTooLarge',
  415: 'UnsupportedEncoding',
  429: 'RateLimited',
  500: 'InternalError',
};

const RATE = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** @param url address of the server for the reader of the document */
export function openApiDocument(
  routes: readonly Described[],
  choices: Choices,
  url: string,
): OpenApiDocument {
  const components = new Components();
  const paths: { [path: string]: { [method: string]: Json } } = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationObject(route, components, choices) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Sluice sandbox: customer-messaging API', version: '1.0.0', description: ABOUT },
    servers: [{ url }],
    tags: Object.entries(GROUPS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      responses: components.responses,
      headers: {
        'X-RateLimit-Limit': header('Calls a minute.', { type: 'integer', minimum: 1 }),
        'X-RateLimit-Remaining': header('Calls left in this window.', { type: 'integer', minimum: 0 }),
        'X-RateLimit-Reset': header('Epoch seconds at which the window ends.', {
          type: 'integer',
          minimum: 0,
        }),
        'Retry-After': header('Seconds until the window ends.', { type: 'integer', minimum: 1 }),
      },
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token of an account, with its scopes.',
        },
      },
    },
  };
}

const header = (description: string, schema: Json) => ({ description, required: true, schema });

function operationObject({ scope, operation }: Described, components: Components, choices: Choices): Json {
  const { id, group, summary, description = '', path, query, headers } = operation;
  const parameters = [
    ...parametersOf('path', path, components),
    ...parametersOf('query', query, components),
    ...parametersOf('header', headers, components),
  ];
  const needs = scope === null ? '' : `Needs the scope \`${scope}\`.`;
  return {
    operationId: id,
    tags: [group],
    summary,
    description: [description, needs].filter((text) => text !== '').join(' '),
    ...(scope === null ? { security: [] } : { security: [{ token: [] }], 'x-required-scope': scope }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(operation, components, choices),
    responses: {
      ...Object.fromEntries(
        Object.entries(operation.answers).map(([status, answer]) => [
          status,
          response(
            answer.description,
            components.schemaOf(z.strictObject({ requestId, ...answer.body }), 'output'),
            components,
          ),
        ]),
      ),
      ...errorResponses(operation, scope, components),
    },
  };
}

function parametersOf(
  place: 'path' | 'query' | 'header',
  schema: z.ZodObject | undefined,
  components: Components,
) {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = components.schemaOf(schema, 'input') as {
    properties?: { [name: string]: Json };
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, examples, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
    ...(rest['type'] === 'array' ? { style: 'form', explode: false } : {}),
    ...(examples === undefined ? {} : { example: (examples as unknown[])[0] }),
  }));
}

function requestBody(operation: Operation, components: Components, choices: Choices): Json {
  const { body, form, isBodyOptional = false } = operation;
  if (body === undefined) return {};
  const schema = components.schemaOf(body, 'input');
  const json = { schema, example: components.exampleOf(schema) };
  const multipart =
    form === undefined ? {} : { 'multipart/form-data': multipartContent(form, components, choices) };
  return { requestBody: { required: !isBodyOptional, content: { 'application/json': json, ...multipart } } };
}

const multipartContent = (form: z.ZodObject, components: Components, { mediasField }: Choices) => ({
  schema: components.schemaOf(form, 'input'),
  encoding: { [mediasField]: { contentType: 'application/octet-stream' } },
});

function response(description: string, schema: Json, components: Components, examples?: Json): Json {
  return {
    description,
    headers: Object.fromEntries(RATE.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      'application/json': {
        schema,
        ...(examples === undefined ? { example: components.exampleOf(schema) } : { examples }),
      },
    },
  };
}

/** Returns one response per status, with every code that it can have. */
function errorResponses(operation: Operation, scope: Described['scope'], components: Components): Json {
  const byStatus = new Map<number, Problem[]>();
  const refusals: readonly Refusal[] = [...operation.errors, ...sharedErrors(operation, scope !== null)];
  for (const refusal of refusals) {
    const { code, status } = typeof refusal === 'string' ? { code: refusal, status: undefined } : refusal;
    const extras = code === 'ERR_SCOPE_MISSING' ? { requiredScope: scope } : {};
    const problem = new Problem(code, { status, extras });
    const list = byStatus.get(problem.status) ?? [];
    if (!list.some((other) => other.code === problem.code)) list.push(problem);
    byStatus.set(problem.status, list);
  }
  const internal = z.strictObject({ error: z.literal(INTERNAL_ERROR.error) });
  const responses: readonly (readonly [number, Json])[] = [
    ...[...byStatus].map(
      ([status, problems]) => [status, errorResponse(status, problems, components)] as const,
    ),
    [
      500,
      response('An internal error; it has no code.', components.schemaOf(internal, 'output'), components),
    ],
  ];
  return Object.fromEntries(
    responses.map(([status, made]) => [status, components.shared(SHARED_RESPONSES[status], made)]),
  );
}

function errorResponse(status: number, problems: readonly Problem[], components: Components): Json {
  const bodies = problems.map((problem) => {
    const schema = components.schemaOf(errorBody(problem), 'output');
    return {
      problem,
      schema,
      example: { ...problem.body, ...(components.exampleOf(schema) as Json), error: problem.message },
    };
  });
  const schemas = [...new Map(bodies.map(({ schema }) => [JSON.stringify(schema), schema])).values()];
  const made = response(
    problems.map(({ code }) => code).join(', '),
    schemas.length === 1 ? (schemas[0] as Json) : { anyOf: schemas },
    components,
    Object.fromEntries(bodies.map(({ problem, example }) => [problem.code, { value: example }])),
  );
  if (status !== 429) return made;
  const headers = {
    ...(made['headers'] as Json),
    'Retry-After': { $ref: '#/components/headers/Retry-After' },
  };
  return { ...made, headers };
}

/** Returns the envelope of one code, with its extras of known value. The service omits two codes from the body. */
function errorBody(problem: Problem): z.ZodObject {
  const code = 'code' in problem.body ? { code: z.literal(problem.code) } : {};
  const known = Object.entries(problem.extras).map(([name, value]) => [name, z.literal(value as string)]);
  return z.strictObject({
    error: z.string(),
    ...code,
    ...ERROR_EXTRAS[problem.code],
    ...Object.fromEntries(known),
  });
}
