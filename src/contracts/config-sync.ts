// The part `syncs` of sluice.yaml: one source into one account.
import { z } from 'zod';
import { described, name } from './config-base.ts';
import { ScheduleConfig } from './config-schedule.ts';

/** Fields of a contact that a sync writes, each with a rule of its own. */
export const CONTACT_FIELDS = ['name', 'email', 'document', 'disableBot'] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];

/** Fields that tell whether two rows of one number speak of one person, the strongest first. */
export const IDENTITY_FIELDS = ['document', 'name', 'email'] as const;
export type IdentityField = (typeof IDENTITY_FIELDS)[number];

const conflictRule = z.enum(['merge', 'first', 'refuse']);
export type ConflictRule = z.infer<typeof conflictRule>;

const write = z.enum(['always', 'if-empty', 'never']).meta({
  description:
    'always: what the source says is written when it changed; if-empty: only where the service has nothing; never: left alone',
});

/** The API lets these two be empty; a name and the bot switch always have a value. */
const clearable = z.union([
  write,
  z
    .strictObject({
      write: write.default('always'),
      clear: z.boolean().default(false).meta({
        description: 'An empty value in the source empties the field that Sluice had filled (one PUT)',
      }),
    })
    .superRefine((rule, context) => {
      if (rule.write !== 'never' || !rule.clear) return;
      const message =
        'a field that is never written is never emptied either; leave clear out, or change write';
      context.addIssue({ code: 'custom', path: ['clear'], message });
    }),
]);

/** Rules about what is written, which a sync shares with leads that come as events. */
export const SYNC_RULES = {
  mode: z.enum(['upsert', 'insert', 'update']).default('upsert').meta({
    description:
      'upsert: create and update; insert: create only, people who are there are left alone; update: never create',
  }),
  fields: z
    .strictObject({
      name: write.optional(),
      email: clearable.optional().meta({ description: 'Rule of the e-mail address' }),
      document: clearable.optional().meta({ description: 'Rule of the document' }),
      disableBot: write.optional(),
    })
    .default({})
    .meta({ description: 'When a field of the contact is written; without a rule: always' }),
  conflict: z.enum(['overwrite', 'keep', 'fail']).default('overwrite').meta({
    description:
      'When people changed a field that Sluice had written and the source changed too: write over it, keep theirs, or set the record aside; the last two read the contact first',
  }),
  extraInfo: z.enum(['merge', 'merge-fresh', 'replace']).default('merge').meta({
    description:
      'merge: fields of others are kept, known from the ledger (one read when it does not know); merge-fresh: one read each time; replace: exactly the mapped fields',
  }),
  validateNumber: z
    .boolean()
    .default(false)
    .meta({ description: 'Ask the service to check each number on the chat network' }),
} as const;

export const SyncConfig = z.strictObject({
  account: described(name, 'Which of `accounts` receives the records'),
  source: described(name, 'Which of `sources` is read'),
  mapping: described(name, 'Which of `mappings` turns rows into records'),
  mode: z.enum(['upsert', 'insert', 'update', 'mirror']).default('upsert').meta({
    description:
      'upsert: create and update; insert: create only, people who are there are left alone; update: never create; mirror: upsert, and act on people who left the source',
  }),
  vanished: z
    .union([
      z.enum(['ignore', 'remove-tags']),
      z.strictObject({
        moveTo: z
          .union([z.int().positive(), z.string().min(1)])
          .meta({ description: 'Stage of the pipeline, by name or id' }),
      }),
    ])
    .default('ignore')
    .meta({
      description:
        'What mirror does with people who left the source: nothing, take back the tags that Sluice set, or move their card',
    }),
  fields: SYNC_RULES.fields,
  conflict: SYNC_RULES.conflict,
  lane: z.enum(['lead', 'backfill']).default('backfill').meta({
    description:
      'How urgent the calls of this sync are: lead goes before polling and campaigns, backfill after',
  }),
  onConflict: z
    .union([
      conflictRule,
      z.strictObject({
        document: conflictRule.optional().meta({ description: 'Rule for documents; refuse if absent' }),
        name: conflictRule.optional().meta({
          description:
            'Rule for names; if absent: merge if the rows have the same document or e-mail address, else first',
        }),
        email: conflictRule.optional().meta({ description: 'Rule for e-mail addresses; merge if absent' }),
      }),
    ])
    .optional()
    .meta({
      description:
        'When rows of one number differ in document, name or e-mail address. merge: one record of all rows, the later value counts; first: only rows that agree with the first one count; refuse: every row of the number is rejected. One rule for all fields, or one for each',
    }),
  tags: z
    .enum(['merge', 'replace'])
    .default('merge')
    .meta({ description: 'merge keeps tags that people set; replace makes the list exactly the mapped one' }),
  extraInfo: SYNC_RULES.extraInfo,
  concurrency: z.int().min(1).max(200).default(48).meta({
    description:
      'Maximum number of records in flight. Two batches work side by side with half of them each, possibly on different workers',
  }),
  validateNumber: SYNC_RULES.validateNumber,
  announce: described(name, 'Which of `sinks` is told, by one event, that a run has ended').optional(),
  schedule: ScheduleConfig.optional().meta({ description: 'When the sync runs by itself' }),
});
export type SyncConfig = z.infer<typeof SyncConfig>;
