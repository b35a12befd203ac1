// Endpoints about one person: search, what happened to them and why, export and erasure.
import { z } from 'zod';
import { Count, Cursor, endpoint, Name, Note, PageLimit, Reason, Time, Unmask } from '../../core/endpoint.ts';
import { TIMELINE_KINDS, TimelineEntry } from './people-timeline.ts';

/**
 * Id of a person in an account. It is not personal data, so it may be in an address: a letter for the table that knows
 * the person, and the row's id.
 */
const PersonId = z.string().regex(/^(?:[pcmrte]\d{1,15}|o[0-9a-f]{32})$/);

/** Languages of the page for the person. */
export const PAGE_LANGUAGES = ['en', 'pt-BR'] as const;
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

const person = {
  account: z.string(),
  person: PersonId,
  /** Number, name and e-mail address, masked unless the input asks for plain values. */
  number: z.string().nullable(),
  name: z.string().nullable(),
  email: z.string().nullable(),
};

const PersonHit = z.object({
  ...person,
  /** Id of the contact in the service. */
  contact: z.int().nullable(),
  /** What the query matched: one of `person` (its id), `phone`, `email`, `name`, or the kind of the id. */
  by: z.array(z.string()),
});
export type PersonHit = z.infer<typeof PersonHit>;

const foundRow = {
  account: z.string(),
  sync: z.string(),
  run: z.string(),
  /** Its number in the source, as the rows of the run show it. */
  row: Count,
  /** When the run began. */
  at: Time,
  /** What the query matched. */
  by: z.array(z.enum(['phone', 'email', 'name'])),
  name: z.string().nullable(),
  email: z.string().nullable(),
};

/** A row that was rejected. Without the role operator, a number must have the same digits; otherwise the last eight. */
const RejectedRow = z.object({
  ...foundRow,
  column: z.string().nullable(),
  value: z.string().nullable(),
  problem: Note,
  /**
   * A later run of the sync that has a person with the number, the e-mail address or the full name of the row, or that
   * read the whole source again (`row`: null). Null: nothing was sent for the row so far.
   */
  later: z.object({ run: z.string(), row: Count.nullable(), at: Time }).nullable(),
});

/** A row whose person another row represents. It was merged into that row, or left out in its favor. */
const MergedRow = z.object({
  ...foundRow,
  /** The row that represents the person; null when that is one of an earlier run. */
  into: Count.nullable(),
});

/** A member that a campaign excluded because its number could not be read, found as a rejected row is. */
const ExcludedMember = z.object({
  account: z.string(),
  campaign: z.string(),
  run: z.string(),
  member: z.int(),
  /** Its number in the source; null for a card or contact of the service. */
  row: Count.nullable(),
  /** When the audience was read. */
  at: Time,
  by: foundRow.by,
  name: foundRow.name,
  email: foundRow.email,
  /** The number as it was written. */
  value: z.string().nullable(),
  problem: Note,
});

const WHY_CODES = [
  'OPTED_OUT',
  'NUMBER_REJECTED',
  'LEFT_OUT',
  'CONTROL_GROUP',
  'SKIPPED',
  'TRIGGER_FAILED',
  'TRIGGER_UNKNOWN',
  'CANCELED',
  'WAITING',
  'CAMPAIGN_PAUSED',
  'CAMPAIGN_BLOCKED',
  'ROW_LEFT_OUT',
  'NOT_IN_AUDIENCE',
  'SYNC_FAILED',
  'EVENT_FAILED',
  'EVENT_BLOCKED',
  'DELIVERY_FAILED',
  'NO_CONTACT',
  'NUMBER_REPAIRED',
] as const;

/** A reason why the person got no message. */
const WhyReason = z.object({
  code: z.enum(WHY_CODES),
  /** Since when; null when no time is known. */
  at: Time.nullable(),
  campaign: z.string().nullable(),
  /** Run of the campaign or the sync. */
  run: z.string().nullable(),
  event: z.string().nullable(),
  problem: Note.nullable(),
});
export type WhyReason = z.infer<typeof WhyReason>;

const ELSEWHERE_PLACES = [
  // Things in the service: `ids` has them, `name` is the account.
  'contacts',
  'conversations',
  'cards',
  'source',
  'kafkaSink',
  'httpSink',
  'postgresSink',
  'sinkFile',
  'missingFile',
  'topic',
  'deadLetters',
  'vacuum',
  'backup',
  // Steps of the erasure that failed.
  'callLog',
  'ledgerFiles',
  'exports',
  'sinkFiles',
  'histories',
] as const;

/** A place that Sluice cannot erase the person from. */
const Elsewhere = z.object({
  place: z.enum(ELSEWHERE_PLACES),
  /** Name in the configuration, or of a topic; null for what has no name. */
  name: z.string().nullable(),
  /** Ids in the service. */
  ids: z.array(z.int()),
  /** What is left there, and why, in English. */
  note: z.string(),
});
export type Elsewhere = z.infer<typeof Elsewhere>;

export const PEOPLE = {
  'POST /people/search': endpoint({
    role: 'viewer',
    reads: true,
    searches: 'query',
    auditMinutes: 10,
    summary:
      'Find people by phone number, e-mail address, name, or the id of anything that is about them; also the rejected and merged rows of syncs, and the members that a campaign excluded because their number is not valid. Without the role operator, a number, address or name must be whole, and 30 searches a minute and 300 a day are allowed. The query is in the body, because addresses end up in logs.',
    input: z.strictObject({
      query: z.string().trim().min(2, 'write at least two characters').max(200),
      /** Default: all accounts of the configuration. */
      account: Name.optional(),
      limit: z.int().min(1).max(100).default(20),
      unmask: Unmask,
    }),
    output: z.object({
      people: z.array(PersonHit),
      /** There are others: a longer query finds them. */
      more: z.boolean(),
      /** How the query was read as a number; several if it has several readings. Masked as numbers are. */
      readings: z.array(z.string()),
      rejected: z.array(RejectedRow),
      merged: z.array(MergedRow),
      excluded: z.array(ExcludedMember),
    }),
    auditOutput: [
      'people.account',
      'people.person',
      'rejected.run',
      'rejected.row',
      'merged.run',
      'merged.row',
      'excluded.run',
      'excluded.member',
    ],
  }),
  'GET /people/{account}/{person}': endpoint({
    role: 'viewer',
    summary: 'Show a person, and why they got no message.',
    input: z.strictObject({ account: Name, person: PersonId, unmask: Unmask }),
    output: z.object({
      ...person,
      contacts: z.array(z.int()),
      conversations: z.array(z.int()),
      cards: z.array(z.int()),
      why: z.array(WhyReason),
    }),
  }),
  'GET /people/{account}/{person}/timeline': endpoint({
    role: 'viewer',
    summary: 'List everything that happened to a person, newest first.',
    input: z.strictObject({
      account: Name,
      person: PersonId,
      /** Only entries of this kind. */
      kind: z.enum(TIMELINE_KINDS).optional(),
      limit: PageLimit,
      before: Cursor,
      unmask: Unmask,
    }),
    output: z.object({ entries: z.array(TimelineEntry), next: z.string().nullable() }),
  }),
  'POST /people/{account}/{person}/export': endpoint({
    role: 'operator',
    summary: 'Export everything that the ledger has of a person, in plain text.',
    input: z.strictObject({
      account: Name,
      person: PersonId,
      /** Also as a page for the person, in this language. */
      page: z.enum(PAGE_LANGUAGES).optional(),
      reason: Reason,
    }),
    audit: ['page'],
    output: z.object({
      account: z.string(),
      person: PersonId,
      at: Time,
      /** Rows by table. */
      tables: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))),
      /** HTML; null unless the input names a language. */
      page: z.string().nullable(),
    }),
  }),
  'POST /people/{account}/{person}/erase': endpoint({
    role: 'admin',
    summary:
      'Delete a person from the ledger and the files of sinks, or make their rows anonymous where counts depend on them. An opt-out stays, under a pseudonym. The answer lists the places that Sluice cannot reach.',
    input: z.strictObject({
      account: Name,
      person: PersonId,
      /** Records an opt-out of campaigns first, if the person had none. */
      optOut: z.boolean().default(false),
      reason: Reason,
    }),
    output: z.object({
      /** Rows by table. */
      deleted: z.record(z.string(), Count),
      anonymized: z.record(z.string(), Count),
      optOutKept: z.boolean(),
      /** Files of JSONL sinks in which events of the person were overwritten. */
      sinkFiles: z.array(z.object({ sink: z.string(), events: Count })),
      /** Workflows of the person's events in Temporal. Their histories have hashes only. */
      histories: z.object({
        deleted: Count,
        /** Temporal deletes them after its retention. */
        left: Count,
      }),
      elsewhere: z.array(Elsewhere),
    }),
  }),
} as const;
