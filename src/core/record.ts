// A record: what one row of a source asks the service to store, after mapping and validation.
import { z } from 'zod';

/** One extra field of a contact (API text, Contact.extraInfo). */
export const ExtraField = z.object({ name: z.string().min(1), value: z.string() });
export type ExtraField = z.infer<typeof ExtraField>;

/** Card of a record; there is at most one per contact and pipeline. */
export const RecordCard = z.object({
  /** Pipeline id, or its name as GET /v1/pipelines shows it. */
  pipeline: z.union([z.int().positive(), z.string().min(1)]),
  /** Stage id or name inside that pipeline. */
  stage: z.union([z.int().positive(), z.string().min(1)]).optional(),
  /** Id of the origin. The API has no endpoint that lists origins. */
  sourceId: z.int().positive().optional(),
  /** The API field names of these two values are assumptions (`card.titleField`, `card.expectedCloseDateField`). */
  title: z.string().min(1).optional(),
  /** YYYY-MM-DD. */
  expectedCloseDate: z.iso.date().optional(),
  /** Technical field name → value. */
  customFields: z.record(z.string(), z.unknown()).default({}),
});
export type RecordCard = z.infer<typeof RecordCard>;

/**
 * One person to sync. Optional contact fields are absent instead of empty: the upsert writes only fields that are
 * sent and not empty (API text, POST /v1/contacts, rule 2).
 */
export const CrmRecord = z.object({
  /** Identity of the person within an account: the number, always with the Brazilian ninth digit. */
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

/** Who a row is about, as far as it could be read. It is personal data. */
export interface RowIdentity {
  readonly name: string | null;
  readonly email: string | null;
  /** As it was written if it could not be read; otherwise in international form. */
  readonly number: string | null;
}

/**
 * Why a row could not become a record. `value` may be personal data: it belongs in the ledger and operator output,
 * not in logs.
 */
export const RowProblem = z.object({
  /** Field of the problem: `contact.number`, `card.stage`, or `row` if the whole row is unreadable. */
  field: z.string(),
  /** Stable code: `required`, `invalid_phone`, `invalid_type`, `expression_failed`, `malformed_row`, … */
  code: z.string(),
  /** What is wrong and how to fix it, without the value. */
  reason: z.string(),
  value: z.string().optional(),
  /** Column or path of the source that contained the value; several are separated by commas. */
  column: z.string().optional(),
  /** The row that contradicts this one, and its value. */
  otherRow: z.int().optional(),
  otherValue: z.string().optional(),
});
export type RowProblem = z.infer<typeof RowProblem>;
