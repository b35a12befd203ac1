// A record: what one row of a source asks the service to hold, after mapping and validation.
import { z } from 'zod';

/** One extra field of a contact (API text, Contact.extraInfo). */
export const ExtraField = z.object({ name: z.string().min(1), value: z.string() });
export type ExtraField = z.infer<typeof ExtraField>;

/** The card that a record asks for: at most one per contact and pipeline. */
export const RecordCard = z.object({
  /** Pipeline id, or its name as GET /v1/pipelines shows it. */
  pipeline: z.union([z.int().positive(), z.string().min(1)]),
  /** Stage id or name inside that pipeline. */
  stage: z.union([z.int().positive(), z.string().min(1)]).optional(),
  /** Id of the origin; origins have no listing endpoint. */
  sourceId: z.int().positive().optional(),
  /** The names of these two inputs are assumptions (`card.titleField`, `card.expectedCloseDateField`). */
  title: z.string().min(1).optional(),
  /** YYYY-MM-DD. */
  expectedCloseDate: z.iso.date().optional(),
  /** Technical field name → value. */
  customFields: z.record(z.string(), z.unknown()).default({}),
});
export type RecordCard = z.infer<typeof RecordCard>;

/**
 * One person to sync. Optional contact fields are absent rather than empty: the upsert writes
 * only what is sent and not empty (API text, POST /v1/contacts, rule 2).
 */
export const CrmRecord = z.object({
  /** Identity of the person inside an account: the number, always with the Brazilian ninth digit. */
  key: z.string().regex(/^\d{7,15}$/),
  contact: z.object({
    /** E.164 without plus. */
    number: z.string().regex(/^\d{7,15}$/),
    name: z.string().min(1).optional(),
    email: z.string().min(1).optional(),
    document: z.string().min(1).optional(),
    disableBot: z.boolean().optional(),
  }),
  /** Sorted by name, names unique. */
  extraInfo: z.array(ExtraField).default([]),
  /** Tag names as GET /v1/tags shows them; sorted, unique. */
  tags: z.array(z.string().min(1)).default([]),
  card: RecordCard.optional(),
});
export type CrmRecord = z.infer<typeof CrmRecord>;

/** Why one row could not become a record. `value` may hold personal data: ledger and operator only, never logs. */
export const RowProblem = z.object({
  /** Where: `contact.number`, `card.stage`, or `row` when the whole row is unreadable. */
  field: z.string(),
  /** Stable reason: `required`, `invalid_phone`, `invalid_type`, `expression_failed`, `malformed_row`, … */
  code: z.string(),
  /** What is wrong and the way out, without the value. */
  reason: z.string(),
  value: z.string().optional(),
  /** Column or path of the source that the value came from; several are separated by commas. */
  column: z.string().optional(),
  /** The row that this one differs from, and its value. */
  otherRow: z.int().optional(),
  otherValue: z.string().optional(),
});
export type RowProblem = z.infer<typeof RowProblem>;
