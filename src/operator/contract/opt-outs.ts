// Endpoints of opt-outs: who must not be messaged, since when, and what shows it.
import { z } from 'zod';
import { CsvSource } from '../../connectors/sources/config.ts';
import { Count, Cursor, endpoint, Name, PageLimit, Reason, Time, Unmask } from '../../core/endpoint.ts';
import { OPT_OUT_SOURCES } from '../../core/opt-out-sources.ts';

const Source = z.enum(OPT_OUT_SOURCES);

/** Maximum number of rows of an import, and of entries of a page of an export. */
export const MOST_ROWS = 10_000;
/** Rejected rows that the answer to an import of a file names. A wrong column rejects all rows of any file. */
export const MOST_REJECTED = 1000;
/** Bytes: as many rows with the longest evidence in a script of three bytes a character, and what is around them. */
const IMPORT_BYTES = 10_000_000;

const OptOutEntry = z.object({
  id: z.int(),
  account: z.string(),
  /** Id of the person, as a search shows it. */
  person: z.string(),
  /** With `+`, masked unless the input asks for plain values; null: the person was erased. */
  number: z.string().nullable(),
  source: Source,
  /** When they opted out, or when the tag was seen. */
  at: Time,
  /** What shows it: the person's own words, the tag, or a note. Hidden unless the input asks for plain values. */
  evidence: z.string().nullable(),
  /** Identity of the operator; null: Sluice itself. */
  recordedBy: z.string().nullable(),
  recordedAt: Time.nullable(),
  /** It counts: the last withdrawal, if there is one, is older. */
  active: z.boolean(),
  withdrawal: z.object({ at: Time, by: z.string(), reason: z.string() }).nullable(),
});
export type OptOutEntry = z.infer<typeof OptOutEntry>;

/**
 * A phone number in any spelling, or the id of a person as a search shows it, such as p12. A number that can be read in
 * two ways is rejected.
 */
const NumberOrPerson = z.string().trim().min(1).max(1000);
/** ISO 3166 code of the country of numbers without a country code. Without it, numbers need + and a country code. */
const Country = z
  .string()
  .regex(/^[A-Z]{2}$/, 'use the ISO 3166 code of the country, for example BR')
  .optional();
const Evidence = z.string().trim().max(200).optional();

/** Checked one by one, so that one wrong row does not refuse the others. */
const ImportRow = z.strictObject({
  number: z.string().max(1000),
  /** ISO 8601 with an offset. */
  at: z.string().max(100),
  evidence: z.string().max(1000).optional(),
});
export type ImportRow = z.infer<typeof ImportRow>;

const Filter = {
  source: Source.optional(),
  /** Opted out at this time or later. */
  since: Time.optional(),
  /** `active`: only those that count. `withdrawn`: only the others. */
  state: z.enum(['active', 'withdrawn', 'all']).default('all'),
};

/** `row` counts from 1. The reason does not repeat the value. */
const Rejected = z.object({ row: Count, code: z.string(), reason: z.string() });
export type RejectedRow = z.infer<typeof Rejected>;

const Counts = {
  /** People who opted out now. */
  added: Count,
  /** People who had opted out. */
  known: Count,
  /** Rows that are older than the withdrawal of the person's opt-out. They do not count. */
  withdrawn: Count,
};

/** Added to times without an offset. */
export const Offset = z
  .string()
  .regex(/^(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d|[+-]14:00)$/, 'use the form -03:00 or Z, of at most 14:00');

/**
 * Order of dates such as 01/02/2026. `dmy`: day first. `mdy`: month first. `ymd`: year first. Without it, dates that can be
 * read in two ways are rejected.
 */
export const DateOrder = z.enum(['dmy', 'mdy', 'ymd']);
export type DateOrder = z.infer<typeof DateOrder>;

const ColumnName = z.string().min(1).max(1000);

export const OPT_OUTS = {
  'GET /opt-outs': endpoint({
    role: 'viewer',
    summary: 'List the people who opted out, and withdrawn opt-outs, newest record first.',
    input: z.strictObject({
      account: Name.optional(),
      ...Filter,
      limit: PageLimit,
      before: Cursor,
      unmask: Unmask,
    }),
    output: z.object({ optOuts: z.array(OptOutEntry), next: z.string().nullable() }),
    auditOutput: ['optOuts.id'],
  }),
  'POST /opt-outs/{account}': endpoint({
    role: 'operator',
    summary:
      'Record that a person opted out. It stays in effect until an operator withdraws it. Campaigns and routes leave the person out.',
    input: z.strictObject({
      account: Name,
      number: NumberOrPerson,
      country: Country,
      /** Default: now. */
      at: Time.optional(),
      evidence: Evidence,
      reason: Reason,
    }),
    output: z.object({
      /** `withdrawn`: nothing was recorded, because a withdrawal is newer than `at`. */
      result: z.enum(['added', 'known', 'withdrawn']),
      id: z.int().nullable(),
    }),
    auditOutput: ['result', 'id'],
  }),
  'POST /opt-outs/{account}/withdraw': endpoint({
    role: 'operator',
    summary:
      'Withdraw the opt-out of a person, with a reason. It stays in the list. A later opt-out counts again, also by a tag that the contact still has.',
    input: z.strictObject({
      account: Name,
      number: NumberOrPerson,
      country: Country,
      reason: z.string().trim().min(1, 'write why the person may be messaged again').max(500),
    }),
    output: z.object({ ids: z.array(z.int()) }),
    auditOutput: ['ids'],
  }),
  'POST /opt-outs/{account}/import': endpoint({
    role: 'operator',
    summary:
      'Import opt-outs of another system, up to 10,000 in a request. All rows without a problem are recorded, and the answer names the others. An import withdraws nothing.',
    input: z.strictObject({
      account: Name,
      country: Country,
      rows: z.array(ImportRow).min(1).max(MOST_ROWS),
      /** Records nothing, and answers what it would do. */
      dryRun: z.boolean().default(false),
      reason: Reason,
    }),
    jsonBytes: IMPORT_BYTES,
    audit: ['dryRun'],
    output: z.object({ ...Counts, rejected: z.array(Rejected) }),
    auditOutput: ['added', 'known', 'withdrawn'],
  }),
  'POST /uploads/{upload}/opt-outs': endpoint({
    role: 'operator',
    summary:
      'Import the opt-outs of an uploaded CSV file. All rows without a problem are recorded, and the answer names the others as the file numbers them. An import withdraws nothing. The file is deleted when they are recorded.',
    input: z.strictObject({
      upload: z.string().max(100),
      account: Name,
      /** Column of the phone numbers. */
      number: ColumnName,
      /** Column of the times when people opted out. */
      time: ColumnName,
      /** Column of what shows it. */
      evidence: ColumnName.optional(),
      country: Country,
      /** Offset of times without one. Without it, such rows are rejected. A day begins at midnight. */
      offset: Offset.optional(),
      dateOrder: DateOrder.optional(),
      encoding: CsvSource.shape.encoding,
      /** Records nothing, and answers what it would do. */
      dryRun: z.boolean().default(false),
      reason: Reason,
    }),
    audit: ['account', 'dryRun'],
    output: z.object({
      ...Counts,
      /** The first 1,000 of them. `row` counts from 1 below the header. */
      rejected: z.array(Rejected),
      /** Number of all rejected rows. */
      rejectedRows: Count,
    }),
    auditOutput: ['added', 'known', 'withdrawn', 'rejectedRows'],
  }),
  'POST /opt-outs/{account}/export': endpoint({
    role: 'operator',
    summary: 'Export opt-outs with numbers and evidence in plain text, oldest record first.',
    input: z.strictObject({
      account: Name,
      ...Filter,
      limit: z.int().min(1).max(MOST_ROWS).default(MOST_ROWS),
      /** `next` of the page before. */
      after: Cursor,
      reason: Reason,
    }),
    audit: ['source', 'since', 'state', 'limit', 'after'],
    output: z.object({ optOuts: z.array(OptOutEntry), next: z.string().nullable() }),
  }),
} as const;
