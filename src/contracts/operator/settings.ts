// Endpoints of the configuration and of the doctor.
import { z } from 'zod';
import { Count, endpoint, Name, Time } from './endpoint.ts';

/** A problem of the configuration file, with its place. */
const Problem = z.object({
  file: z.string(),
  /** From 1. */
  line: Count,
  column: Count,
  path: z.string(),
  message: z.string(),
  hint: z.string().nullable(),
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
      /** For example `account acme`. */
      title: z.string(),
      findings: z
        .array(
          z.object({
            level: z.enum(['ok', 'warning', 'problem', 'unchecked']),
            check: z.string(),
            text: z.string(),
            hint: z.string().optional(),
            cause: z.enum(['auth', 'unreachable', 'usage']).optional(),
          }),
        )
        .readonly(),
      calls: z
        .array(
          z.object({
            method: z.string(),
            path: z.string(),
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

export const SETTINGS = {
  'GET /configuration': endpoint({
    role: 'viewer',
    summary: 'Show the configuration as it is loaded, and problems of the file as it is now.',
    input: z.strictObject({}),
    output: z.object({
      file: z.string(),
      loadedAt: Time,
      /** The file has changed since; a restart loads it. */
      changed: z.boolean(),
      /** Problems of the file as it is now. */
      problems: z.array(Problem),
      /** The file as it is loaded, without secrets. Secrets are references. */
      text: z.string(),
      entries: z.array(
        z.object({
          kind: z.enum([
            'account',
            'source',
            'mapping',
            'sync',
            'cluster',
            'route',
            'sink',
            'poller',
            'campaign',
          ]),
          name: z.string(),
          /** In words. */
          about: z.string(),
          notes: z.array(z.string()),
        }),
      ),
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
