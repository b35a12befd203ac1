// The answers of a route in the OpenAPI document: every status with its shape and headers.
import { z } from 'zod';
import { BatchReceived, Failure, OneReceived, Problem, Skipped, Uploaded } from './answers.ts';
import { refTo, type Schema } from './openapi-schema.ts';

/** Shapes of answers, by the name of their component. */
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
    description: 'Seconds until it is worth a try again',
    schema: { type: 'integer', minimum: 1 },
  },
};
const rate = {
  RateLimit: { description: 'What is left of the minute (IETF draft 8)', schema: { type: 'string' } },
  'RateLimit-Policy': { description: 'Requests a minute (IETF draft 8)', schema: { type: 'string' } },
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
        'Written down and handed to a workflow, or nothing to process; it will be done once, however often it comes',
      headers: rate,
      content: json({ oneOf: [refTo('Received'), refTo('BatchReceived'), refTo('Skipped')] }),
    },
    400: problem(
      'It can’t be read: no JSON, no UTF-8, too deep, without a key; sending it again changes nothing',
    ),
    ...refusals(unproven, maxBodyBytes),
    415: problem('No JSON by its Content-Type, or compressed with something else than gzip, deflate and br'),
    422: problem('It is read, and not what the route wants: schema or mapping'),
  };
}

/** Of `POST {path}/files`. */
export function describeFileAnswers(unproven: 401 | 403, maxBytes: number): object {
  return {
    201: {
      description: 'Kept for 7 days; the same file under the same name and type has the same id',
      headers: rate,
      content: json(refTo('Uploaded')),
    },
    400: problem('It is empty, or not what its Content-Encoding says'),
    ...refusals(unproven, maxBytes),
    415: problem(
      'No Content-Type, a form around the file, or compressed with something else than gzip, deflate and br',
    ),
  };
}

/** What both refuse for the same reasons; objects of numbers are in the order of the numbers. */
function refusals(unproven: 401 | 403, maxBytes: number): object {
  return {
    [unproven]: problem('It does not prove where it comes from'),
    405: problem('Another method than POST', { Allow: { schema: { type: 'string' } } }),
    408: problem('The request took too long to come'),
    413: problem(`The body is longer than ${maxBytes} bytes after decompression`),
    429: problem('Too many requests in this minute', { ...rate, ...retryAfter }),
    431: problem('The headers are too long, or too many'),
    500: { description: 'An error of this server', content: json(refTo('Failure')) },
    503: problem('It can’t be taken now; nothing is lost, send it again', retryAfter),
  };
}
