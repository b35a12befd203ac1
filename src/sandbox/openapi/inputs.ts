// Inputs of the sandbox: the schemas of bodies and path parameters that the rules check. A route sees only the fields
// that its schema declares, so every input with an effect is in the document.
import { z } from 'zod';
import type { Choices } from '../choices.ts';
import { DAY, INSTANT } from '../rules/dates.ts';
import { ExtraField } from './wire.ts';

/** An id in a body or a path. An invalid id gets the not-found code of its resource. */
export const Id = z
  .int()
  .min(1)
  .meta({ examples: [1] });

/** Returns the id, or undefined for a value that cannot be one. */
export function idIn(value: unknown): number | undefined {
  const result = Id.safeParse(value);
  return result.success ? result.data : undefined;
}

const phonePattern = ({ numberDigits: { min, max } }: Choices) => `^[^0-9]*(?:[0-9][^0-9]*){${min},${max}}$`;

/** A number in any form that `normalizeNumber` accepts: as many digits as the choices allow, any text between them. */
export function phone(choices: Choices) {
  return z
    .string()
    .regex(new RegExp(phonePattern(choices)))
    .meta({
      description: 'E.164 without the plus sign. Anything but digits is dropped.',
      examples: ['5511987654321'],
    });
}

/** The same, but an empty text counts as absent. */
const phoneOrNone = (choices: Choices) =>
  z
    .string()
    .regex(new RegExp(`^$|${phonePattern(choices)}`))
    .nullish()
    .meta({ examples: ['5511987654321'] });

/** Extra fields. A sent list replaces the whole list. */
export const ExtraInfo = z.array(z.object(ExtraField.shape)).meta({
  description: 'Replaces all extra fields of the contact.',
});

export const personName = z.string().meta({ examples: ['Bia'] });
const email = z
  .string()
  .nullish()
  .meta({ examples: ['bia@example.com'] });
const document = z.string().nullish();
const disableBot = z
  .boolean()
  .nullish()
  .meta({ examples: [false] });

/** Fields of POST /v1/contacts besides number and whatsappId. */
export const UpsertFields = z.object({
  name: personName.nullish(),
  email,
  document,
  disableBot,
  extraInfo: ExtraInfo.nullish(),
  validateNumber: z
    .boolean()
    .nullish()
    .meta({
      description: 'Checks the number on the chat network first. waba connections never block.',
      examples: [false],
    }),
});

export const upsertBody = (choices: Choices) =>
  z.object({
    number: phone(choices).meta({
      description: 'Identity of the upsert. E.164 without the plus sign; anything but digits is dropped.',
    }),
    ...UpsertFields.shape,
    whatsappId: Id.nullish().meta({
      description: 'Connection for validateNumber. Default: that of the account.',
    }),
  });

/** PUT /v1/contacts/{contactId}: null erases, but a name cannot be erased. */
export const UpdateFields = z.object({
  name: personName.optional(),
  email,
  document,
  disableBot,
  extraInfo: ExtraInfo.nullish(),
});

export const updateBody = ({ contactUpdate }: Choices) =>
  z.object({
    ...Object.fromEntries(
      Object.entries(contactUpdate).map(([field, input]) => [
        input,
        UpdateFields.shape[field as keyof typeof contactUpdate],
      ]),
    ),
    number: z.never().optional().meta({ description: 'Cannot be changed: ERR_NUMBER_IMMUTABLE.' }),
  });

export const TagIds = z.object({
  tagIds: z.array(Id).meta({
    description: 'The whole new list. What is no id of a tag of the account is ignored.',
    examples: [[1]],
  }),
});

/** Fields of POST /v1/cards that are checked by type only. */
export const CardFields = z.object({
  title: z
    .string()
    .nullish()
    .meta({
      description: "Default: the account's prefix and the contact's name.",
      examples: ['Lead - Bia'],
    }),
  expectedCloseDate: z
    .string()
    .regex(new RegExp(`^$|${DAY.source}|${INSTANT.source}`))
    .nullish()
    .meta({
      description: 'YYYY-MM-DD; a full ISO 8601 value is cut to its day in UTC.',
      examples: ['2026-12-01'],
    }),
  contactName: personName
    .nullish()
    .meta({ description: 'Used only if the contact is created by this call.' }),
  customFields: z
    .record(z.string(), z.unknown())
    .nullish()
    .meta({
      description:
        'Technical field name to value. What does not fit is left out and named in ignoredCustomFields.',
      examples: [{}],
    }),
});

export const cardBody = (choices: Choices) =>
  z
    .object({
      contactId: Id.nullish().meta({ description: 'Exactly one of contactId and phone.' }),
      phone: phoneOrNone(choices).meta({
        description: 'Exactly one of contactId and phone. Creates or reuses the contact by number.',
      }),
      pipelineId: Id,
      stageId: Id.nullish().meta({ description: 'A stage of the same pipeline. Send it always.' }),
      sourceId: Id.nullish(),
      [choices.cardInputs.title]: CardFields.shape.title,
      [choices.cardInputs.expectedCloseDate]: CardFields.shape.expectedCloseDate,
      [choices.cardInputs.contactName]: CardFields.shape.contactName,
      customFields: CardFields.shape.customFields,
    })
    .meta({
      ...exactlyOne({ contactId: 'integer', phone: 'string' }),
      examples: [{ contactId: 1, pipelineId: 1, stageId: 11, sourceId: 1, customFields: { plan: 'a' } }],
    });

export const MoveBody = z.object({
  stageId: Id.meta({ description: 'A stage of the same pipeline.', examples: [11] }),
});

export const triggerBody = (choices: Choices) =>
  z
    .object({
      flowId: Id,
      whatsappId: Id,
      variables: z
        .record(z.string(), z.unknown())
        .optional()
        .meta({ examples: [{ plan: 'a' }] }),
      [choices.flowContact.contactId]: Id.nullish(),
      [choices.flowContact.number]: phoneOrNone(choices),
    })
    .meta({
      ...exactlyOne({ [choices.flowContact.contactId]: 'integer', [choices.flowContact.number]: 'string' }),
      examples: [{ flowId: 1, whatsappId: 1, [choices.flowContact.contactId]: 1, variables: { plan: 'a' } }],
    });

/** JSON Schema for "exactly one of these is sent". Null and empty values count as absent. */
function exactlyOne(fields: Readonly<Record<string, 'integer' | 'string'>>) {
  const names = Object.keys(fields);
  return {
    oneOf: names.map((sent) => ({
      type: 'object',
      required: [sent],
      properties: Object.fromEntries(
        names.map((name) => [
          name,
          name === sent ? { type: fields[name], minLength: 1 } : { enum: [null, ''] },
        ]),
      ),
    })),
  };
}
