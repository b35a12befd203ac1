// Describes the answers of a route in the OpenAPI document: every status with its schema and headers.
import { z } from 'zod';
import { BatchReceived, Failure, OneReceived, Problem, Skipped, Uploaded } from './answers.ts';
import { refTo, type Schema } from './openapi-schema.ts';

/** Answer schemas by component name. */
export function answerSchemas(): Readonly<Record<string, Schema>> {
  const shape = (schema: z.ZodType): Schema => {
    const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io: 'output' });
    return rest;
  };
  return {
    Received: shape(OneReceived),
    BatchReceived: shape(BatchReceived),
    Skipped: shape(Skipped),
    Uploaded: shape(Uploaded),
    Problem: shape(Problem),
    Failure: shape(Failure),
  };
}

const json = (schema: Schema) => ({ 'application/json': { schema } });
const retryAfter = {
  'Retry-After': {
    description: 'Seconds to wait before a retry',
    schema: { type: 'integer', minimum: 1 },
  },
};
const rate = {
  RateLimit: { description: 'Requests left in this minute (IETF draft 8)', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'Requests per minute (IETF draft 8)', schema: { type: 'string' } },
};

const problem = (description: string, headers?: object) => ({
  description,
  ...(headers !== undefined && { headers }),
  content: json(refTo('Problem')),
});

export function describeAnswers(unproven: 401 | 403, maxBodyBytes: number): object {
  return {
    202: {
      description:
        'Stored and handed to a workflow, or nothing to process. Sluice processes the event once, even if it arrives several times.',
      headers: rate,
      content: json({ oneOf: [refTo('Received'), refTo('BatchReceived'), refTo('Skipped')] }),
    },
    400: problem(
      'The event cannot be read: not JSON, not UTF-8, nested too deeply, or without a key. Do not retry.',
    ),
    ...refusals(unproven, maxBodyBytes),
    415: problem('The Content-Type is not JSON, or the compression is not gzip, deflate or br'),
    422: problem('The event is readable but does not fit the schema or the mapping of the route'),
  };
}

/** Describes the answers of `POST {path}/files`. */
export function describeFileAnswers(unproven: 401 | 403, maxBytes: number): object {
  return {
    201: {
      description: 'Stored for 7 days. The same file with the same name and type has the same id.',
      headers: rate,
      content: json(refTo('Uploaded')),
    },
    400: problem('The file is empty, or its Content-Encoding is wrong'),
    ...refusals(unproven, maxBytes),
    415: problem(
      'The Content-Type is missing, the file is inside a form, or the compression is not gzip, deflate or br',
    ),
  };
}

/** What both reject for the same reasons. Objects with numeric keys are ordered by number. */
function refusals(unproven: 401 | 403, maxBytes: number): object {
  return {
    [unproven]: problem('The request is not authenticated'),
    405: problem('The method is not POST', { Allow: { schema: { type: 'string' } } }),
    408: problem('The request took too long to arrive'),
    413: problem(`The body is longer than ${maxBytes} bytes after decompression`),
    429: problem('Too many requests in this minute', { ...rate, ...retryAfter }),
    431: problem('There are too many headers, or they are too long'),
    500: { description: 'An error of this server', content: json(refTo('Failure')) },
    503: problem(
      'Sluice could not accept the event within 4.5 s. Send it again; it takes effect once.',
      retryAfter,
    ),
  };
}
