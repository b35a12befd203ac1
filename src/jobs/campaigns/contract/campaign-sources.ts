// Endpoints of a campaign as it is written in sluice.yaml.
import { z } from 'zod';
import { name as ConfiguredName } from '../../../core/config/base.ts';
import { endpoint, Name, Reason } from '../../../core/endpoint.ts';

const WrittenCampaign = z.object({
  file: z.string(),
  hash: z.string(),
  /** The workers of this process use it now. False: workers elsewhere have to load their copy of the file. */
  active: z.boolean(),
});

export const CAMPAIGN_SOURCES = {
  'GET /campaigns/{campaign}/source': endpoint({
    role: 'editor',
    summary: 'Show a campaign as it is written in sluice.yaml.',
    input: z.strictObject({ campaign: Name }),
    output: z.object({
      file: z.string(),
      /** Null: the file has no campaign of this name. */
      yaml: z.string().nullable(),
      /** Of the campaign as it is written: a change replaces only what was read. */
      hash: z.string(),
    }),
  }),
  'PUT /campaigns/{campaign}/source': endpoint({
    role: 'editor',
    summary:
      'Create or replace a campaign in sluice.yaml, after a check of the whole file. Its plan becomes void. Refused without a second person while a campaign has one.',
    input: z.strictObject({
      campaign: ConfiguredName,
      yaml: z.string().min(1).max(100_000),
      /** As it was read. `isNew` does not need it. */
      hash: z.string().max(100),
      /** Refuse to replace a campaign of this name, for a new campaign or a copy. */
      isNew: z.boolean().default(false),
      reason: Reason,
    }),
    audit: ['isNew'],
    auditOutput: ['changed'],
    output: WrittenCampaign.extend({
      /** Keys that are different now, such as `windows.days`, without their values. None of a new campaign. */
      changed: z.array(z.string()),
    }),
  }),
  'DELETE /campaigns/{campaign}/source': endpoint({
    role: 'editor',
    summary:
      'Delete a campaign from sluice.yaml. Its runs stay visible. Refused while a run is planned or active, while it has a schedule, and for the last campaign with a second person.',
    input: z.strictObject({
      campaign: ConfiguredName,
      hash: z.string().max(100),
      reason: Reason,
    }),
    output: WrittenCampaign,
  }),
} as const;
