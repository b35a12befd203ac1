// Describes one route for the OpenAPI document, besides its method, path and scope. The route itself uses these
// schemas, so no route lacks an entry here, and an undeclared field never reaches a rule.
import { z } from 'zod';
import type { ErrorCode } from '../http/errors.ts';
import { SCOPES } from '../state/model.ts';

export const GROUPS = {
  Contacts: 'People, and the tags they carry.',
  Cards: 'Items of pipelines, and the catalogues around them.',
  Conversations: 'Tickets and their history.',
  Messages: 'Sending to a number, and how far a message is.',
  Connections: 'The channels of the account.',
  Flows: 'Published automation flows.',
  Webhooks: 'The inbound receiver: no token, an unguessable hash.',
} as const;
export type Group = keyof typeof GROUPS;

/** A code, with its status here if that differs from the catalogue. */
export type Refusal = ErrorCode | { readonly code: ErrorCode; readonly status: number };

export interface Answer {
  readonly description: string;
  /** Without requestId: it is added to every success body. */
  readonly body: Readonly<Record<string, z.ZodType>>;
}

export interface Operation {
  /** Unique in the document. */
  readonly id: string;
  readonly group: Group;
  readonly summary: string;
  readonly description?: string;
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** JSON. Unknown: any JSON is valid. */
  readonly body?: z.ZodObject | z.ZodUnknown;
  /** Whether the call may come without a body. @default false */
  readonly isBodyOptional?: boolean;
  /** multipart/form-data: the same inputs, and files. */
  readonly form?: z.ZodObject;
  /** Successes by status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Refusals of this route, besides the shared ones. */
  readonly errors: readonly Refusal[];
}

/** Fields at the root of an error body besides error and code (API text, "Errors"). */
export const ERROR_EXTRAS: { readonly [K in ErrorCode]?: Readonly<Record<string, z.ZodType>> } = {
  ERR_RATE_LIMITED: {
    retryAfter: z
      .int()
      .min(1)
      .meta({ description: 'Seconds, as in Retry-After.', examples: [42] }),
  },
  ERR_SCOPE_MISSING: { requiredScope: z.enum(SCOPES) },
  ERR_TICKET_IN_HUMAN_SERVICE: { ticketId: z.int().meta({ examples: [1] }) },
  ERR_INVALID_DATE_FILTER: { param: z.string().meta({ examples: ['createdAtAfter'] }) },
};

const BODY: readonly ErrorCode[] = ['ERR_INVALID_JSON', 'ERR_BODY_TOO_LARGE', 'ERR_UNSUPPORTED_ENCODING'];

/** Returns the refusals that no route throws itself: those of the token, the limit and the readers of path and body. */
export function sharedErrors(operation: Operation, hasToken: boolean): readonly ErrorCode[] {
  const token: readonly ErrorCode[] = [
    'ERR_TOKEN_MISSING',
    'ERR_TOKEN_INVALID',
    'ERR_TOKEN_REVOKED',
    'ERR_TOKEN_EXPIRED',
    'ERR_SCOPE_MISSING',
    'ERR_FEATURE_NOT_AVAILABLE',
  ];
  return [
    ...(hasToken ? token : []),
    'ERR_RATE_LIMITED',
    'ERR_BAD_REQUEST',
    ...(operation.body === undefined ? [] : BODY),
    ...(operation.form === undefined ? [] : (['ERR_INVALID_MULTIPART'] as const)),
  ];
}
