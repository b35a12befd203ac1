// The events of campaigns: what becomes of a run, and what became of each member.
import { z } from 'zod';
import { described } from '../../../core/config/base.ts';
import { MEMBER_STATES } from '../constants.ts';

/** Changes of a run. */
const RUN_CHANGES = ['planned', 'started', 'paused', 'resumed', 'finished', 'cancelled', 'failed'] as const;
export type RunChange = (typeof RUN_CHANGES)[number];

/**
 * Outcomes of a member after the start. Who is left out by the plan has none: the plan may never start, and its counts
 * are in `sluice.campaign.planned`.
 */
export const MEMBER_OUTCOMES = ['triggered', 'skipped', 'failed', 'unknown'] as const;
export type MemberOutcome = (typeof MEMBER_OUTCOMES)[number];

const RUN_TYPES = RUN_CHANGES.map((change) => `sluice.campaign.${change}` as const);
const MEMBER_TYPES = MEMBER_OUTCOMES.map((outcome) => `sluice.campaign.member.${outcome}` as const);
export const CAMPAIGN_EVENT_TYPES = [...RUN_TYPES, ...MEMBER_TYPES];

const envelope = {
  specversion: z.literal('1.0'),
  source: described(
    z.string().regex(/^\/sluice\/accounts\/[^/]+\/campaigns\/[^/]+$/),
    '`/sluice/accounts/{account}/campaigns/{campaign}`.',
  ),
  time: described(z.iso.datetime(), 'Time of the change, in UTC.'),
  datacontenttype: z.literal('application/json'),
};
const names = {
  account: described(z.string(), 'Name of the account in the configuration.'),
  campaign: described(z.string(), 'Name of the campaign in the configuration.'),
  run: described(z.string(), 'Id of the run.'),
};
const id = z.int().positive().nullable();

export const CampaignRunEvent = z
  .strictObject({
    ...envelope,
    id: described(z.string().min(1), '`{type}/{run}/{time}`. A repeated event has the same id.'),
    type: z.enum(RUN_TYPES),
    partitionkey: described(
      z.string().min(1),
      'Id of the run. Events with the same key arrive in order (CloudEvents extension "partitioning").',
    ),
    data: z.object({
      ...names,
      by: described(
        z.string().nullable(),
        'Who made the change. `sluice`: a stop rule or a refusal of the service. null: nobody; it is the course of the run.',
      ),
      code: described(z.string().nullable(), 'Why Sluice itself paused the run. null: it did not.'),
      reason: described(z.string().nullable(), 'Reason of a pause, a resumption or a failure. null: none.'),
      counts: described(
        z.object(
          Object.fromEntries(
            MEMBER_STATES.map((state) => [
              state,
              described(z.int().nonnegative(), `Members in the state ${state}.`),
            ]),
          ) as Record<(typeof MEMBER_STATES)[number], z.ZodInt>,
        ),
        'Number of members by state, after the change.',
      ),
    }),
  })
  .readonly();
export type CampaignRunEvent = z.infer<typeof CampaignRunEvent>;

export const CampaignMemberEvent = z
  .strictObject({
    ...envelope,
    id: described(z.string().min(1), '`{type}/{run}/{member}/{time}`. A repeated event has the same id.'),
    type: z.enum(MEMBER_TYPES),
    subject: described(z.string().min(1), 'Id of the member.'),
    partitionkey: described(
      z.string().min(1),
      '`{run}/{member}`. Events with the same key arrive in order (CloudEvents extension "partitioning").',
    ),
    data: z.object({
      ...names,
      member: described(z.int().positive(), 'Id of the member in the ledger.'),
      number: described(
        z.string().nullable(),
        'Phone number, E.164 without plus, as the service or the source has it. null: the person was erased.',
      ),
      contact: described(id, 'Id of the contact in the service. null: Sluice does not know it.'),
      card: described(id, 'Id of the card that the audience found. null: it found none.'),
      part: described(
        z.int().nonnegative(),
        'Index in the list `audience` of the campaign, from 0: where the member comes from.',
      ),
      row: described(id, 'Number of the row in the source, from 1. null: the part reads no source.'),
      wave: described(id, 'Number of the wave, from 1. null: the member was in none.'),
      code: described(
        z.string().nullable(),
        'Why the member was skipped or failed, or why its outcome is unknown. null: it was triggered.',
      ),
      reason: described(z.string().nullable(), 'The same in words. null: the code says it all.'),
      conversation: described(
        id,
        'Id of the conversation that a person serves, if that is why the member was skipped.',
      ),
    }),
  })
  .readonly();
export type CampaignMemberEvent = z.infer<typeof CampaignMemberEvent>;
