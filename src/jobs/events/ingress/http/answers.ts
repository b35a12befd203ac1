// What the server answers: the response schemas, and the one function that sends them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { NotAcceptedError, RefusedError } from '../intake.ts';

const received = z.literal(true).meta({ description: 'Stored and handed to a workflow' });
const EventAnswer = z.object({
  id: z.string().meta({ description: 'Id of the event, the same for each duplicate' }),
  duplicate: z
    .literal(true)
    .optional()
    .meta({ description: 'Sluice received this event before and does nothing more' }),
});

export const OneReceived = EventAnswer.extend({ received });
export const BatchReceived = z.object({
  received,
  events: z.array(EventAnswer).meta({ description: 'One answer per event, in the order of the batch' }),
  skipped: z.string().optional().meta({ description: 'Why some events of the batch need no processing' }),
});
export const Skipped = z.object({
  received,
  skipped: z.string().meta({ description: 'Why the event needs no processing' }),
});

export const Uploaded = z.object({
  upload: z
    .string()
    .meta({ description: 'Id by which events refer to the file, the same for a repeated upload' }),
  bytes: z.int().meta({ description: 'Length of the file in bytes' }),
  type: z.string().meta({ description: 'Its media type, without parameters' }),
  filename: z.string().meta({ description: 'Its name as the receiver sees it' }),
  expiresAt: z.iso
    .datetime()
    .meta({ description: 'Sluice keeps the file until then. Another upload restarts the time.' }),
});
export type Uploaded = z.infer<typeof Uploaded>;

export const Problem = z.object({
  error: z.string().meta({ description: 'Message for people' }),
  code: z.string().meta({ description: 'Code for programs' }),
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
    .meta({ description: 'Fields of the event and what is wrong with each, without their values' }),
});
export type Problem = z.infer<typeof Problem>;

export const Failure = Problem.extend({
  id: z.string().meta({ description: 'Id of the log line that has the cause' }),
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
  TEMPORAL: 'Temporal cannot accept the event now; send it again',
  LEDGER: 'the database cannot accept the event now; send it again',
  BUSY: 'too many events are waiting; send it again later',
  CLOSING: 'the server is shutting down; send it again',
};

const MAY_TAKE_EFFECT =
  'the event was not accepted in time and may still take effect; send it again, which has no second effect';

/** The part of the error that the sender sees. The inner message may name hosts. */
export function notAcceptedProblem(error: NotAcceptedError): HttpError {
  return new HttpError(503, error.why, error.mayTakeEffect ? MAY_TAKE_EFFECT : NOT_ACCEPTED[error.why], {
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

/** Status of the answer to a request that ended with this error. */
export function statusOf(error: unknown): number {
  if (error instanceof HttpError || error instanceof RefusedError) return error.status;
  return error instanceof NotAcceptedError ? 503 : 500;
}

/** How long a sender whose body is not wanted may take to notice. What it sends meanwhile is discarded. */
const LINGER_MS = 1000;

/**
 * Sends JSON. If the body has not arrived completely, the connection closes with the answer. The answer goes out first,
 * and the rest of the body is discarded for a moment: closing on a sender that still sends would lose the answer.
 */
export function answerJson(res: ServerResponse, status: number, body: unknown, headers: Headers = {}): void {
  answer(res, status, JSON.stringify(body), {
    'Content-Type': 'application/json; charset=utf-8',
    ...headers,
  });
}

function answer(res: ServerResponse, status: number, text: string, headers: Headers): void {
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
