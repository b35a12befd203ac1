// What the server answers: shapes, and the one way in which they are sent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { NotAcceptedError, RefusedError } from '../intake.ts';

const received = z.literal(true).meta({ description: 'Written down, and handed to a workflow' });
const EventAnswer = z.object({
  id: z.string().meta({ description: 'Of the event: the same at each repetition' }),
  duplicate: z.literal(true).optional().meta({ description: 'It was here before: nothing more happens' }),
});

export const OneReceived = EventAnswer.extend({ received });
export const BatchReceived = z.object({
  received,
  events: z.array(EventAnswer).meta({ description: 'In the order of the batch' }),
  skipped: z.string().optional().meta({ description: 'Why some of the batch are nothing to process' }),
});
export const Skipped = z.object({
  received,
  skipped: z.string().meta({ description: 'Why this is nothing to process' }),
});

export const Uploaded = z.object({
  upload: z.string().meta({ description: 'What events name the file by; the same at each repetition' }),
  bytes: z.int().meta({ description: 'Length of the file' }),
  type: z.string().meta({ description: 'Its media type, without parameters' }),
  filename: z.string().meta({ description: 'Its name as the receiver sees it' }),
  expiresAt: z.iso.datetime().meta({ description: 'It is kept until then; uploading it again begins anew' }),
});
export type Uploaded = z.infer<typeof Uploaded>;

export const Problem = z.object({
  error: z.string().meta({ description: 'For people' }),
  code: z.string().meta({ description: 'For programs' }),
  problems: z
    .array(
      z.object({
        field: z.string(),
        code: z.string(),
        reason: z.string(),
        column: z.string().optional().meta({ description: 'Field of the event that the value came from' }),
      }),
    )
    .optional()
    .meta({ description: 'Fields of the event with what is wrong with each; never their values' }),
});
export type Problem = z.infer<typeof Problem>;

export const Failure = Problem.extend({
  id: z.string().meta({ description: 'Stands in the log of the server beside the cause' }),
});

type Headers = Readonly<Record<string, string>>;

/** Ends a request with a problem. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  readonly code: string;
  readonly headers: Headers;
  constructor(status: number, code: string, message: string, headers: Headers = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

const NOT_ACCEPTED: Readonly<Record<NotAcceptedError['why'], string>> = {
  TEMPORAL: 'Temporal does not take the event now: send it again',
  LEDGER: 'the database does not take the event now: send it again',
  BUSY: 'too many events are waiting to be done: send it again later',
  CLOSING: 'the server is going down: send it again',
};

/** The sender's part of it: what was said inside may name hosts. */
export function notAcceptedProblem(error: NotAcceptedError): HttpError {
  return new HttpError(503, error.why, NOT_ACCEPTED[error.why], {
    'Retry-After': String(Math.max(1, Math.ceil(error.retryAfterMs / 1000)) || 1),
  });
}

export function refusedProblem({ message, code, problems }: RefusedError): Problem {
  if (problems.length === 0) return { error: message, code };
  return {
    error: message,
    code,
    problems: problems.map(({ value: _value, ...problem }) => problem),
  };
}

/** How long a sender whose body nobody wants may take to notice; what it sends meanwhile is thrown away. */
const LINGER_MS = 1000;

/**
 * Sends JSON. While a body is not here as a whole the connection ends with the answer: it goes out first, and the rest
 * of the body is thrown away for a moment, since closing on a sender that still sends would take the answer from it.
 */
export function answerJson(res: ServerResponse, status: number, body: unknown, headers: Headers = {}): void {
  answer(res, status, JSON.stringify(body), {
    'Content-Type': 'application/json; charset=utf-8',
    ...headers,
  });
}

export function answer(res: ServerResponse, status: number, text: string, headers: Headers): void {
  const { req } = res;
  res.statusCode = status;
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (!isBodyUnread(req)) {
    res.end(text);
    return;
  }
  res.setHeader('Connection', 'close');
  res.write(text);
  const end = (): void => {
    clearTimeout(timer);
    req.off('end', end).off('close', end);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  req.on('end', end).on('close', end).resume();
}

function isBodyUnread(req: IncomingMessage): boolean {
  if (req.complete) return false;
  return 'transfer-encoding' in req.headers || Number(req.headers['content-length'] ?? 0) > 0;
}
