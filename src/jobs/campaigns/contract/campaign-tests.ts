// Test sends: the flow of a campaign, saved or not, is triggered for one number that somebody types.
import { z } from 'zod';
import { name as ConfiguredName } from '../../../core/config/base.ts';
import { Count, endpoint } from '../../../core/endpoint.ts';

/** A person in the sample of `POST /campaign-drafts/audience`. */
const SampleMember = z.strictObject({
  part: Count,
  contact: z.number().nullable(),
  row: z.number().nullable(),
});

export const CAMPAIGN_TESTS = {
  'POST /campaign-drafts/test': endpoint({
    role: 'operator',
    summary:
      'Trigger the flow of a draft once, for one number. Tests with the same key and number trigger it once.',
    input: z
      .strictObject({
        campaign: ConfiguredName,
        /** As an entry of `campaigns` in the configuration. */
        config: z.record(z.string(), z.unknown()),
        /** As somebody writes it, with country code or as a number of the campaign's `defaultCountry`. */
        number: z.string().trim().min(1).max(100),
        key: z.string().trim().min(1).max(200),
        /** The flow gets what this person of the sample would get. */
        member: SampleMember.optional(),
        /** The flow gets these values. */
        variables: z.record(z.string(), z.string().max(4096)).optional(),
      })
      .refine(
        ({ member, variables }) => (member === undefined) !== (variables === undefined),
        'give either member or variables',
      ),
    // The values of a person reach whoever tests, so the log has the person's ids, as it has those of a reveal.
    audit: ['campaign', 'member'],
    auditOutput: ['event', 'duplicate'],
    output: z.object({
      /** Id of the event. It shows what became of the test, and for which number. */
      event: z.string(),
      /** Sluice accepted this key and number before, and triggers nothing more. */
      duplicate: z.boolean(),
    }),
  }),
} as const;
