// Endpoints of the configuration and of the doctor.
import { z } from 'zod';
import { Count, endpoint, Name, Note, NoteParams, Time } from '../../core/endpoint.ts';

/** Whether a process works with the configuration on the disk. */
export const ConfigurationState = z.object({
  loadedAt: Time,
  /** Since then the configuration on the disk cannot be loaded. Null: the last attempt worked. */
  brokenSince: Time.nullable(),
  /** Why, with file and line. */
  error: z.string().nullable(),
  /** Keys that changed on the disk, and that only a restart takes into use. */
  needsRestart: z.array(z.string()).readonly(),
});
export type ConfigurationState = z.infer<typeof ConfigurationState>;

/** A problem of the configuration file, with its place. */
const Problem = z.object({
  file: z.string(),
  /** From 1. */
  line: Count,
  column: Count,
  path: z.string(),
  message: z.string(),
  hint: z.string().nullable(),
  /** What is wrong, for a page in another language; null for a rare problem. */
  note: z.object({ code: z.string(), params: NoteParams }).nullable(),
});

export const AssumptionState = z.object({
  account: z.string(),
  key: z.string(),
  /** What the API description does not show. */
  unknown: z.string(),
  /** Section of the API description. */
  section: z.string(),
  /** As JSON. */
  default: z.string(),
  value: z.string(),
  overridden: z.boolean(),
});
export type AssumptionState = z.infer<typeof AssumptionState>;

export const DoctorReport = z.object({
  at: Time,
  verdict: z.enum(['ok', 'problems', 'auth', 'usage', 'unreachable']),
  summary: z.object({ ok: Count, warnings: Count, problems: Count, unchecked: Count, calls: Count }),
  groups: z.array(
    z.object({
      of: z.enum(['account', 'sources', 'servers']),
      /** Name of the account; null where the group is of no account. */
      account: z.string().nullable(),
      findings: z
        .array(
          Note.extend({
            /** `unchecked`: reads can't show it. */
            level: z.enum(['ok', 'warning', 'problem', 'unchecked']),
            /** What was checked, for example `token` or `wrapper.tags`. */
            check: z.string(),
            /** The way out. */
            hint: Note.optional(),
            cause: z.enum(['auth', 'unreachable', 'usage']).optional(),
          }),
        )
        .readonly(),
      calls: z
        .array(
          z.object({
            method: z.string(),
            path: z.string(),
            /** Null: no status line came. */
            status: z.int().nullable(),
            code: z.string().nullable(),
            ms: z.number(),
            /** The call had no token on purpose, to check the address before a token goes there. */
            anonymous: z.boolean(),
          }),
        )
        .readonly()
        .optional(),
    }),
  ),
});
export type DoctorReport = z.infer<typeof DoctorReport>;

/** How long one kind of data is kept, and what was deleted of it. */
export const RetentionOfKind = z.object({
  kind: z.string(),
  /** Key of the configuration that decides. */
  setting: z.string(),
  /** For example `90d`. */
  keeps: z.string(),
  tables: z.array(
    z.object({
      table: z.string(),
      /** With indexes. */
      bytes: Count,
      /** Estimate of the database; null when it has none. */
      rows: Count.nullable(),
    }),
  ),
  /** A process deletes old rows of this kind now. */
  active: z.boolean(),
  /** Null: not yet. */
  startedAt: Time.nullable(),
  /** End of the last complete pass; null: none yet. */
  endedAt: Time.nullable(),
  /** Rows of the current or last pass. */
  deleted: Count,
  deletedEver: Count,
  /** Why the last pass ended early, as SQLSTATE; null: it did not. */
  error: z.string().nullable(),
});
export type RetentionOfKind = z.infer<typeof RetentionOfKind>;

export const SETTINGS = {
  'GET /configuration': endpoint({
    role: 'viewer',
    summary: 'Show the configuration as it is loaded, and problems of the file as it is now.',
    input: z.strictObject({}),
    output: z.object({
      file: z.string(),
      loadedAt: Time,
      /** The file has changed since. */
      changed: z.boolean(),
      /** As `configuration` in the health of the overview. */
      brokenSince: Time.nullable(),
      needsRestart: z.array(z.string()).readonly(),
      /** Problems of the file as it is now. */
      problems: z.array(Problem),
      /** The file as it is loaded, without secrets. Secrets are references. */
      text: z.string(),
      entries: z.array(
        z.object({
          kind: z.enum([
            'server',
            'account',
            'source',
            'mapping',
            'sync',
            'cluster',
            'route',
            'sink',
            'poller',
            'campaign',
            'notices',
          ]),
          name: z.string(),
          /** In words. */
          about: z.string(),
          notes: z.array(z.string()),
        }),
      ),
    }),
  }),
  'POST /configuration/reload': endpoint({
    role: 'admin',
    summary:
      'Load the configuration and its secrets again, in the process that answers. A broken one changes nothing.',
    input: z.strictObject({}),
    output: z.object({
      /** `broken`: the configuration before it stays in use. */
      result: z.enum(['loaded', 'broken']),
      /** What is new, changed or gone, such as `accounts.acme`. */
      changes: z.array(z.string()).readonly(),
      needsRestart: z.array(z.string()).readonly(),
      error: z.string().nullable(),
    }),
  }),
  'GET /configuration/state': endpoint({
    role: 'viewer',
    summary:
      'Tell whether the process that answers works with its files as they are now. It loads changed ones that it watches.',
    input: z.strictObject({}),
    output: z.object({
      file: z.string(),
      loadedAt: Time,
      /** The files differ from what is in use: they are broken, or have changed and are not watched. */
      outdated: z.boolean(),
      /** Why they are broken; null when they are not. */
      error: z.string().nullable(),
    }),
  }),
  'GET /temporal': endpoint({
    role: 'viewer',
    summary: "Show where Temporal's web UI shows workflows, as configured in operator.temporalUi.",
    input: z.strictObject({}),
    output: z.object({
      /** Address of a workflow, without its id at the end. Null: no web UI is configured. */
      workflows: z.string().nullable(),
    }),
  }),
  'GET /assumptions': endpoint({
    role: 'viewer',
    summary: 'List what Sluice takes for granted where the API description is silent, with the overrides.',
    input: z.strictObject({}),
    output: z.object({ assumptions: z.array(AssumptionState) }),
  }),
  'GET /retention': endpoint({
    role: 'viewer',
    summary: 'Show how long each kind of data is kept, its size, and what was deleted last.',
    input: z.strictObject({}),
    output: z.object({ kinds: z.array(RetentionOfKind) }),
  }),
  'GET /doctor': endpoint({
    role: 'viewer',
    summary: 'Show the last report of the doctor; null if it has not run since the process started.',
    input: z.strictObject({}),
    output: z.object({ report: DoctorReport.nullable() }),
  }),
  'POST /doctor': endpoint({
    role: 'operator',
    summary: 'Check accounts, tokens, names, sources, Temporal and ledger; makes a few API calls, all reads.',
    input: z.strictObject({ account: Name.optional() }),
    audit: ['account'],
    output: DoctorReport,
  }),
} as const;
