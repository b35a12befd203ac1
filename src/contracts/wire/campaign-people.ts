// Members of a campaign, one by one, as operators query them. This is personal data: it goes from the ledger to the
// command that asks, through the operator socket if needed, and never through Temporal.
import { z } from 'zod';
import { MEMBER_STATES } from './campaign.ts';
import type { CampaignReport } from './campaign-report.ts';

export const MAX_SAMPLE = 100;
const MAX_PAGE = 5000;

const run = z.string().min(1);
const time = z.string().nullable();
const id = z.number().nullable();
const variables = z.record(z.string(), z.unknown());

/** Query for a sample of the members that would be triggered. */
export const SampleQuery = z.strictObject({ run, limit: z.int().min(1).max(MAX_SAMPLE) });
export type SampleQuery = z.infer<typeof SampleQuery>;

export const SampledMember = z.object({ member: z.number(), number: z.string().nullable(), variables });
export type SampledMember = z.infer<typeof SampledMember>;

/** Selects members of a run. */
export const MemberFilter = z.strictObject({
  states: z.array(z.enum(MEMBER_STATES)).optional(),
  codes: z.array(z.string()).optional(),
  /** Personal data is read only if it is requested. */
  numbers: z.boolean().default(false),
  variables: z.boolean().default(false),
});
export type MemberFilter = z.input<typeof MemberFilter>;

/** Query for one page of members, ordered by id, after the member `after`. */
export const MembersQuery = MemberFilter.extend({
  run,
  after: z.int().min(0),
  limit: z.int().min(1).max(MAX_PAGE),
});
export type MembersQuery = z.input<typeof MembersQuery>;

/** Times in ISO 8601, UTC. */
export const ListedMember = z.object({
  member: z.number(),
  contact: id,
  card: id,
  /** Index in the list `audience`, from 0, and the row number of a source. */
  part: z.number(),
  row: id,
  wave: id,
  state: z.enum(MEMBER_STATES),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  ticket: id,
  triggeredAt: time,
  endedAt: time,
  deliveredAt: time,
  readAt: time,
  repliedAt: time,
  optedOutAt: time,
  movedAt: time,
  taggedAt: time,
  /** E.164 without plus; null if it was not requested. */
  number: z.string().nullable(),
  variables: variables.nullable(),
});
export type ListedMember = z.infer<typeof ListedMember>;

/** A run by its id, or the newest run of a campaign. */
export const RunQuery = z.union([
  z.strictObject({ run }),
  z.strictObject({ campaign: z.string().min(1), account: z.string().min(1).optional() }),
]);
export type RunQuery = z.infer<typeof RunQuery>;

/** Reads members: from the ledger directly, or through the operator socket. */
export interface CampaignPeople {
  sample(query: SampleQuery): Promise<SampledMember[]>;
  /** A page with fewer than `limit` members is the last one. */
  members(query: MembersQuery): Promise<ListedMember[]>;
  /** With results as of now; null: there is no such run. */
  /** Report with current results; null if there is no such run. */
  find(query: RunQuery): Promise<CampaignReport | null>;
}
