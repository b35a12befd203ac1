// The part `syncs` of sluice.yaml: one source into one account.
import { z } from 'zod';
import { described, name } from '../../core/config/base.ts';
import { ScheduleConfig } from '../../core/config/schedule.ts';

/** Fields of a contact that a sync writes, each with a rule of its own. */
export const CONTACT_FIELDS = ['name', 'email', 'document', 'disableBot'] as const;
export type ContactField = (typeof CONTACT_FIELDS)[number];

/** Fields that show whether two rows with the same number are about one person, the strongest first. */
export const IDENTITY_FIELDS = ['document', 'name', 'email'] as const;
export type IdentityField = (typeof IDENTITY_FIELDS)[number];

const conflictRule = z.enum(['merge', 'first', 'refuse']);
export type ConflictRule = z.infer<typeof conflictRule>;

const write = z.enum(['always', 'if-empty', 'never']).meta({
  description:
    'When the field is written. always: if it changed in the source. if-empty: only if the service has no value. never: not at all. Default: always.',
});

/** The API lets these two be empty; a name and the bot switch always have a value. */
const clearable = z.union([
  write,
  z
    .strictObject({
      write: write.default('always'),
      clear: z.boolean().default(false).meta({
        description:
          'true lets an empty value in the source empty a field that Sluice filled. It costs one PUT. Default: false.',
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
      'Which records are written. upsert: creates and updates. insert: only creates; existing people are left alone. update: never creates. Default: upsert.',
  }),
  fields: z
    .strictObject({
      name: write.optional(),
      email: clearable.optional().meta({
        description:
          'When the e-mail address is written: always, if-empty or never, or {write, clear}. Default: always.',
      }),
      document: clearable.optional().meta({
        description:
          'When the document is written: always, if-empty or never, or {write, clear}. Default: always.',
      }),
      disableBot: write.optional(),
    })
    .default({})
    .meta({ description: 'When each field of the contact is written. Default: always, for all fields.' }),
  conflict: z.enum(['overwrite', 'keep', 'fail']).default('overwrite').meta({
    description:
      "What happens if people changed a field that Sluice wrote, and the source changed too. overwrite: writes the source's value. keep: keeps theirs. fail: the record fails. keep and fail read the contact first. Default: overwrite.",
  }),
  extraInfo: z.enum(['merge', 'merge-fresh', 'replace']).default('merge').meta({
    description:
      'How extra fields are written. merge: reads the contact before a changed field is written, and keeps all other fields. merge-fresh: the same, and also checks fields that the ledger takes for written. replace: writes exactly the mapped fields without reading. Default: merge.',
  }),
  validateNumber: z
    .boolean()
    .default(false)
    .meta({ description: 'true asks the service to check each number on the chat network. Default: false.' }),
} as const;

export const SyncConfig = z.strictObject({
  account: described(name, 'Account that receives the records: a name from `accounts`.'),
  source: described(name, 'Source to read: a name from `sources`.'),
  mapping: described(name, 'Mapping that turns rows into records: a name from `mappings`.'),
  mode: z.enum(['upsert', 'insert', 'update', 'mirror']).default('upsert').meta({
    description:
      'Which records are written. upsert: creates and updates. insert: only creates; existing people are left alone. update: never creates. mirror: as upsert, and handles people who left the source. Default: upsert.',
  }),
  vanished: z
    .union([
      z.enum(['ignore', 'remove-tags']),
      z.strictObject({
        moveTo: z
          .union([z.int().positive(), z.string().min(1)])
          .meta({ description: 'Stage to which the card moves, by name or id.' }),
      }),
    ])
    .default('ignore')
    .meta({
      description:
        'What mirror does with people who left the source. ignore: nothing. remove-tags: removes the tags that Sluice set. {moveTo: stage}: moves their card, unless it is won or lost. Default: ignore.',
    }),
  fields: SYNC_RULES.fields,
  conflict: SYNC_RULES.conflict,
  lane: z.enum(['lead', 'backfill']).default('backfill').meta({
    description:
      'Priority of the calls. lead: before polling and campaigns. backfill: after them. Default: backfill.',
  }),
  onConflict: z
    .union([
      conflictRule,
      z.strictObject({
        document: conflictRule.optional().meta({ description: 'Rule for documents. Default: refuse.' }),
        name: conflictRule.optional().meta({
          description:
            'Rule for names. Default: merge if the rows have the same document or e-mail address, otherwise first.',
        }),
        email: conflictRule.optional().meta({ description: 'Rule for e-mail addresses. Default: merge.' }),
      }),
    ])
    .optional()
    .meta({
      description:
        'What happens if rows of one number differ in document, name or e-mail address. merge: one record; the later value counts. first: rows that differ from the first are ignored. refuse: all rows of the number are rejected. One rule for all fields, or one per field. Default: refuse for documents, first for names, merge for e-mail addresses.',
    }),
  tags: z.enum(['merge', 'replace']).default('merge').meta({
    description:
      'How tags are written. merge: keeps tags that people set, and removes tags that Sluice set and the source lacks. replace: sets exactly the mapped tags. Default: merge.',
  }),
  extraInfo: SYNC_RULES.extraInfo,
  concurrency: z.int().min(1).max(200).default(48).meta({
    description:
      'Maximum number of records in flight, 1 to 200. Two batches of half this size run side by side, also on different workers. Default: 48, which keeps the token busy while a dead worker is being detected.',
  }),
  validateNumber: SYNC_RULES.validateNumber,
  announce: described(
    name,
    'Sink that gets one event when a run ends: a name from `sinks`. Default: none.',
  ).optional(),
  schedule: ScheduleConfig.optional().meta({
    description: 'Starts the sync at fixed times. Default: only when you start it.',
  }),
});
export type SyncConfig = z.infer<typeof SyncConfig>;
