// Endpoints of pollers and of the conversations that they follow.
import { z } from 'zod';
import { Count, Cursor, endpoint, Name, Note, PageLimit, Reason, Time } from '../../../core/endpoint.ts';

/** A poller, of the configuration or of the ledger. */
export const PollerStatus = z.object({
  account: z.string(),
  poller: z.string(),
  /** `stopped`: its workflow does not run. */
  state: z.enum(['polling', 'paused', 'blocked', 'stopped']),
  blocked: Note.nullable(),
  paused: z.object({ by: z.string(), reason: z.string(), at: Time }).nullable(),
  /** Messages before this time are not published. Null: all are. */
  since: Time.nullable(),
  /** Everything updated up to this time is imported, or known to be read. */
  watermark: Time.nullable(),
  /** Older pages are still to be read. */
  history: z.boolean(),
  /** Known conversations, and those whose messages must still be read. */
  conversations: Count,
  todo: Count,
  /** Seconds that the oldest of those has waited. Null: none waits. */
  lagSeconds: z.number().nullable(),
  polls: Count,
  calls: Count,
  messages: Count,
  gaps: Count,
  /** Conversations that could not be read completely. */
  unread: Count,
  polledAt: Time.nullable(),
  newsAt: Time.nullable(),
  /** Null: it was never started. */
  startedAt: Time.nullable(),
  /** False: the configuration does not have it. */
  configured: z.boolean(),
  /** What Sluice retries without success. */
  trouble: z.string().nullable(),
});
export type PollerStatus = z.infer<typeof PollerStatus>;

/** A period, or a conversation, in which messages may be missing. */
export const PollGap = z.object({
  id: z.int(),
  account: z.string(),
  poller: z.string(),
  /** Null: the list of conversations. */
  conversation: z.int().nullable(),
  code: z.string(),
  reason: z.string(),
  after: Time.nullable(),
  before: Time.nullable(),
  /** How many times it was seen. */
  seen: Count,
  at: Time,
});
export type PollGap = z.infer<typeof PollGap>;

/** A conversation as page 1 last showed it. Personal values are masked unless asked otherwise. */
const names = z.array(Name).min(1).max(100).readonly().optional();
/** `name`, or `account/name` for a poller that left the configuration. */
const poller = z.string().min(1).max(401);
const command = { poller, reason: Reason };
const named = { account: z.string(), poller: z.string() };

export const POLLERS = {
  'GET /pollers': endpoint({
    role: 'viewer',
    summary: 'List pollers with their lag, calls and problems: these, or all.',
    input: z.strictObject({ names }),
    output: z.object({ pollers: z.array(PollerStatus) }),
  }),
  'GET /gaps': endpoint({
    role: 'viewer',
    summary: 'List periods and conversations in which messages may be missing, newest first.',
    input: z.strictObject({ names, limit: PageLimit, before: Cursor }),
    output: z.object({ gaps: z.array(PollGap), next: z.string().nullable() }),
  }),
  'POST /pollers/start': endpoint({
    role: 'operator',
    summary: 'Start pollers of the configuration: these, or all. Active pollers continue.',
    input: z.strictObject({ names, reason: Reason }),
    audit: ['names'],
    output: z.object({
      pollers: z.array(z.object({ ...named, started: z.boolean() })),
      /** False: they wait for a worker. */
      workers: z.boolean(),
    }),
  }),
  'POST /pollers/{poller}/stop': endpoint({
    role: 'operator',
    summary: 'Stop a poller. A later start continues where it stopped.',
    input: z.strictObject(command),
    output: z.object({ ...named, stopped: z.literal(true) }),
  }),
  'POST /pollers/{poller}/pause': endpoint({
    role: 'operator',
    summary: 'Pause a poller. Returns when no call is in flight.',
    input: z.strictObject(command),
    output: z.object({ ...named, paused: z.literal(true) }),
  }),
  'POST /pollers/{poller}/resume': endpoint({
    role: 'operator',
    summary: 'Resume a poller, and retry blocked work at once.',
    input: z.strictObject(command),
    output: z.object({ ...named, paused: z.literal(false) }),
  }),
  'POST /pollers/{poller}/now': endpoint({
    role: 'operator',
    summary: 'Poll now. Returns when all news is imported.',
    input: z.strictObject({ poller }),
    output: z.object({ ...named, messages: z.int() }),
  }),
} as const;
