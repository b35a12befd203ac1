// Members of a campaign's run, one by one, as operators read them.
import { z } from 'zod';
import { Count, endpoint, Name, NoteParams, Unmask } from '../../../core/endpoint.ts';
import { MEMBER_STATES } from '../constants.ts';

const time = z.string().nullable();
const id = z.number().nullable();
const variables = z.record(z.string(), z.unknown()).readonly();

/** Times in ISO 8601, UTC. */
export const ListedMember = z.object({
  /** Ledger id. */
  member: z.number(),
  /** Id of the person, as the search for people takes it. Null: the number cannot be read. */
  person: z.string().nullable(),
  contact: id,
  card: id,
  /** Index in the list `audience`, from 0, and the row number of a source. */
  part: z.number(),
  row: id,
  wave: id,
  state: z.enum(MEMBER_STATES),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  /** Figures and names of the reason, of members that the campaign left out. */
  params: NoteParams.optional(),
  ticket: id,
  /**
   * Conversation of the person that changed right after a trigger whose outcome is unknown, which suggests that the flow
   * ran. Null: none did that Sluice knows, or the outcome is known.
   */
  changedConversation: id,
  triggeredAt: time,
  endedAt: time,
  deliveredAt: time,
  readAt: time,
  repliedAt: time,
  optedOutAt: time,
  movedAt: time,
  taggedAt: time,
  /** E.164 without plus, or as it was written when it cannot be read; masked unless it was revealed. */
  number: z.string().nullable(),
  /** Of a member whose number cannot be read; null for others, who are people. Masked unless it was revealed. */
  name: z.string().nullable(),
  email: z.string().nullable(),
  /** Variables of the flow; null unless they were requested and revealed. */
  variables: variables.nullable(),
});
export type ListedMember = Readonly<z.infer<typeof ListedMember>>;

export const SampledMember = z.object({
  member: z.number(),
  /** Always masked. */
  number: z.string().nullable(),
  /** Empty texts unless they were revealed. */
  variables,
});
export type SampledMember = Readonly<z.infer<typeof SampledMember>>;

const MAX_SAMPLE = 100;
/** Members of a page. */
const MAX_MEMBERS = 2000;

/** Selects members of a run. */
export const MemberFilter = z.strictObject({
  states: z.array(z.enum(MEMBER_STATES)).min(1).readonly().optional(),
  codes: z.array(z.string().max(100)).min(1).max(100).readonly().optional(),
  waves: z.array(z.int().positive()).min(1).max(100).readonly().optional(),
  /**
   * A phone number, name or e-mail address, the id of a member, or the id of a contact. With the role operator also
   * the last 8 digits or more of a number, and the beginnings of names and addresses.
   */
  search: z.string().max(100).optional(),
});
export type MemberFilter = z.infer<typeof MemberFilter>;

/** A campaign's newest run, or the run with this id. */
const Campaign = Name.describe('Name of a campaign (its newest run), or id of a run');

export const CAMPAIGN_MEMBERS = {
  'POST /campaigns/{campaign}/members': endpoint({
    role: 'viewer',
    summary:
      'List the members of a run by id. A number to search for is in the body, so that no log has it. Without the role operator, it must be whole, as must a name or an e-mail address.',
    reads: true,
    searches: 'search',
    auditMinutes: 10,
    input: MemberFilter.extend({
      campaign: Campaign,
      /** The last member of the page before. */
      after: z.int().nonnegative().default(0),
      limit: z.int().min(1).max(MAX_MEMBERS).default(100),
      /** With `unmask`: also the variables of the flow. */
      variables: z.boolean().default(false),
      unmask: Unmask,
    }),
    audit: ['variables', 'states', 'codes', 'waves', 'after'],
    output: z.object({
      run: z.string(),
      members: z.array(ListedMember),
      /** `after` of the next page; null after the last one. */
      next: Count.nullable(),
    }),
    auditOutput: ['run', 'members.member'],
  }),
  'POST /campaigns/{campaign}/sample': endpoint({
    role: 'viewer',
    summary: 'Show the first members that a plan will trigger, with the variables of the flow.',
    reads: true,
    input: z.strictObject({
      campaign: Campaign,
      limit: z.int().min(1).max(MAX_SAMPLE).default(3),
      unmask: Unmask,
    }),
    audit: ['limit'],
    output: z.object({ run: z.string(), members: z.array(SampledMember) }),
    auditOutput: ['run', 'members.member'],
  }),
} as const;
