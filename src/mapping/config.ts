// The part `mappings` of sluice.yaml: how a row becomes a record.
import { z } from 'zod';
import { described } from '../core/config/base.ts';

const scalar = z.union([z.string(), z.number(), z.boolean()]);

/** The long form of an expression: exactly one of path, template, jsonata, const, first. */
export const ExpressionObject = z.strictObject({
  path: z.string().min(1).optional().meta({
    description:
      'Column name, or dot-path into nested objects. Default: none. Set exactly one of path, template, jsonata, const and first.',
  }),
  template: z.string().min(1).optional().meta({
    description: 'Text with {{column}} placeholders. The value is empty if all of them are. Default: none.',
  }),
  jsonata: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'JSONata expression over the row. Default: none.' }),
  const: scalar.optional().meta({ description: 'Fixed value. Default: none.' }),
  first: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .meta({ description: 'Columns or dot-paths. The first value that is not empty counts. Default: none.' }),
  map: z.record(z.string(), scalar).optional().meta({
    description:
      'Table from the value found to the value wanted. Case is ignored. A value without an entry is a problem of the row. Default: none.',
  }),
  default: scalar
    .optional()
    .meta({ description: 'Value to use if nothing is found, or if `map` has no entry. Default: none.' }),
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
      'Expression: a column name or dot-path, "{{column}} text" as a template, "=…" as JSONata, or a list whose first value that is not empty counts.',
  });
export type Expression = z.infer<typeof Expression>;

export const CountryOfRow = described(
  Expression,
  'Expression for the country of the number, as an ISO 3166 code or as a name in English, Portuguese or Spanish. It decides how a number without a country code is read. Default: none; `defaultCountry` decides, as for rows whose value is empty.',
);

/** How a number without + and country code is read. */
export const DefaultCountry = z
  .string()
  .regex(/^[A-Z]{2}$/, 'two capital letters, for example BR')
  .optional()
  .meta({
    description:
      'ISO 3166 code of the country for numbers without a country code, for example BR. Default: none; such numbers are refused.',
  });

export const NumberFormat = z.enum(['national', 'international', 'auto']).meta({
  description:
    'How Sluice reads digits without +. national: as a number of defaultCountry. international: as a number with country code. auto: the reading that is certain; a number that is valid both ways is refused. Default: auto.',
});
export type NumberFormat = z.infer<typeof NumberFormat>;

export const MappingConfig = z.strictObject({
  defaultCountry: DefaultCountry,
  numberFormat: NumberFormat.optional(),
  dateOrder: z.enum(['auto', 'dmy', 'mdy', 'ymd']).optional().meta({
    description:
      'Order of dates such as 01/02/2026. dmy: day first. mdy: month first. ymd: year first. auto: derived from all rows of a file. Default: auto.',
  }),
  contact: z
    .strictObject({
      number: described(Expression, 'Expression for the phone number, which identifies the person.'),
      country: CountryOfRow.optional(),
      name: described(
        Expression,
        'Expression for the name. Default: none; the name is not written.',
      ).optional(),
      email: described(
        Expression,
        'Expression for the e-mail address. Default: none; it is not written.',
      ).optional(),
      document: described(
        Expression,
        'Expression for the document (CPF, CNPJ, …). Default: none; it is not written.',
      ).optional(),
      disableBot: described(
        Expression,
        'Expression for yes or no. yes keeps the chatbot away from this contact. Default: none; the switch is not written.',
      ).optional(),
    })
    .meta({ description: 'The contact of the row. Empty values are not written.' }),
  tags: z
    .array(
      z.union([
        z.string().min(1),
        ExpressionObject.extend({
          split: z.string().min(1).optional().meta({
            description: 'Separator between several tags in one value. Default: none; the value is one tag.',
          }),
        }),
      ]),
    )
    .default([])
    .meta({
      description:
        'Expressions for tags. Each yields one tag name, or several with `split`. Write {const: vip} for a fixed tag. Default: [].',
    }),
  extraInfo: z
    .record(z.string().min(1), Expression)
    .default({})
    .meta({ description: 'Extra fields of the contact: name to expression. Default: {}.' }),
  card: z
    .strictObject({
      pipeline: z
        .union([z.int().positive(), z.string().min(1)])
        .meta({ description: 'Pipeline of the card, by fixed name or id.' }),
      when: Expression.optional().meta({
        description:
          'Creates a card only if this expression yields something other than empty, false, no or 0. Default: always.',
      }),
      stage: Expression.optional().meta({
        description:
          'Expression for the stage, by name or id. Default: none; the card is in no column of the board.',
      }),
      source: z
        .union([z.int().positive(), ExpressionObject])
        .optional()
        .meta({ description: 'Id of the origin of the card, or an expression for it. Default: none.' }),
      title: described(
        Expression,
        'Expression for the title. Default: none; the service derives it from the name of the contact.',
      ).optional(),
      expectedCloseDate: described(
        Expression,
        'Expression for the expected close date. Default: none.',
      ).optional(),
      customFields: z
        .record(z.string().min(1), Expression)
        .default({})
        .meta({ description: 'Custom fields of the pipeline: technical name to expression. Default: {}.' }),
    })
    .optional()
    .meta({ description: 'The card of the person: at most one per pipeline. Default: no card.' }),
});
export type MappingConfig = z.infer<typeof MappingConfig>;
