// The part `mappings` of sluice.yaml: how a row becomes a record.
import { z } from 'zod';
import { described } from './config-base.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** The long form of an expression: exactly one of path, template, jsonata, const, first. */
export const ExpressionObject = z.strictObject({
  path: z.string().min(1).optional().meta({ description: 'Column name or dot-path' }),
  template: z.string().min(1).optional().meta({ description: 'Text with {{column}} placeholders' }),
  jsonata: z.string().min(1).optional().meta({ description: 'JSONata expression over the row' }),
  const: scalar.optional().meta({ description: 'A fixed value' }),
  first: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .meta({ description: 'Columns or dot-paths; the first that is not empty' }),
  map: z
    .record(z.string(), scalar)
    .optional()
    .meta({ description: 'Table from found value to wanted value (case is ignored)' }),
  default: scalar.optional().meta({ description: 'Value when nothing is found, or `map` has no entry' }),
});
export type ExpressionObject = z.infer<typeof ExpressionObject>;

/**
 * An expression. A string is a column name or dot-path; with `{{…}}` it is a template; with a leading
 * `=` it is JSONata. A list of strings takes the first that is not empty.
 */
export const Expression = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1), ExpressionObject])
  .meta({
    description:
      'Column name or dot-path; "{{column}} text" is a template; "=…" is JSONata; a list takes the first that is not empty',
  });
export type Expression = z.infer<typeof Expression>;

/** How a number without + and country code is read. */
export const NumberFormat = z.enum(['national', 'international', 'auto']).meta({
  description:
    'How Sluice reads digits without +. national: as a number of defaultCountry; international: as a number with country code; auto (default): the reading that is certain; a number that is valid both ways is refused',
});
export type NumberFormat = z.infer<typeof NumberFormat>;

export const MappingConfig = z.strictObject({
  defaultCountry: z
    .string()
    .regex(/^[A-Z]{2}$/, 'two capital letters, for example BR')
    .optional()
    .meta({ description: 'ISO 3166 country of numbers written without a country code' }),
  numberFormat: NumberFormat.optional(),
  dateOrder: z.enum(['auto', 'dmy', 'mdy', 'ymd']).optional().meta({
    description:
      'Order of dates such as 01/02/2026: day first, month first or year first; auto (default): derived from all rows of a file',
  }),
  contact: z
    .strictObject({
      number: described(Expression, 'Yields the phone number, the identity of the person'),
      name: described(Expression, 'Yields the name').optional(),
      email: described(Expression, 'Yields the e-mail address').optional(),
      document: described(Expression, 'Yields the document (CPF, CNPJ, …)').optional(),
      disableBot: described(
        Expression,
        'Yields yes or no: whether the chatbot leaves this person alone',
      ).optional(),
    })
    .meta({ description: 'Who the row is about' }),
  tags: z
    .array(
      z.union([
        z.string().min(1),
        ExpressionObject.extend({
          split: z.string().min(1).optional().meta({ description: 'Separator of several tags in one value' }),
        }),
      ]),
    )
    .default([])
    .meta({ description: 'Each entry yields one tag name, or several; write {const: vip} for a fixed tag' }),
  extraInfo: z
    .record(z.string().min(1), Expression)
    .default({})
    .meta({ description: 'Extra fields of the contact: name → expression' }),
  card: z
    .strictObject({
      pipeline: z
        .union([z.int().positive(), z.string().min(1)])
        .meta({ description: 'Pipeline name or id (fixed)' }),
      when: Expression.optional().meta({
        description: 'No card unless this yields something other than empty, false, no or 0',
      }),
      stage: Expression.optional().meta({ description: 'Yields a stage name or id' }),
      source: z
        .union([z.int().positive(), ExpressionObject])
        .optional()
        .meta({ description: 'Id of the origin (fixed), or an expression that yields it' }),
      title: described(Expression, 'Yields the title; without it the service makes one').optional(),
      expectedCloseDate: described(Expression, 'Yields the day on which the deal should close').optional(),
      customFields: z
        .record(z.string().min(1), Expression)
        .default({})
        .meta({ description: 'Custom fields of the pipeline: technical name → expression' }),
    })
    .optional()
    .meta({ description: 'The card that the person gets: at most one per pipeline' }),
});
export type MappingConfig = z.infer<typeof MappingConfig>;
