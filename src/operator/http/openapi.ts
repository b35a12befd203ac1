// The OpenAPI document of the operator API, made from the contract.
import { z } from 'zod';
import { API_PREFIX, type Endpoint, ErrorBody } from '../../core/endpoint.ts';
import { FIELDS_HEADER } from '../client/client.ts';
import { ENDPOINTS } from '../contract/index.ts';

type JsonSchema = Record<string, unknown>;

/** @param sessionCookie name of the cookie of sessions */
export function describeApi(version: string, sessionCookie: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [route, endpoint] of Object.entries<Endpoint>(ENDPOINTS)) {
    const [method = '', path = ''] = route.split(' ');
    paths[API_PREFIX + path] ??= {};
    (paths[API_PREFIX + path] as JsonSchema)[method.toLowerCase()] = describeEndpoint(route, endpoint);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Sluice operator API',
      version,
      description:
        'Reads and steers Sluice. Log in with POST /login, or send an access token as `Authorization: Bearer`. Commands with a session cookie also need the header `X-CSRF-Token`.',
    },
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: sessionCookie },
      },
      schemas: { Error: schemaOf(ErrorBody, 'output') },
    },
    security: [{ token: [] }, { session: [] }],
  };
}

function describeEndpoint(route: string, endpoint: Endpoint): JsonSchema {
  const [method = '', path = ''] = route.split(' ');
  const { properties = {}, required = [] } = schemaOf(endpoint.input, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: readonly string[];
  };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const { bytes } = endpoint;
  const rest = Object.keys(properties).filter((name) => !inPath.includes(name) && name !== bytes?.field);
  const inQuery = method === 'GET';
  const schemaOfRest = {
    type: 'object',
    properties: Object.fromEntries(rest.map((name) => [name, properties[name]])),
    required: required.filter((name) => rest.includes(name)),
    additionalProperties: false,
  };
  const parameters = [
    ...inPath.map((name) => ({ name, in: 'path', required: true, schema: properties[name] })),
    ...(inQuery ? rest : []).map((name) => ({
      name,
      in: 'query',
      required: required.includes(name),
      schema: properties[name],
    })),
    ...(bytes === undefined || rest.length === 0
      ? []
      : [
          {
            name: FIELDS_HEADER,
            in: 'header',
            required: true,
            description: 'JSON, percent-encoded',
            content: { 'application/json': { schema: schemaOfRest } },
          },
        ]),
  ];
  const error = {
    description: 'Refused',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
  const described: JsonSchema = {
    operationId: route,
    summary: endpoint.summary,
    'x-role': endpoint.role,
    parameters,
    responses: {
      200: {
        description: 'Done',
        content: { 'application/json': { schema: schemaOf(endpoint.output, 'output') } },
      },
      default: error,
    },
  };
  if (bytes !== undefined)
    described.requestBody = {
      required: true,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    };
  else if (!inQuery)
    described.requestBody = {
      required: rest.some((name) => required.includes(name)),
      content: {
        'application/json': {
          schema: schemaOfRest,
        },
      },
    };
  if (endpoint.role === 'anyone') described.security = [];
  return described;
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
