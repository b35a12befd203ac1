// The operator API as data: what every endpoint takes, answers and requires. The server, the client, the OpenAPI
// document and the console's types are made from tables of endpoints.
import { z } from 'zod';

/** From the least to the most powerful. Each role may do what the roles before it may do. */
export const ROLES = ['viewer', 'editor', 'operator', 'approver', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Folder of all routes. A route such as `GET /syncs` is served as `GET /api/v1/syncs`. */
export const API_PREFIX = '/api/v1';

export interface Endpoint<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  /** Least role that may call it. `anyone`: also without login. */
  readonly role: Role | 'anyone';
  /**
   * How a user may call it who has to turn a second factor on first. @default not at all
   */
  readonly withoutSecondFactor?: readonly ('session' | 'token')[];
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** Path parameters, query string (GET) and JSON body (other methods) as one flat object. */
  readonly input: I;
  /** What is not in this schema never leaves the server. */
  readonly output: O;
  /**
   * Fields of the input that the audit log keeps; never personal data. Commands (all methods but GET) are always
   * audited, with the route's path and these fields.
   */
  readonly audit?: readonly string[];
  /**
   * Paths in the output that the audit log keeps of a command, and of a reveal of personal data: ids, never personal
   * data. `people.person` is the field of every entry of the list `people`.
   */
  readonly auditOutput?: readonly string[];
  /** A POST that changes nothing, such as a search whose text must not be in a URL. It is not audited by default. */
  readonly reads?: boolean;
  /** A POST that reads, and is audited as a command is, because it takes much work or answers guesses. */
  readonly audited?: boolean;
  /**
   * Field of the input that searches for people by a value. A request with it is limited per user, and audited without
   * the value. Without the role operator, only a whole value finds somebody.
   */
  readonly searches?: string;
  /**
   * A command that pages send many times: the audit log counts what one caller sends within this many minutes in one
   * line. @default a line for each
   */
  readonly auditMinutes?: number;
  /** Maximum size of the JSON body, in bytes. @default 1 MB */
  readonly jsonBytes?: number;
  /** Name of the input field that is the raw body, in bytes, and its limit. The other fields are in the query. */
  readonly bytes?: { readonly field: string; readonly max: number };
}

export function endpoint<const E extends Endpoint>(definition: E): E {
  return definition;
}

// ---- fields that many endpoints share

/** Name of an account, sync, campaign or poller in the configuration. */
export const Name = z.string().min(1).max(200);
/** Number of entries of a page. */
export const PageLimit = z.int().min(1).max(1000).default(100);
/** Where the next page begins: `next` of the page before. */
export const Cursor = z.string().max(500).optional();
/** ISO 8601. PostgreSQL has no year 0, and no zone is further than 14 hours from UTC. */
export const Time = z.iso
  .datetime({ offset: true })
  .regex(
    /^(?!0000).*(?:Z|[+-](?:0\d|1[0-3]):\d\d|[+-]14:00)$/,
    'use a year from 0001 and an offset of at most 14:00',
  );
export const Count = z.int().nonnegative();
export const Seconds = z.number().nonnegative();
/** Why somebody gives a command; kept in the audit log. */
export const Reason = z.string().max(500).default('');
/** Personal data in plain text. It needs the role `operator` and is audited. */
export const Unmask = z.boolean().default(false);
/** Figures and names of a note, for clients that write its sentence in another language. */
export const NoteParams = z
  .object({
    /** The sentences that apply, where a code has several. */
    which: z.array(z.string()).readonly().optional(),
  })
  // Names end in `At` (ISO 8601), `Ms` (a duration) or `Share` (0 to 1) where a value is no plain figure.
  .catchall(z.union([z.string(), z.number(), z.array(z.string()).readonly()]))
  .readonly();
export type NoteParams = z.infer<typeof NoteParams>;
/** A code and its explanation in English. */
export const Note = z.object({ code: z.string(), reason: z.string(), params: NoteParams.optional() });

/** Body of every answer that is not a success. */
export const ErrorBody = z.object({
  error: z.object({
    kind: z.enum([
      'invalid',
      'unauthenticated',
      'forbidden',
      'notFound',
      'conflict',
      'tooMany',
      'unavailable',
      'failed',
    ]),
    /** More precise than the kind, where a program may react to it. */
    code: z.string().optional(),
    /** Names the place, the value and how to correct it. */
    message: z.string(),
    /** Milliseconds after which a retry may succeed. */
    retryAfterMs: z.number().optional(),
  }),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
export type ErrorKind = ErrorBody['error']['kind'];

/** Fields of an input that asks about a period. */
export const Period = {
  account: Name.optional(),
  since: Time.optional().describe('Default: 24 hours ago.'),
  until: Time.optional().describe('Default: now.'),
};
