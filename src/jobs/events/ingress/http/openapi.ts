// Builds the OpenAPI 3.1 document of the configured routes. It contains what a sender needs, and no secret.
import { headersCount, type RouteAuth, type RouteConfig } from '../../config.ts';
import { type IngressHttp } from '../config.ts';
import type { Route } from '../intake.ts';
import { KEY_FIELDS, KEY_HEADERS, SENDER_HEADERS } from '../route/key.ts';
import { answerSchemas, describeAnswers, describeFileAnswers } from './openapi-answers.ts';
import { type DescribedAuth, describeAuth } from './openapi-auth.ts';
import { cloudEvent, embed, refTo, type Schema } from './openapi-schema.ts';
import { namesOf, uploadsOf } from './receive.ts';
import { FILES_PATH } from './upload.ts';

const DOES: Readonly<Record<RouteConfig['action']['type'], string>> = {
  lead: 'Upserts a contact with its tags and its card',
  message: 'Sends a message',
  flow: 'Triggers a flow',
  stage: 'Moves a card',
  tags: 'Changes the tags of a contact',
};

/**
 * @param routes routes without `http` are left out; a schema is given as JSON, not as a file name
 * @returns the document as JSON-safe data
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
        description: `${text} ${headersCount(config.http) ? '' : keyText(config.http.auth.type, config.key)}At most ${config.http.perMinute} requests per minute from all senders together.`,
        security: scheme === null ? [] : [{ [name]: [] }],
        parameters: [
          ...headers.map(required),
          ...(headersCount(config.http) ? [...keyHeaders(config.key), ...CLOUDEVENT_HEADERS] : []),
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
      paths[config.http.path + FILES_PATH] = {
        post: describeFiles(name, auth, files.maxBytes, namesOf(config.http)),
      };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Events into Sluice', version: '1' },
    ...(http.publicUrl !== undefined && { servers: [{ url: http.publicUrl }] }),
    paths,
    components: { schemas: { ...schemas, ...answerSchemas() }, securitySchemes },
  };
}

const FILE_SIGNATURE =
  'The signature covers the bytes of the file. With Standard Webhooks, the id of a file begins with `file_`. With an HMAC other than HubSpot, `sluice-file` and a line feed precede the bytes in what is signed.';

function describeFiles(
  name: string,
  { scheme, headers, text }: DescribedAuth,
  maxBytes: number,
  names: ReturnType<typeof namesOf>,
): Record<string, unknown> {
  return {
    operationId: `${name}-files`,
    summary: 'Uploads a file that later events can refer to',
    description: `${text} ${FILE_SIGNATURE} Counts against the rate of ${name}.`,
    security: scheme === null ? [] : [{ [name]: [] }],
    parameters: [
      ...headers.map(required),
      ...(names.header ? [FILE_NAME] : []),
      ...(names.query ? [FILE_NAME_QUERY] : []),
      CONTENT_ENCODING,
    ],
    requestBody: {
      required: true,
      description: 'The bytes of the file, with its media type as Content-Type',
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
      `Identifies the event: Sluice processes events with the same key once. If it is missing, Sluice uses the first of: ${places.join('; ')}`,
    ),
    ...others.map((name) => header(name, `Used if ${first} is missing`)),
  ];
}

/** Describes what identifies an event if headers do not. */
function keyText(auth: RouteAuth['type'], path: string | undefined): string {
  const fields = `${KEY_FIELDS.join(', ')} in the body`;
  const configured = path === undefined ? [] : [`${path} in the body`];
  const places =
    auth === 'standard-webhooks'
      ? [...configured, 'webhook-id']
      : [fields, 'source and id of a CloudEvent', ...configured, 'the bytes of the body'];
  return `Sluice identifies the event by the first of: ${places.join('; ')}. It ignores headers that the signature does not cover. `;
}

const CLOUDEVENT_HEADERS = [
  header('ce-specversion', 'CloudEvents in binary form: the body is the data', { const: '1.0' }),
  header('ce-id', 'CloudEvents in binary form'),
  header('ce-source', 'CloudEvents in binary form'),
  header('ce-type', 'CloudEvents in binary form'),
];
const FILE_NAME = header(
  'Content-Disposition',
  'Name of the file, as attachment; filename="invoice.pdf", or filename*=UTF-8\'\'… of RFC 8187',
);
const FILE_NAME_QUERY = {
  name: 'filename',
  in: 'query',
  required: false,
  schema: { type: 'string' },
  description:
    'Name of the file if Content-Disposition has none. Default: file, with an extension by its type',
};
const CONTENT_ENCODING = header('Content-Encoding', 'How the body is compressed', {
  enum: ['gzip', 'deflate', 'br', 'identity'],
});
