// Endpoints of the guided first sync: an export is uploaded and recognized, its columns are mapped with a live preview,
// and the sync is written into the configuration.
import { z } from 'zod';
import { CsvSource } from '../../../connectors/sources/config.ts';
import { Count, endpoint, Name, Note, Time, Unmask } from '../../../core/endpoint.ts';
import { MappingConfig } from '../../../mapping/config.ts';
import { Lines } from './lines.ts';

/** Maximum size of an uploaded export, in bytes. */
const MAX_UPLOAD = 64 * 1024 * 1024;

const Confidence = z.number().min(0).max(1);

/** What Sluice recognized in a file. */
export const RecognizedFile = z.object({
  delimiter: z.string(),
  encoding: z.object({ name: z.string(), confidence: Confidence }),
  /** False: the first line looks like a row. A sync needs a line with names above it. */
  header: z.boolean(),
  preset: z.object({ name: z.string(), confidence: Confidence }).nullable(),
  country: z.object({
    /** Null: every number that can be read names its country. */
    country: z.string().nullable(),
    /** `national`: digits without + are numbers of this country, also where they are valid abroad. */
    format: z.enum(['national', 'auto']),
    confidence: Confidence,
  }),
  columns: z
    .array(
      z.object({
        name: z.string(),
        /** Null: nothing that a contact or a card has. */
        guess: z.string().nullable(),
        confidence: Confidence,
        /** Up to three values, masked. */
        samples: z.array(z.string()).readonly(),
        /** Number of rows with a value. */
        filled: Count,
      }),
    )
    .readonly(),
  /** First draft; null when no column has phone numbers. */
  mapping: MappingConfig.nullable(),
  card: z.unknown(),
  notes: z.array(Note).readonly(),
  /** Rows that the guesses are made from. */
  rows: Count,
});
export type RecognizedFile = z.infer<typeof RecognizedFile>;

/** What a mapping makes of the first rows. Personal data is masked unless the input asks for plain values. */
export const MappingPreview = z.object({
  rows: Count,
  /** False: the file has more rows. */
  whole: z.boolean(),
  mapped: Count,
  rejected: Count,
  /** Values with characters that are no text in this encoding, or that were damaged before the export. */
  garbled: Count,
  records: z
    .array(
      z.object({
        row: Count,
        record: z.record(z.string(), z.unknown()),
        /** ISO 3166 code of the country that the number was read in; null for a number of none, such as a toll-free one. */
        country: z.string().nullable(),
      }),
    )
    .readonly(),
  /** By field and code, most frequent first. */
  problems: z
    .array(
      z.object({
        field: z.string(),
        code: z.string(),
        reason: z.string(),
        count: Count,
        /** The first rows that have it; the header is not a row. */
        rows: z.array(Count).readonly(),
      }),
    )
    .readonly(),
});
export type MappingPreview = z.infer<typeof MappingPreview>;

/** With the lines of all rows that it names. */
export const ShownPreview = MappingPreview.extend({ lines: Lines });
export type ShownPreview = z.infer<typeof ShownPreview>;

/** What another export changes in the columns of a sync's file. */
export const ColumnChanges = z.object({
  /** Columns of the export. */
  found: z.array(z.string()).readonly(),
  /** Compared with the file of the sync; empty when that file cannot be read. */
  added: z.array(z.string()).readonly(),
  removed: z.array(z.string()).readonly(),
  /** Columns that the mapping uses and only the file before had. */
  missing: z.array(z.string()).readonly(),
});
export type ColumnChanges = z.infer<typeof ColumnChanges>;

const Upload = z.string().max(100);
const Encoding = CsvSource.shape.encoding;
/** Name of a new source, mapping and sync. */
const NewName = z
  .string()
  .max(60)
  .regex(/^[a-z][a-z0-9_-]*$/, 'use lower-case letters, digits, - and _, with a letter first');

const NewSync = z.strictObject({
  upload: Upload,
  account: Name,
  sync: NewName,
  mapping: MappingConfig,
  encoding: Encoding,
});

export const FIRST_SYNC = {
  'POST /uploads': endpoint({
    role: 'editor',
    summary: 'Upload an export of a CRM as CSV; Sluice recognizes it. It is deleted after an hour.',
    input: z.strictObject({ name: z.string().min(1).max(200), file: z.instanceof(Uint8Array) }),
    bytes: { field: 'file', max: MAX_UPLOAD },
    output: z.object({ upload: Upload, bytes: Count, expiresAt: Time, recognized: RecognizedFile }),
  }),
  'POST /uploads/{upload}/recognize': endpoint({
    role: 'editor',
    summary: 'Recognize an uploaded file again, for example in another encoding.',
    input: z.strictObject({ upload: Upload, encoding: Encoding }),
    reads: true,
    output: z.object({ upload: Upload, name: z.string(), expiresAt: Time, recognized: RecognizedFile }),
  }),
  'POST /uploads/{upload}/preview': endpoint({
    role: 'editor',
    summary: 'Show what a mapping makes of the first rows, and which it rejects.',
    input: z.strictObject({ upload: Upload, mapping: MappingConfig, encoding: Encoding, unmask: Unmask }),
    reads: true,
    audited: true,
    auditMinutes: 10,
    auditOutput: ['records.row'],
    output: ShownPreview,
  }),
  'POST /uploads/{upload}/plans': endpoint({
    role: 'editor',
    summary: 'Start a dry run of a mapping that is not in the configuration.',
    input: NewSync,
    reads: true,
    audited: true,
    audit: ['account', 'sync'],
    output: z.object({ plan: z.string() }),
  }),
  'POST /uploads/{upload}/sync': endpoint({
    role: 'editor',
    summary: 'Write source, mapping and sync into the configuration, and keep the export beside it.',
    input: NewSync,
    audit: ['account', 'sync'],
    output: z.object({
      sync: z.string(),
      /** Configuration file, and the export relative to its folder. */
      file: z.string(),
      export: z.string(),
      /** False: workers elsewhere know the sync once they have loaded their copy of the file. */
      active: z.boolean(),
    }),
  }),
  'POST /uploads/{upload}/source': endpoint({
    role: 'editor',
    summary:
      'Write a source alone into the configuration, for example as an audience, and keep the file beside it.',
    input: z.strictObject({ upload: Upload, source: NewName }),
    audit: ['source'],
    output: z.object({
      source: z.string(),
      /** Configuration file, and the kept file relative to its folder. */
      file: z.string(),
      export: z.string(),
      /** False: workers elsewhere know the source once they have loaded their copy of the files. */
      active: z.boolean(),
    }),
  }),
  'POST /uploads/{upload}/compare': endpoint({
    role: 'editor',
    summary: 'Compare the columns of an uploaded export with those of the file of a sync.',
    input: z.strictObject({ upload: Upload, sync: Name }),
    reads: true,
    output: ColumnChanges,
  }),
  'POST /uploads/{upload}/replace': endpoint({
    role: 'editor',
    summary:
      'Put an uploaded export in the place of the file of a sync that the console wrote. The last five files are kept.',
    input: z.strictObject({ upload: Upload, sync: Name }),
    audit: ['sync'],
    output: z.object({
      sync: z.string(),
      /** Relative to the folder of the configuration. */
      export: z.string(),
      /** Name under which the file before is kept, in the same folder; null when there was none. */
      kept: z.string().nullable(),
      columns: ColumnChanges,
      /** False: workers elsewhere read the file of their own machine. */
      active: z.boolean(),
    }),
  }),
  'DELETE /uploads/{upload}': endpoint({
    role: 'editor',
    summary: 'Delete an uploaded export.',
    input: z.strictObject({ upload: Upload }),
    output: z.object({ upload: Upload }),
  }),
} as const;
