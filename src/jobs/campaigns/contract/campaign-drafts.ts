// Endpoints of drafts: campaigns that somebody is writing. They count the people in reach, and change nothing.
import { z } from 'zod';
import { name as ConfiguredName } from '../../../core/config/base.ts';
import { Count, endpoint, Note, NoteParams, Time, Unmask } from '../../../core/endpoint.ts';
import { Expression } from '../../../mapping/config.ts';
import { CampaignConfig } from '../config.ts';

/** A mistake in the draft. */
export const DraftProblem = z.object({
  /** Place in the campaign, for example `audience[0].stage`; empty: all of it; null: elsewhere in the file. */
  path: z.string().nullable(),
  message: z.string(),
  hint: z.string().nullable(),
  /** The same as a code with figures and names. Only frequent mistakes have one. */
  note: z.object({ code: z.string(), params: NoteParams }).optional(),
});
export type DraftProblem = z.infer<typeof DraftProblem>;

/**
 * How much of a part was read.
 * - `all`: every entry
 * - `page`: the first page of a list of the service, which counts the entries itself
 * - `start`: the first entries, up to the limit of rows or of time
 * - `none`: nothing, see the note
 */
const DraftBasis = z.enum(['all', 'page', 'start', 'none']);

export const DraftAudience = z.object({
  at: Time,
  /** Entries of all parts, as far as they are known; at least as many as `read`. */
  found: Count,
  /** Entries that were read. All figures below concern them. */
  read: Count,
  /** Whether every part and every list of excluded numbers was read completely. */
  isComplete: z.boolean(),
  /** Whether `found` may be higher: a part is longer than what was read, and nobody knows its length. */
  isMore: z.boolean(),
  people: Count,
  /** Most frequent first. */
  excluded: z.array(z.object({ code: z.string(), members: Count })),
  controlGroup: Count,
  eligible: Count,
  /** People whose number was read, and those of them without a value for a variable of the flow. */
  variables: z.array(z.object({ name: z.string(), missing: Count })),
  /** What real people would get: up to 3, one of them without a value if there is such a person. */
  sample: z.array(
    z.object({
      /** Index in `audience`, the id of the contact, and the row number of a source. */
      part: Count,
      contact: z.number().nullable(),
      row: z.number().nullable(),
      /** E.164 without plus; masked unless it was revealed. */
      number: z.string(),
      /** A variable without a value is left out. Values are hidden unless they were revealed. */
      variables: z.record(z.string(), z.unknown()),
      /** A variable has no value, so the person is excluded. */
      isExcluded: z.boolean(),
    }),
  ),
  /** `people` and `eligible` in proportion to `found`; null if all was read, or if `found` is not known. */
  estimate: z.object({ people: Count, eligible: Count }).nullable(),
  parts: z.array(
    z.object({
      /** Index in `audience`; null: the excluded numbers. */
      part: z.int().nullable(),
      from: z.enum(['cards', 'contacts', 'source', 'ledger', 'numbers']),
      found: Count,
      read: Count,
      basis: DraftBasis,
      /** When a list of the service was read; null for what was read just now. */
      readAt: Time.nullable(),
      /** Why the part was not read completely; null if there is nothing to say. */
      note: Note.nullable(),
    }),
  ),
  /** API calls that this count made. */
  calls: Count,
});
export type DraftAudience = z.infer<typeof DraftAudience>;

export const CAMPAIGN_DRAFTS = {
  'GET /campaign-drafts/choices': endpoint({
    role: 'editor',
    summary: 'List the names of the configuration that a campaign may use.',
    input: z.strictObject({}),
    output: z.object({
      accounts: z.array(z.object({ account: z.string(), timeZone: z.string() })),
      sources: z.array(
        z.object({
          source: z.string(),
          /** csv, jsonl, http or postgres. */
          type: z.string(),
          /** Of a CSV file; empty for other sources, and while the file cannot be read. */
          columns: z.array(z.string()),
        }),
      ),
      syncs: z.array(z.object({ sync: z.string(), account: z.string() })),
      campaigns: z.array(z.object({ campaign: z.string(), account: z.string() })),
      /** Whether a campaign has `approval: second-person`: each one that the operator API writes then needs it. */
      needsApproval: z.boolean(),
      /** Variables that other campaigns send to a flow: the API names no variables of flows. */
      variables: z.array(
        z.object({
          account: z.string(),
          flow: CampaignConfig.shape.flow,
          name: z.string(),
          expression: Expression,
          campaigns: z.array(z.string()),
        }),
      ),
    }),
  }),
  'POST /campaign-drafts/audience': endpoint({
    role: 'editor',
    summary:
      'Count the people that a draft would reach, without a plan, and show what three of them would get. Reads at most 20,000 entries and makes at most 4 API calls.',
    input: z.strictObject({
      campaign: ConfiguredName,
      /** As an entry of `campaigns` in the configuration. */
      config: z.record(z.string(), z.unknown()),
      unmask: Unmask,
    }),
    reads: true,
    audited: true,
    audit: ['campaign'],
    auditOutput: ['audience.sample.part', 'audience.sample.contact', 'audience.sample.row'],
    auditMinutes: 10,
    output: z.object({
      /** What is wrong with the draft, as if it were in the configuration file. */
      problems: z.array(DraftProblem),
      /** Null: a problem leaves nothing to count. */
      audience: DraftAudience.nullable(),
    }),
  }),
} as const;
export type CountedDraft = z.infer<(typeof CAMPAIGN_DRAFTS)['POST /campaign-drafts/audience']['output']>;
