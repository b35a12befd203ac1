// The OpenAPI 3.1 document of the configured routes: what a sender needs to know, and nothing that is a secret.
import type { IngressHttp, RouteConfig } from '../../contracts/config.ts';
import type { Route } from '../intake.ts';
import { KEY_FIELDS, KEY_HEADERS, SENDER_HEADERS } from '../route/key.ts';
import { answerSchemas, describeAnswers, describeFileAnswers } from './openapi-answers.ts';
import { type DescribedAuth, describeAuth } from './openapi-auth.ts';
import { cloudEvent, embed, refTo, type Schema } from './openapi-schema.ts';
import { uploadsOf } from './receive.ts';
import { FILES_PATH } from './upload.ts';

const DOES: Readonly<Record<RouteConfig['action']['type'], string>> = {
  lead: 'Upserts a contact with its tags and its card',
  message: 'Sends a message',
  flow: 'Triggers a flow',
  stage: 'Moves a card',
  tags: 'Changes the tags of a contact',
};

/**
 * @param routes those without `http` are left out; schemas stand in them as they are, not as names of files
 * @returns the document, JSON-safe
 */
export function describeRoutes(
  routes: readonly Pick<Route, 'name' | 'config'>[],
  http: Pick<IngressHttp, 'publicUrl' | 'maxBodyBytes'>,
): object {
  const paths: Record<string, object> = {};
  const schemas: Record<string, Schema> = {};
  const securitySchemes: Record<string, object> = {};
  for (const { name, config } of routes) {
    if (config.http === undefined) continue;
    const auth = describeAuth(config.http.auth);
    const { scheme, headers, text } = auth;
    const given = typeof config.schema === 'object' ? config.schema : { type: 'object' };
    schemas[`event-${name}`] = embed(given, `event-${name}`);
    schemas[`cloudevent-${name}`] = cloudEvent(refTo(`event-${name}`));
    if (scheme !== null) securitySchemes[name] = scheme;
    paths[config.http.path] = {
      post: {
        operationId: name,
        summary: DOES[config.action.type],
        description: `${text} At most ${config.http.perMinute} requests a minute, of all senders together.`,
        security: scheme === null ? [] : [{ [name]: [] }],
        parameters: [
          ...headers.map(required),
          ...keyHeaders(config.key),
          ...CLOUDEVENT_HEADERS,
          CONTENT_ENCODING,
        ],
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: refTo(`event-${name}`) },
            'application/cloudevents+json': { schema: refTo(`cloudevent-${name}`) },
            'application/cloudevents-batch+json': {
              schema: { type: 'array', minItems: 1, items: refTo(`cloudevent-${name}`) },
            },
          },
        },
        responses: describeAnswers(scheme === null ? 403 : 401, http.maxBodyBytes),
      },
    };
    const files = uploadsOf({ config });
    if (files !== undefined)
      paths[config.http.path + FILES_PATH] = { post: describeFiles(name, auth, files.maxBytes) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Events into Sluice', version: '1' },
    ...(http.publicUrl !== undefined && { servers: [{ url: http.publicUrl }] }),
    paths,
    components: { schemas: { ...schemas, ...answerSchemas() }, securitySchemes },
  };
}

function describeFiles(
  name: string,
  { scheme, headers, text }: DescribedAuth,
  maxBytes: number,
): Record<string, unknown> {
  return {
    operationId: `${name}-files`,
    summary: 'Takes a file that events may name afterwards',
    description: `${text} What is signed is the file, byte by byte. Counts against the rate of ${name}.`,
    security: scheme === null ? [] : [{ [name]: [] }],
    parameters: [
      ...headers.map(required),
      header(
        'Content-Disposition',
        'Name of the file, as attachment; filename="invoice.pdf", or filename*=UTF-8\'\'… of RFC 8187',
      ),
      {
        ...{ name: 'filename', in: 'query', required: false, schema: { type: 'string' } },
        description:
          'The same, where Content-Disposition names none. Default: file, with an ending by the type',
      },
      CONTENT_ENCODING,
    ],
    requestBody: {
      ...{ required: true, description: 'The bytes of the file, with its media type as Content-Type' },
      content: { '*/*': { schema: { type: 'string', format: 'binary' } } },
    },
    responses: describeFileAnswers(scheme === null ? 403 : 401, maxBytes),
  };
}

const header = (name: string, description: string, schema: object = { type: 'string' }) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});
const required = ({ name, description }: { name: string; description: string }) => ({
  ...header(name, description),
  required: true,
});

function keyHeaders(path: string | undefined): object[] {
  const [first, ...others] = KEY_HEADERS;
  const places = [
    ...others,
    `${KEY_FIELDS.join(', ')} in the body`,
    'source and id of a CloudEvent',
    ...(path === undefined ? [] : [`${path} in the body`]),
    SENDER_HEADERS.join(', '),
  ];
  return [
    header(
      first,
      `What makes the event that one: however often it comes with the same key, it is done once. Where it is missing, the first found of: ${places.join('; ')}`,
    ),
    ...others.map((name) => header(name, `As ${first}, where that is missing`)),
  ];
}

const CLOUDEVENT_HEADERS = [
  header('ce-specversion', 'CloudEvents in binary form: the body is the data', { const: '1.0' }),
  header('ce-id', 'CloudEvents in binary form'),
  header('ce-source', 'CloudEvents in binary form'),
  header('ce-type', 'CloudEvents in binary form'),
];
const CONTENT_ENCODING = header('Content-Encoding', 'How the body is compressed', {
  enum: ['gzip', 'deflate', 'br', 'identity'],
});
