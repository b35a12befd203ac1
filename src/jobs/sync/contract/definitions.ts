// Endpoints of syncs as they are written in sluice.yaml: read, change and delete one, with the mapping that it uses.
import { z } from 'zod';
import { name as ConfiguredName } from '../../../core/config/base.ts';
import { endpoint, Name, Reason, Unmask } from '../../../core/endpoint.ts';
import { MappingConfig } from '../../../mapping/config.ts';
import { ShownPreview } from './first-sync.ts';

const Yaml = z.string().min(1).max(100_000);
const Hash = z.string().max(100);

/** What has a name, so that a new sync cannot have it. */
const NAME_KINDS = ['sync', 'source', 'mapping', 'file'] as const;

export const SyncDefinition = z.object({
  file: z.string(),
  /** As it is written; null: the file has no sync of this name, for example because an included file has it. */
  yaml: z.string().nullable(),
  /** Null: another file has the mapping. */
  mapping: z
    .object({
      name: z.string(),
      yaml: z.string(),
      /** Other syncs and routes that a change of the mapping concerns. */
      usedBy: z.array(z.object({ kind: z.enum(['sync', 'route']), name: z.string() })),
    })
    .nullable(),
  /** Columns of the source, if it is a CSV file that can be read. */
  columns: z.array(z.string()).readonly(),
  /** Of sync and mapping as they are written: a change replaces only what was read. */
  hash: z.string(),
  /** What a deletion takes out of the file, for example `sources.leads`, and the uploaded file that it renames. */
  removal: z.object({ entries: z.array(z.string()), export: z.string().nullable() }),
});
export type SyncDefinition = z.infer<typeof SyncDefinition>;

const Written = z.object({
  file: z.string(),
  /** False: workers elsewhere know the change once they have loaded their copy of the file. */
  active: z.boolean(),
});

export const SYNC_DEFINITIONS = {
  'GET /sync-names': endpoint({
    role: 'editor',
    summary: 'List the names that a new sync cannot have, because something has them already.',
    input: z.strictObject({}),
    output: z.object({ taken: z.array(z.object({ name: z.string(), kind: z.enum(NAME_KINDS) })) }),
  }),
  'GET /syncs/{sync}/definition': endpoint({
    role: 'editor',
    summary: 'Show a sync and its mapping as they are written in sluice.yaml.',
    input: z.strictObject({ sync: Name }),
    output: SyncDefinition,
  }),
  'PUT /syncs/{sync}/definition': endpoint({
    role: 'editor',
    summary:
      'Replace a sync, and its mapping if it is sent, after a check of the whole file. A sync with a schedule, before or after, is changed by the role operator; its mapping is not. An active run keeps what it began with.',
    input: z.strictObject({
      sync: ConfiguredName,
      yaml: Yaml,
      mapping: Yaml.nullable().default(null),
      /** As it was read. */
      hash: Hash,
      reason: Reason,
    }),
    auditOutput: ['changed'],
    output: Written.extend({
      hash: z.string(),
      /** Keys that are different now, such as `schedule.cron` or `mapping.contact.number`, without their values. */
      changed: z.array(z.string()),
      /** The schedule is another one: apply it with `POST /schedules/apply`. */
      rescheduled: z.boolean(),
    }),
  }),
  'DELETE /syncs/{sync}/definition': endpoint({
    role: 'editor',
    summary:
      'Delete a sync from sluice.yaml, with the source and the mapping of its name if nothing else uses them. Its runs and its uploaded file stay. Refused while a run is open, and while it has a schedule.',
    input: z.strictObject({ sync: ConfiguredName, hash: Hash, reason: Reason }),
    output: Written.extend({
      removed: z.array(z.string()),
      /** Name of the uploaded file from now on, in the folder `data`; null when the sync had none of its own. */
      kept: z.string().nullable(),
    }),
  }),
  'POST /syncs/{sync}/preview': endpoint({
    role: 'editor',
    summary: 'Show what a mapping makes of the first rows of the file of a sync that was uploaded.',
    input: z.strictObject({ sync: Name, mapping: MappingConfig, unmask: Unmask }),
    reads: true,
    audited: true,
    auditMinutes: 10,
    auditOutput: ['records.row'],
    output: ShownPreview,
  }),
} as const;
